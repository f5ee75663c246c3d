import { type Database, poolUsage, type Transaction } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { createWorkGate } from '../../../platform/limits/work-gate.js'

/** A selection of an audience within a request. */
export interface Selection {
  readonly appId: string
  readonly uuid: string | null
  /** It has few named users, and takes milliseconds. */
  readonly isSmall: boolean
}

export interface SelectionOptions {
  readonly db: Database
  /** Whether large audiences are queued. */
  readonly isAsync: boolean
  /** The longest wait for a turn. */
  readonly waitMs: number
  /** Aborts when the server ends. */
  readonly closing: AbortSignal
}

/** Audiences that requests of a process select at once. One of millions takes most of a minute. */
const MAX_SELECTIONS = 2
/** Small ones beside them, which then wait for no large one. */
const MAX_SMALL_SELECTIONS = 1
/** Those of an app with one uuid wait for each other in the database, where each that waits has a connection. */
const MAX_SELECTIONS_OF_APP = 1
/** Connections of the pool that requests leave to claims and heartbeats; where campaigns are queued, one more selects theirs. */
const MIN_FREE_CONNECTIONS = 1

/** Makes what runs transactions that select audiences, when it is the turn of their apps. */
export function createSelectionGates({ db, isAsync, waitMs, closing }: SelectionOptions) {
  const free = MIN_FREE_CONNECTIONS + (isAsync ? 1 : 0)
  const connections = Math.min(MAX_SELECTIONS + MAX_SMALL_SELECTIONS, poolUsage(db).size - free)
  const createGate = (most: number) =>
    createWorkGate({
      most,
      mostOfCaller: MAX_SELECTIONS_OF_APP,
      // As many as requests may wait in a process.
      waiting: Number.POSITIVE_INFINITY,
      waitingOfCaller: Number.POSITIVE_INFINITY,
      waitMs,
    })
  const largeGate = createGate(Math.max(1, connections - MAX_SMALL_SELECTIONS))
  const smallGate = connections > MAX_SMALL_SELECTIONS ? createGate(MAX_SMALL_SELECTIONS) : largeGate
  /** Those that wait and run. */
  const large = new Set<Selection>()

  /** A small one waits for a large one with its uuid, and must not do so in the way of other small ones. */
  function hasLargeTwin({ appId, uuid }: Selection): boolean {
    return uuid !== null && [...large].some((other) => other.appId === appId && other.uuid === uuid)
  }

  /**
   * Runs a transaction in its turn.
   *
   * @throws PlazaError `unavailable` when that takes too long or the server ends before. Nothing was done.
   */
  return async function select<Result>(
    selection: Selection,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const gate = selection.isSmall && !hasLargeTwin(selection) ? smallGate : largeGate
    if (gate === largeGate) large.add(selection)
    try {
      const visit = await gate.enter(selection.appId, closing).catch((error: unknown) => {
        throw closing.aborted ? ending() : error
      })
      try {
        if (closing.aborted) throw ending()
        // The type of the driver also resolves promises in an array, which no result is.
        return await (db.begin(work) as Promise<Result>)
      } finally {
        visit.leave()
      }
    } finally {
      large.delete(selection)
    }
  }
}

function ending(): PlazaError {
  return new PlazaError('unavailable', 'the server ends: nothing was sent')
}
