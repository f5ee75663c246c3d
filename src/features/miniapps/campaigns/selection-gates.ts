import { type Database, poolUsage, type Transaction } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { type GateVisit, WorkGate } from '../../../platform/limits/work-gate.js'

/** A wait of a request for its app to be next. */
export interface Turn {
  readonly appId: string
  /** Milliseconds of `performance.now()`: one time for all turns that the request waits for, one after the other. */
  readonly untilMs: number
}

/** A selection of an audience within a request. */
export interface Selection extends Turn {
  readonly uuid: string | null
  /** It has few named users, and takes milliseconds. */
  readonly isSmall: boolean
}

export interface SelectionOptions {
  readonly db: Database
  /** Whether large audiences are queued. */
  readonly isAsync: boolean
  /** Aborts when the server ends. */
  readonly closing: AbortSignal
}

/** Large audiences that requests of a process select at once. One of millions takes most of a minute. */
const MAX_LARGE_SELECTIONS = 2
/** Selections of an app at once. Those with one uuid wait for each other in the database, where each that waits has a connection. */
const MAX_SELECTIONS_OF_APP = 1
/** Connections of the pool that requests leave to claims and heartbeats; where campaigns are queued, one more selects theirs. */
const MIN_FREE_CONNECTIONS = 1
/** Requests of a process that wait for a turn, and those of an app, so that it has no more of the 10,000 that a process holds. */
const MAX_WAITING = 1_000
const MAX_WAITING_OF_APP = 100
/** Looks at audiences that requests of a process take at once, and an app. With a filter that few users meet one takes seconds. */
const MAX_LOOKS = 2
const MAX_LOOKS_OF_APP = 1
/** The longest wait of a request that only looks, within the time of a request. */
const MAX_LOOK_WAIT_MS = 10_000

/** The wait of a request of an app that only looks at an audience. */
export function lookTurn(appId: string): Turn {
  return { appId, untilMs: performance.now() + MAX_LOOK_WAIT_MS }
}

/**
 * Makes what runs transactions that select audiences, when it is the turn of their apps. Small ones wait for no large one: they
 * have the other connections.
 */
export function createSelectionGates({ db, isAsync, closing }: SelectionOptions) {
  const connections = poolUsage(db).size - MIN_FREE_CONNECTIONS - (isAsync ? 1 : 0)
  const largest = Math.max(1, Math.min(MAX_LARGE_SELECTIONS, connections - 1))
  const largeGate = createGate(largest, MAX_SELECTIONS_OF_APP)
  const smallGate = connections > largest ? createGate(connections - largest, MAX_SELECTIONS_OF_APP) : null

  /**
   * Runs a transaction in its turn. A small one whose uuid is taken, here or in another process, waits among the large ones:
   * not in the way of other small ones.
   *
   * @throws PlazaError `unavailable` when that takes too long or the server ends before, `bad_request.rate_limited` when too
   * many of the app wait. Nothing was done.
   */
  return async function select<Result>(
    { uuid, isSmall, ...turn }: Selection,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    if (isSmall && smallGate !== null) {
      const outcome = await runIn(smallGate, { db, closing, turn }, async (transaction) =>
        uuid === null || (await tryLockUuid(transaction, turn.appId, uuid))
          ? { result: await work(transaction) }
          : null,
      )
      if (outcome !== null) return outcome.result
    }
    return await runIn(largeGate, { db, closing, turn }, work)
  }
}

/**
 * Makes what runs looks at large audiences, when it is the turn of their apps: those of one app, or some slow ones, leave
 * connections to other reads.
 *
 * @param closing Aborts when the server ends.
 */
export function createLooks(closing: AbortSignal) {
  const gate = createGate(MAX_LOOKS, MAX_LOOKS_OF_APP)
  return async function look<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result> {
    const visit = await enter(gate, { turn, closing })
    try {
      return await work()
    } finally {
      visit.leave()
    }
  }
}

function createGate(maxRunning: number, maxRunningOfCaller: number): WorkGate {
  return new WorkGate({
    maxRunning,
    maxRunningOfCaller,
    maxWaiting: MAX_WAITING,
    maxWaitingOfCaller: MAX_WAITING_OF_APP,
    // Each turn has its own end.
    maxWaitMs: Number.POSITIVE_INFINITY,
  })
}

/** @throws PlazaError when it is not the app's turn in time, or when the server ends. */
async function enter(
  gate: WorkGate,
  { turn, closing }: { readonly turn: Turn; readonly closing: AbortSignal },
): Promise<GateVisit> {
  const leftMs = Math.max(0, turn.untilMs - performance.now())
  const visit = await gate.enter(turn.appId, closing, leftMs).catch((error: unknown) => {
    throw closing.aborted ? ending() : error
  })
  if (!closing.aborted) return visit
  visit.leave()
  throw ending()
}

/** Runs a transaction when it is the turn of the app. */
async function runIn<Result>(
  gate: WorkGate,
  { db, closing, turn }: Pick<SelectionOptions, 'db' | 'closing'> & { readonly turn: Turn },
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const visit = await enter(gate, { turn, closing })
  try {
    // The type of the driver also resolves promises in an array, which no result is.
    return await (db.begin(work) as Promise<Result>)
  } finally {
    visit.leave()
  }
}

/** Takes the uuid of an app's campaigns until the transaction ends: their audiences are selected one after the other. */
export async function lockUuid(db: Transaction, appId: string, uuid: string): Promise<void> {
  await db`select pg_advisory_xact_lock(${uuidKey(db, appId, uuid)})`
}

/** Takes it if nobody has it; returns whether it did. */
async function tryLockUuid(db: Transaction, appId: string, uuid: string): Promise<boolean> {
  const [row] = await db<[{ taken: boolean }]>`
    select pg_try_advisory_xact_lock(${uuidKey(db, appId, uuid)}) as taken`
  return row.taken
}

function uuidKey(db: Transaction, appId: string, uuid: string) {
  return db`hashtextextended(${`campaign ${appId} ${uuid}`}, 0)`
}

function ending(): PlazaError {
  return new PlazaError('unavailable', 'the server ends: nothing was sent')
}
