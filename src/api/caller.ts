/** Who sends a request: an app, by one of its keys. */
export interface Caller {
  readonly appId: string
  readonly keyId: number
  /** Requests per minute that the key was given; null is the server's default, 0 is no limit. */
  readonly rateLimit: number | null
}
