import { UpstreamFailure } from '../client/upstream-failure.js'

/** Most failed accounts in a row. At this number, the upstream is faulty and not the accounts. */
const MAX_FAILED_IN_A_ROW = 3

/** Whether the upstream may list other accounts after this failure. */
export function isAccountFault(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.mayBeRequestFault
}

/** Counts accounts that the upstream cannot list: one of them does not end a run over all users. */
export class FailedAccounts {
  #count = 0
  #inARow = 0

  /** All accounts that failed. */
  get count(): number {
    return this.#count
  }

  /** Records an account that was read. */
  succeeded(): void {
    this.#inARow = 0
  }

  /** Records a failure. @throws it again, if it may be one of the upstream and not of the account. */
  failed(error: unknown): void {
    this.#count += 1
    this.#inARow += 1
    if (!isAccountFault(error) || this.#inARow >= MAX_FAILED_IN_A_ROW) throw error
  }
}
