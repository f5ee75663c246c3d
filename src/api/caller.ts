/** The app that sends a request, and its key. */
export interface Caller {
  readonly appId: string
  readonly keyId: number
  /** Requests per minute. null: the default of the server. 0: no limit. */
  readonly rateLimit: number | null
}
