import { type Shortage, shortageOf } from './connection-errors.js'

/** A shortage counts as over when no statement has failed of it for so long. */
const RECENT_MS = 60_000

/**
 * What the database ran out of, by the errors of all statements of this process. PostgreSQL does not say how much is left:
 * that something failed a moment ago is all that is known.
 */
export class RecentShortages {
  readonly #lastMs = new Map<Shortage, number>()

  /**
   * @param clock Unix milliseconds.
   * @param onShortage Called for each failed statement.
   */
  constructor(
    private readonly clock: () => number,
    private readonly onShortage: (shortage: Shortage) => void = () => {},
  ) {}

  /** Takes the SQLSTATE of an error. */
  note(state: string): void {
    const shortage = shortageOf(state)
    if (shortage === null) return
    this.#lastMs.set(shortage, this.clock())
    this.onShortage(shortage)
  }

  /** Whether a statement failed of it lately. */
  isRecent(shortage: Shortage): boolean {
    const lastMs = this.#lastMs.get(shortage)
    return lastMs !== undefined && this.clock() - lastMs < RECENT_MS
  }
}
