/** The holder of a token: each client grants its own per user and mini app (docs/compatibility.md §19.2). */
export interface TokenHolder {
  readonly appId: string
  readonly fid: number
  /** The fid of the client app, or `UNNAMED_CLIENT`. */
  readonly clientFid: number
}

/** The client of events signed by an address, and of imported tokens, which name none. No user has fid 0. */
export const UNNAMED_CLIENT = 0
