import type { Scene } from './scene.js'

/** The budget of an operation and its test request. */
export interface Budget {
  /** Maximum SQL statements with an empty cache. */
  readonly statements: number
  /** The query, or the body of a write, with a viewer if possible. */
  readonly buildRequest: (scene: Scene) => RequestBody | Promise<RequestBody>
  readonly headers?: Readonly<Record<string, string>> | ((scene: Scene) => Readonly<Record<string, string>>)
  /** Reason for more than `defaultBudget`. */
  readonly reason?: string
  /** The lists of its reply are empty, whatever the request. */
  readonly isEmpty?: boolean
  /** Expected status; default 200. */
  readonly status?: number
}

type RequestBody = Readonly<Record<string, unknown>>
