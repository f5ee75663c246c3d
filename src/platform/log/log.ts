type Write = (fields: object, message: string) => void

/** The logger interface of all modules: structured fields and one sentence. `pino` implements it. */
export interface Log {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
}

/** A logger that writes nothing, for tests and commands. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
