import type { Hex } from 'viem'
import type { Database, Queryable, Transaction } from '../../platform/db/connection.js'
import { isWorkerDead } from '../../platform/db/worker-lock.js'
import type { HandledBlock } from './log-range.js'

/** Another process holds the follower, or its cursor moved. */
export class LeaseLost extends Error {}

/** A follower leased to this process. */
export interface Lease {
  readonly follower: string
  /** Id of the process, or of a run of a follower. Its session lock tells others that it lives. */
  readonly holder: string
}

/** The position of a follower. */
export interface Position {
  /** The first block that is not handled. */
  readonly nextBlock: number
  /** The last handled block; null before the first. */
  readonly before: HandledBlock | null
}

/** For a holder that hangs: it renews every 2 s. One that dies loses its session lock, and its leases at once. */
const LEASE_SECONDS = 8

/** Chain, contracts and first block of a follower. */
export interface LeaseRequest {
  readonly chainId: number
  /** Contracts that must be read from the first block, in lower case; empty if any start is fine. */
  readonly contracts: readonly Hex[]
  /** Returns the first block, for a new follower or a new contract. */
  firstBlock(): Promise<number>
  /** The same where it is a setting: the follower begins anew for a lower one than before. */
  readonly configuredFirstBlock?: number | undefined
}

/**
 * Takes or renews the lease of a follower; null if another process holds it. It begins anew for a new contract, and for a lower
 * configured first block: what it handles twice must do no harm.
 * @throws Error if the cursor belongs to another chain.
 */
export async function acquireLease(
  db: Database,
  lease: Lease,
  request: LeaseRequest,
): Promise<Position | null> {
  const { chainId, contracts, configuredFirstBlock = null } = request
  const row = (await updateLease(db, lease)) ?? (await insertLease(db, lease, request))
  const { chain_id, next_block, first_block, contracts: read, number, hash, is_mine } = row
  if (chain_id !== chainId) throw chainChanged(lease.follower, chain_id, chainId)
  if (!is_mine) return null
  const isLower = configuredFirstBlock !== null && first_block !== null && configuredFirstBlock < first_block
  if (isLower || contracts.some((contract) => !read.includes(contract))) {
    const nextBlock = Math.min(next_block, await request.firstBlock())
    await restart(db, lease, { nextBlock, firstBlock: configuredFirstBlock, contracts })
    return { nextBlock, before: null }
  }
  // Its logs are no longer read: when it is added again, it is new. And versions before did not write the first block down.
  const isUnknown = configuredFirstBlock !== null && first_block === null
  if (isUnknown || read.some((contract) => !contracts.includes(contract)))
    await saveStart(db, lease, { firstBlock: first_block ?? configuredFirstBlock, contracts })
  return { nextBlock: next_block, before: number === null || hash === null ? null : { number, hash } }
}

async function insertLease(
  db: Database,
  lease: Lease,
  { chainId, contracts, firstBlock, configuredFirstBlock }: LeaseRequest,
): Promise<LeaseRow> {
  await db`
    insert into chain.followers (name, chain_id, next_block, first_block, contracts)
    values (
      ${lease.follower}, ${chainId}::bigint, ${await firstBlock()}::bigint, ${configuredFirstBlock ?? null}::bigint,
      ${db.types.texts(contracts)}::text[]
    )
    on conflict do nothing
  `
  return (await updateLease(db, lease))!
}

function chainChanged(follower: string, stored: number, configured: number): Error {
  return new Error(
    `${follower} followed chain ${stored} and is now configured for chain ${configured}: set CHAIN_IDS and the RPC URLs back, or begin ` +
      `with an empty database, as what was read of chain ${stored} stays here (docs/chains.md, "Change the chain")`,
  )
}

/** The contracts that a follower reads, and the configured first block that they are read from. */
interface FollowerStart {
  readonly firstBlock: number | null
  readonly contracts: readonly Hex[]
}

/** Lets all contracts begin at a block: they are read together. */
async function restart(
  db: Database,
  lease: Lease,
  { nextBlock, ...start }: FollowerStart & { readonly nextBlock: number },
): Promise<void> {
  const { follower, holder } = lease
  await db.begin(async (transaction) => {
    await saveStart(transaction, lease, start)
    await transaction`
      update chain.followers set next_block = ${nextBlock}::bigint
      where name = ${follower} and leased_by = ${holder}::uuid
    `
    await transaction`delete from chain.blocks where follower = ${follower}`
  })
}

async function saveStart(
  db: Queryable,
  { follower, holder }: Lease,
  { firstBlock, contracts }: FollowerStart,
): Promise<void> {
  await db`
    update chain.followers set first_block = ${firstBlock}::bigint, contracts = ${db.types.texts(contracts)}::text[]
    where name = ${follower} and leased_by = ${holder}::uuid
  `
}

interface LeaseRow {
  readonly chain_id: number
  readonly next_block: number
  readonly first_block: number | null
  readonly number: number | null
  readonly hash: Hex | null
  readonly contracts: readonly Hex[]
  readonly is_mine: boolean
}

async function updateLease(db: Database, { follower, holder }: Lease): Promise<LeaseRow | undefined> {
  const [row] = await db<LeaseRow[]>`
    with current as (
      select name,
        leased_by = ${holder}::uuid or leased_until < now() or ${isWorkerDead(db, db`leased_by`)} as is_mine
      from chain.followers
      where name = ${follower}
      for update
    ), leased as (
      update chain.followers f
      set leased_by = case when coalesce(current.is_mine, true) then ${holder}::uuid else f.leased_by end,
          leased_until = case when coalesce(current.is_mine, true)
            then now() + make_interval(secs => ${LEASE_SECONDS}) else f.leased_until end
      from current
      where f.name = current.name
      returning f.name, f.chain_id, f.next_block, f.first_block, f.contracts, f.leased_by
    )
    select t.chain_id, t.next_block, t.first_block, t.contracts, b.number, '0x' || encode(b.hash, 'hex') as hash,
      t.leased_by = ${holder}::uuid as is_mine
    from leased t
    left join lateral (
      select number, hash from chain.blocks where follower = t.name order by number desc limit 1
    ) b on true
  `
  return row
}

/** Renews the lease of a follower, if it is still this holder's. */
export async function renewLease(db: Database, { follower, holder }: Lease): Promise<void> {
  await db`
    update chain.followers set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where name = ${follower} and leased_by = ${holder}::uuid
  `
}

/** Releases a follower, so that another process need not wait for the lease to expire. */
export async function releaseLease(db: Database, { follower, holder }: Lease): Promise<void> {
  await db`
    update chain.followers
    set leased_by = null, leased_until = '-infinity'
    where name = ${follower} and leased_by = ${holder}::uuid
  `
}

/** Saves the newest block of the chain. */
export async function recordHead(db: Queryable, follower: string, head: number): Promise<void> {
  await db`
    update chain.followers set head = ${head}::bigint
    where name = ${follower} and head is distinct from ${head}::bigint
  `
}

/** A move of a cursor. */
export interface CursorMove {
  /** Required current position. */
  readonly from: number
  readonly to: number
  /** Handled blocks to remember, for the detection of reorganizations. */
  readonly blocks: readonly HandledBlock[]
  /** Remembered blocks below this one are deleted, except the newest of them. */
  readonly pruneBelow: number
  readonly head: number
}

/** Moves the cursor forward. @throws LeaseLost if it moved, or if another process holds it. */
export async function advanceCursor(
  db: Transaction,
  lease: Lease,
  { from, to, blocks, pruneBelow, head }: CursorMove,
): Promise<void> {
  await updateNextBlock(db, lease, { from, to, head })
  await db`
    insert into chain.blocks (follower, number, hash)
    select ${lease.follower}, *
    from unnest(
      ${blocks.map(({ number }) => number)}::bigint[],
      ${db.types.byteas(blocks.map(({ hash }) => Buffer.from(hash.slice(2), 'hex')))}::bytea[]
    )
  `
  await db`
    delete from chain.blocks
    where follower = ${lease.follower} and number < (
      select max(number) from chain.blocks where follower = ${lease.follower} and number <= ${pruneBelow}::bigint
    )
  `
}

/** Moves the cursor back to `to`, to handle these blocks again. @throws LeaseLost like `advanceCursor`. */
export async function rewindCursor(
  db: Transaction,
  lease: Lease,
  move: { readonly from: number; readonly to: number; readonly head: number },
): Promise<void> {
  await updateNextBlock(db, lease, move)
  await db`delete from chain.blocks where follower = ${lease.follower} and number >= ${move.to}::bigint`
}

async function updateNextBlock(
  db: Transaction,
  { follower, holder }: Lease,
  { from, to, head }: { readonly from: number; readonly to: number; readonly head: number },
): Promise<void> {
  const moved = await db`
    update chain.followers
    set next_block = ${to}::bigint, head = ${head}::bigint
    where name = ${follower} and leased_by = ${holder}::uuid and next_block = ${from}::bigint
    returning name
  `
  if (moved.length === 0) throw new LeaseLost(`the lease of ${follower} is lost`)
}

/** Returns the remembered blocks, newest first. */
export async function readHandledBlocks(db: Queryable, follower: string): Promise<HandledBlock[]> {
  return await db<HandledBlock[]>`
    select number, '0x' || encode(hash, 'hex') as hash
    from chain.blocks
    where follower = ${follower}
    order by number desc
  `
}
