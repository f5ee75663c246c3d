/** Counts the requests with a key. It is called for each of them, so it must cost next to nothing. */
export interface UsageCounter {
  /**
   * @param operation As documented: `GET cast/search`.
   * @param status HTTP status of the reply.
   */
  count(keyId: number, operation: string, status: number): void
}

/** The operation of requests with a key to routes that no document has. */
export const OTHER_OPERATION = 'other'
