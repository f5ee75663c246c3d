import { LeaseLost } from '../../hub/chain/cursor.js'
import { ChainFollower, type FollowerOptions, type LogHandler } from '../../hub/chain/follower.js'
import { keepLease } from '../../hub/chain/keep-lease.js'
import { RangeRefused } from '../../hub/chain/log-range.js'
import type { Database } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import { hexOf } from '../../protocol/bytes.js'
import { applyChanges, balanceChangesOf, transferTopic } from './balances.js'
import { isBackfilled, readTokens, type Token } from './token.js'
import { findFirstBlock } from './token-details.js'
import { backfillFollowerName, deleteBalances } from './tracked-tokens.js'

/** Dependencies of a network's backfill. */
export interface BackfillContext extends FollowerOptions {
  readonly log: Log
}

/** Steps per token and turn, so that a large token does not delay small ones. */
const STEPS_PER_TOKEN = 20
const RETRY_MS = 5_000

/**
 * Backfills all tracked tokens of a network in turns until it is stopped.
 *
 * @param pollMs Milliseconds between polls when there is nothing to read.
 * @returns A function that stops it after the current step.
 */
export function startBackfill(context: BackfillContext, pollMs: number): () => Promise<void> {
  const abortController = new AbortController()
  const { signal } = abortController
  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        const hasProgress = await backfillTokens(context, signal)
        if (!hasProgress) await pause(pollMs, signal)
      } catch (error) {
        const { chain } = context.rpc
        context.log.warn({ err: error, network: chain.name }, 'token backfill failed')
        await pause(RETRY_MS, signal)
      }
    }
  }
  const running = run()
  return async () => {
    abortController.abort()
    await running
  }
}

/**
 * Runs some backfill steps for each token. A failing token does not stop the others.
 *
 * @throws The first error, after all tokens had their turn.
 */
export async function backfillTokens(context: BackfillContext, signal?: AbortSignal): Promise<boolean> {
  const { db, rpc } = context
  let hasProgress = false
  const failures: unknown[] = []
  for (const token of await readTokens(db, { network: rpc.chain.name, onlyTracked: true })) {
    if (signal?.aborted) return hasProgress
    try {
      if (token.firstBlock === null) await resolveFirstBlock(context, token)
      else if (isBackfillable(token) && !isBackfilled(token))
        hasProgress = (await backfillToken(context, token, signal)) || hasProgress
    } catch (cause) {
      failures.push(new Error(`${backfillFollowerName(token)} failed`, { cause }))
    }
  }
  if (failures.length > 0) throw failures[0]
  return hasProgress
}

function isBackfillable(token: Token): token is BackfilledToken {
  return token.firstBlock !== null && token.liveFrom !== null
}

async function resolveFirstBlock({ db, rpc }: BackfillContext, { id, address }: Token): Promise<void> {
  const first = await rpc.withEndpoint((endpoint) => findFirstBlock(endpoint, hexOf(address)))
  await db`update tokens.tokens set first_block = ${first}::bigint where id = ${id} and first_block is null and tracked_by is not null`
}

async function backfillToken(context: BackfillContext, token: BackfilledToken, signal?: AbortSignal) {
  const follower = new ChainFollower(backfillHandler(context.db, token), context)
  const stopRenewing = keepLease(() => follower.renew())
  let hasProgress = false
  try {
    for (let steps = 0; steps < STEPS_PER_TOKEN && !signal?.aborted; steps += 1) {
      const outcome = await follower.step().catch((error: unknown) => {
        if (error instanceof LeaseLost) return 'busy' as const
        // The next step requests a smaller range.
        if (error instanceof RangeRefused && error.canSplit) return 'refused' as const
        throw error
      })
      if (outcome === 'moved') hasProgress = true
      else if (outcome !== 'refused') break
    }
  } finally {
    await stopRenewing()
    await follower.release()
  }
  await deleteFollower(context, token)
  return hasProgress
}

/** Deletes the follower of a finished backfill, whose cursor is no longer needed. */
async function deleteFollower({ db }: BackfillContext, { id }: Token): Promise<void> {
  await db`
    delete from chain.followers f
    using tokens.tokens t
    where t.id = ${id} and t.read_to >= t.live_from
      and f.name = t.network || '/token/0x' || encode(t.address, 'hex')
  `
}

/** A token to backfill: it has a first block, and is applied live from `liveFrom` on. */
type BackfilledToken = Token & { readonly firstBlock: number; readonly liveFrom: number }

/**
 * Creates the handler that reads a token's transfers before `liveFrom`.
 *
 * Only final blocks are read. The last of them may take a minute to become final; the token's owners are
 * shown after that.
 */
function backfillHandler(db: Database, token: BackfilledToken): LogHandler {
  const { id, liveFrom, firstBlock } = token
  const address = hexOf(token.address)
  const trackedTokens = new Map([[address, { id, liveFrom: 0 }]])
  return {
    name: backfillFollowerName(token),
    async firstBlock() {
      // Since it was read, the token may have been untracked, and tracked with another first block; or finished by another
      // process, which deleted the follower.
      const [row] = await db<{ firstBlock: number }[]>`
        select first_block as "firstBlock" from tokens.tokens
        where id = ${id} and live_from = ${liveFrom}::bigint and read_to < live_from
      `
      if (row === undefined) throw new LeaseLost(`${backfillFollowerName(token)} is finished, or read anew`)
      return row.firstBlock
    },
    lastBlock: liveFrom - 1,
    confirmedOnly: true,
    withTimes: false,
    filter: async () => ({ addresses: [address], topics: [transferTopic] }),
    read: async () => {},
    async handle({ logs, from, to }, _, commit) {
      await commit(async (transaction) => {
        // Where the balances end, whatever the follower says: transfers that are added twice would stay.
        const updatedRows = await transaction`
          update tokens.tokens set read_to = ${to + 1}::bigint
          where id = ${id} and live_from = ${liveFrom}::bigint and read_to = ${from}::bigint
          returning id
        `
        if (updatedRows.length === 0)
          throw new LeaseLost(`${backfillFollowerName(token)} was read by another process`)
        await applyChanges(transaction, balanceChangesOf(logs, trackedTokens))
      })
    },
    undo: async () => {},
    async recoverFromDeepReorg(transaction) {
      // This follower goes back itself.
      await deleteBalances(transaction, [id], { keepsFollowers: true })
      return firstBlock
    },
  }
}
