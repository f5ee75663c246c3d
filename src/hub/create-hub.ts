import type { Database } from '../platform/db/connection.js'
import { isBeyondLimits, isRetryable, unavailableError } from '../platform/db/connection-errors.js'
import { errorCode, PlazaError, type Refusal, refusalError } from '../platform/errors.js'
import { FarcasterNetwork, type UserNameProof } from '../protocol/definitions.js'
import type { SignedMessage } from '../protocol/message.js'
import { isChannelType } from '../protocol/message-kinds.js'
import { CHANNELS_FID, shardOf } from '../protocol/shard.js'
import { hasClaim } from '../protocol/validate.js'
import type { VerifyPool } from '../protocol/verify-pool.js'
import {
  type ChainClaims,
  type CheckedClaims,
  chainClaimsWithoutChains,
  noClaims,
} from './chain-claims/chain-claims.js'
import type { Hub, SubmitOptions } from './hub.js'
import { ensurePartitions } from './log/partitions.js'
import type { LoggedEvent } from './log/write.js'
import type { MergeBatch } from './merge/batch.js'
import { type MergeHook, mergeBatch } from './merge/merge.js'
import { nameOf } from './merge/names.js'
import { readEarlyRefusals, readSenderRefusal } from './merge/read-refusals.js'
import { type MergeItem, type QueueItem, ShardWriter } from './merge/shard-writer.js'
import { refuseUnstorable } from './merge/storable.js'
import { origins } from './origins.js'
import { type FindName, findNoName, limitToOneLookup, mergeWithName } from './unknown-names.js'
import { type ValidationOptions, validateMessages } from './validate.js'

export interface HubOptions {
  readonly db: Database
  /** The FarcasterNetwork of all messages. */
  readonly network: number
  readonly shards: number
  readonly verifyPool: VerifyPool
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Asks chains about names and contract wallets. Without it, messages that need a chain are refused. */
  readonly chainClaims?: ChainClaims
  /** Asks the fname registry for names that the hub does not know yet. Without it, entries with such names are refused. */
  readonly findName?: FindName
  /** Also asks chains about the claims of synced messages. */
  readonly checksSyncedClaims?: boolean
  /** Remembers merged messages of clients for the upstream, in the merge's transaction. */
  readonly publishes?: boolean
  /** Run in every merge's transaction, in this order. */
  readonly mergeHooks?: readonly MergeHook[]
  /**
   * Called with the events of a batch after its commit, before the submitters are answered. Must not throw.
   * It is not called when the answer of a commit was lost; the log has the events.
   */
  readonly onCommitted?: (events: readonly LoggedEvent[]) => void
  /** Whether this process has no time to spare, so that small batches are worth waiting for. */
  readonly isBusy?: () => boolean
  /** Called for every merge and refusal, for metrics: `merged` or an error code. */
  readonly onOutcome?: (messageType: number, outcome: string) => void
}

/**
 * Opens the hub on a migrated database: creates shards and partitions, then accepts submissions.
 * @throws Error when the database belongs to another network or number of shards.
 */
export async function createHub(options: HubOptions): Promise<Hub> {
  const { db, shards, clock } = options
  await checkSettings(db, options)
  await ensurePartitions(db, clock())
  await db`
    insert into hub.shards (shard)
    select generate_series(1, ${shards}::smallint)
    on conflict do nothing
  `
  const writers = Array.from({ length: shards }, (_, index) => createShardWriter(options, index + 1))
  const submitToShard: SubmitToShard = (fid, item) => writers[shardOf(fid, shards) - 1]!.submit(item)
  const { run, close } = createGate()

  const submitItems = createSubmission(options, submitToShard)

  const remove = (kind: 'upstreamRemoval' | 'lostName') => (messages: readonly SignedMessage[]) =>
    run(() => settleAll(messages.map((message) => submitToShard(shardFidOf(message), { kind, message }))))

  return {
    queued: () => writers.reduce((sum, writer) => sum + writer.queued, 0),
    async validate(messages, tierFids = messages.map(({ data }) => data.fid)) {
      const refusals = await validateMessages(options, messages, { tiers: tierFids })
      const busy = refusals.find((refusal) => refusal?.code === 'unavailable')
      if (busy) throw refusalError(busy)
      return refusals
    },
    checkUnstored: (message) => run(() => checkUnstored(options, message)),
    submit: (messages, submitOptions) =>
      run(() =>
        submitItems(
          messages.map((message) => ({ kind: 'message', message })),
          submitOptions,
        ),
      ),
    submitOnChainEvents: (events) =>
      run(() => submitItems(events.map((event) => ({ kind: 'chainEvent', event })))),
    submitNameTransfers: (proofs) =>
      run(() => submitItems(proofs.map((proof) => ({ kind: 'nameTransfer', proof })))),
    submitItems: (items, submitOptions) => run(() => submitItems(items, submitOptions)),
    removeByUpstream: remove('upstreamRemoval'),
    removeLostNames: remove('lostName'),
    async close() {
      await close()
      await Promise.all(writers.map((writer) => writer.drain()))
    },
  }
}

type SubmitToShard = (fid: number, item: QueueItem) => Promise<Refusal | null>

/** Returns the function that validates items and has each merged by the writer of its shard. */
function createSubmission(options: HubOptions, submitToShard: SubmitToShard) {
  return async function submitItems(
    items: readonly MergeItem[],
    { origin = 'local', trusted = false, order }: SubmitOptions = {},
  ): Promise<(Refusal | null)[]> {
    const { verifiesSignatures, isSynced, isHistorical, isOutgoing } = origins[origin]
    const needsVerification = verificationOf(trusted, verifiesSignatures)
    const messages = items.flatMap((item) => (item.kind === 'message' ? [item.message] : []))
    const historicals = isHistorical ? new Set(messages) : historicalOf(items)
    // What others submit may depend on a submission that is queued: a client has the answer to what it depends on.
    const refusesEarly = origin === 'client'
    const checks = { needsVerification, ignoresTier: historicals, isSynced, refusesEarly }
    const checking = checkMessages(options, messages, checks)
    const checked = order?.next(checking) ?? checking
    // Awaited by each message below.
    checked.catch(() => {})
    // All of a store is a copy. Of a log, messages may be historical by themselves.
    const isCopy = isHistorical
    const unstorable = items.map(refuseUnstorable)
    const storable = items.filter((_, index) => unstorable[index] === null)
    const holders = await findReleasedHolders(options.db, storable)
    const findName = isOutgoing ? limitToOneLookup(options.findName) : findNoName
    const mergeTransfer = (proof: UserNameProof) => submitItems([{ kind: 'nameTransfer', proof }])
    let next = 0
    // Events and names are queued before the messages are verified.
    const merges = items.map(async (item, itemIndex) => {
      const refusal = unstorable[itemIndex]
      if (refusal) return refusal
      if (item.kind === 'chainEvent') return await submitToShard(item.event.fid, { ...item, isCopy })
      if (item.kind === 'nameTransfer') {
        const fid = item.proof.fid || (holders.get(nameOf(item.proof)) ?? 0)
        return await submitToShard(fid, { ...item, isCopy })
      }
      const index = next++
      const { message } = item
      const { refusals, claims } = await checked
      const merged = {
        ...item,
        isCopy,
        isHistorical: historicals.has(message),
        isSynced,
        isOutgoing: isOutgoing && options.publishes === true,
        unconfirmed: claims.unconfirmed.get(message),
        confirmedProof: claims.confirmedProofs.get(message),
      }
      const merge = () => submitToShard(shardFidOf(message), merged)
      const outcome = refusals[index] ?? (await mergeWithName(message, merge, { findName, mergeTransfer }))
      options.onOutcome?.(message.data.type, outcome?.code ?? 'merged')
      return outcome
    })
    return await settleAll(merges)
  }
}

/** Returns what selects the messages whose signatures and claims are verified. */
function verificationOf(trusted: boolean, verifiesSignatures: boolean): (message: SignedMessage) => boolean {
  if (trusted) return () => false
  if (verifiesSignatures) return () => true
  return hasClaim
}

/** Returns the fid whose shard merges a message: channels are of all users, so their messages have one order. */
function shardFidOf({ data }: SignedMessage): number {
  return isChannelType(data.type) ? CHANNELS_FID : data.fid
}

/** Returns the messages that are historical by themselves. */
function historicalOf(items: readonly MergeItem[]): Set<SignedMessage> {
  return new Set(
    items.flatMap((item) => (item.kind === 'message' && item.isHistorical ? [item.message] : [])),
  )
}

/** Admits work until it is closed. */
function createGate() {
  const inProgress = new Set<Promise<unknown>>()
  let closed = false
  return {
    /** Starts work, or refuses it after the gate has closed. */
    run<T>(work: () => Promise<T>): Promise<T> {
      if (closed) return Promise.reject(new PlazaError('unavailable', 'the hub is shutting down'))
      const running = work()
      const settled = running.catch(() => {}).finally(() => inProgress.delete(settled))
      inProgress.add(settled)
      return running
    },
    /** Refuses new work, and waits for the work in progress. */
    async close(): Promise<void> {
      closed = true
      await Promise.all(inProgress)
    },
  }
}

function createShardWriter(options: HubOptions, shard: number): ShardWriter {
  const { db, network, shards, mergeHooks = [], verifyPool, clock, onCommitted, isBusy } = options
  const settings = { shards, network, hooks: mergeHooks, recover: verifyPool.recover }
  const mergeOnce = (batch: MergeBatch) => mergeBatch(db, shard, batch, settings, clock())
  return new ShardWriter({
    merge: async (batch) => {
      const result = await mergeOnce(batch).catch(async (error: unknown) => {
        if (!isMissingPartition(error)) throw error
        await ensurePartitions(db, clock())
        return await mergeOnce(batch)
      })
      if (result.events.length > 0) onCommitted?.(result.events)
      return result
    },
    isRetryable,
    isBeyondLimits,
    unavailableError,
    ...(isBusy === undefined ? {} : { isBusy }),
  })
}

/**
 * The log has no partition for today, as maintenance has not run for days: SQLSTATE 23514, which a violated constraint has too, with
 * its name. The message is in the language of the server.
 */
function isMissingPartition(error: unknown): boolean {
  return errorCode(error) === '23514' && error instanceof Error && !('constraint_name' in error)
}

async function checkUnstored(options: HubOptions, message: SignedMessage): Promise<Refusal | null> {
  const [refusal] = await validateMessages(options, [message], { tiers: 'merge' })
  return (
    refusal ??
    (await readSenderRefusal(options.db, message, {
      nowUnix: Math.floor(options.clock() / 1000),
      network: options.network,
    }))
  )
}

interface Checks extends Omit<ValidationOptions, 'tiers'> {
  readonly isSynced: boolean
  /** Whether messages that would lock all shards are compared with what is stored first. */
  readonly refusesEarly: boolean
}

/** Validates messages, verifies what is to be verified, and asks chains about the claims of the valid ones. */
async function checkMessages(
  options: HubOptions,
  messages: readonly SignedMessage[],
  checks: Checks,
): Promise<{ readonly refusals: readonly (Refusal | null)[]; readonly claims: CheckedClaims }> {
  const refusals = await validateMessages(options, messages, { ...checks, tiers: 'merge' })
  const valid = messages.filter((_, index) => refusals[index] === null)
  const claims = await confirmClaims(options, valid, checks.isSynced)
  if (!checks.refusesEarly) return { refusals, claims }
  const early = await refuseEarly(options, valid, claims)
  let next = 0
  return { refusals: refusals.map((refusal) => refusal ?? early[next++] ?? null), claims }
}

async function refuseEarly(
  { db, network, verifyPool, clock }: HubOptions,
  messages: readonly SignedMessage[],
  claims: CheckedClaims,
): Promise<readonly (Refusal | null)[]> {
  const batchContext = { nowUnix: Math.floor(clock() / 1000), network, recover: verifyPool.recover }
  try {
    return await readEarlyRefusals(db, { messages, ...claims }, batchContext)
  } catch (error) {
    throw unavailableError(error) ?? error
  }
}

/** Asks chains about claims, unless the messages are synced and the operator does not want it. */
async function confirmClaims(
  { db, network, verifyPool, chainClaims = chainClaimsWithoutChains, checksSyncedClaims = false }: HubOptions,
  messages: readonly SignedMessage[],
  isSynced: boolean,
): Promise<CheckedClaims> {
  if (isSynced && !checksSyncedClaims) return noClaims
  try {
    const { recover } = verifyPool
    const claims = await chainClaims.check(db, messages, { network, synced: isSynced, recover })
    const outage = [...claims.unconfirmed.values()].find(({ code }) => code === 'unavailable')
    // What is synced comes only once: it waits until its chain answers.
    if (isSynced && outage) throw new PlazaError('unavailable', outage.message)
    return claims
  } catch (error) {
    throw unavailableError(error) ?? error
  }
}

/** Waits for all promises, so that no rejection is unhandled, then throws the first error if there is one. */
async function settleAll(promises: readonly Promise<Refusal | null>[]): Promise<(Refusal | null)[]> {
  const settled = await Promise.allSettled(promises)
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

/** Returns the holders of the names that the items release. */
function findReleasedHolders(db: Database, items: readonly MergeItem[]): Promise<Map<string, number>> {
  const proofs = items.flatMap((item) => (item.kind === 'nameTransfer' ? [item.proof] : []))
  return findNameHolders(db, proofs.filter(({ fid }) => fid === 0).map(nameOf))
}

async function findNameHolders(db: Database, names: readonly string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map()
  const rows = await db<{ name: string; fid: number }[]>`
    select name, fid from hub.username_proofs where name = any (${names}::text[])
  `
  return new Map(rows.map((row) => [row.name, row.fid]))
}

/** Checks that the database belongs to this network and number of shards. The first start writes both. */
async function checkSettings(db: Database, { network, shards }: HubOptions): Promise<void> {
  await db`
    insert into hub.settings (name, value)
    values ('network', ${network}::int::text::jsonb), ('shards', ${shards}::int::text::jsonb)
    on conflict do nothing
  `
  const rows = await db<{ name: string; value: number }[]>`
    select name, (value #>> '{}')::integer as value from hub.settings where name in ('network', 'shards')
  `
  const stored = new Map(rows.map((row) => [row.name, row.value]))
  const networkName = (value: number) => FarcasterNetwork[value]?.toLowerCase() ?? `network ${value}`
  const settings = [
    { name: 'network', variable: 'HUB_NETWORK', value: network, shown: networkName },
    { name: 'shards', variable: 'HUB_SHARDS', value: shards, shown: String },
  ]
  for (const { name, variable, value, shown } of settings) {
    const found = stored.get(name)!
    if (found === value) continue
    throw new Error(
      `${variable}: this database was created with ${shown(found)}, not ${shown(value)}: set it back, or use another database`,
    )
  }
}
