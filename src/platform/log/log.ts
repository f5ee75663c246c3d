type Write = (fields: object, message: string) => void

/** The part of the logger that our modules use: facts as fields, and one sentence. `pino` is one of these. */
export interface Log {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
}

/** For tests and for commands that speak for themselves. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
