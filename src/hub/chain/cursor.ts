import type { Hex } from 'viem'
import type { Database, Queryable, Transaction } from '../../platform/db/connection.js'
import type { HandledBlock } from './log-range.js'

/** Somebody else has the follower by now, or it has been moved. */
export class LeaseLost extends Error {}

/** A follower that is leased to this process. */
export interface Lease {
  readonly follower: string
  /** Who has it: one id for each run of a follower. */
  readonly holder: string
}

/** Where a follower stands. */
export interface Position {
  /** The first block that has not been handled. */
  readonly nextBlock: number
  /** The last block that was handled; null before the first. */
  readonly before: HandledBlock | null
}

/** Longer than a step takes; a process that dies keeps the others waiting for so long. */
const LEASE_SECONDS = 60

/** What a follower is to follow. */
export interface LeaseRequest {
  readonly chainId: number
  /** Contracts that are to be read from the first block on, in lower case; empty where it does not matter. */
  readonly contracts: readonly Hex[]
  /** Where it begins: asked when it has no cursor, or none for one of the contracts. */
  firstBlock(): Promise<number>
}

/**
 * Takes a follower, or keeps it.
 *
 * @returns null when another process has it.
 * @throws Error when it was following another chain: its cursor means nothing on this one.
 */
export async function acquireLease(
  db: Database,
  lease: Lease,
  { chainId, contracts, firstBlock }: LeaseRequest,
): Promise<Position | null> {
  let row = await updateLease(db, lease)
  if (row === undefined) {
    await db`
      insert into chain.followers (name, chain_id, next_block, contracts)
      values (
        ${lease.follower}, ${chainId}::bigint, ${await firstBlock()}::bigint, ${db.types.texts(contracts)}::text[]
      )
      on conflict do nothing
    `
    row = await updateLease(db, lease)
  }
  const { chain_id, next_block, contracts: read, number, hash, is_mine } = row!
  if (chain_id !== chainId) {
    throw new Error(`${lease.follower} has followed chain ${chain_id}, and is to follow chain ${chainId} now`)
  }
  if (!is_mine) return null
  if (contracts.some((contract) => !read.includes(contract))) {
    const nextBlock = Math.min(next_block, await firstBlock())
    await restartCursor(db, lease, nextBlock, contracts)
    return { nextBlock, before: null }
  }
  return { nextBlock: next_block, before: number === null || hash === null ? null : { number, hash } }
}

interface LeaseRow {
  readonly chain_id: number
  readonly next_block: number
  readonly number: number | null
  readonly hash: Hex | null
  readonly contracts: readonly string[]
  readonly is_mine: boolean
}

/** A contract has come to those that are read: all are read from the first block, since they are read together. */
async function restartCursor(
  db: Database,
  { follower, holder }: Lease,
  nextBlock: number,
  contracts: readonly string[],
): Promise<void> {
  await db.begin(async (transaction) => {
    await transaction`
      update chain.followers
      set next_block = ${nextBlock}::bigint, contracts = ${transaction.types.texts(contracts)}::text[]
      where name = ${follower} and leased_by = ${holder}::uuid
    `
    await transaction`delete from chain.blocks where follower = ${follower}`
  })
}

async function updateLease(db: Database, { follower, holder }: Lease): Promise<LeaseRow | undefined> {
  const [row] = await db<LeaseRow[]>`
    with current as (
      select name, leased_by = ${holder}::uuid or leased_until < now() as is_mine
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
      returning f.name, f.chain_id, f.next_block, f.contracts, f.leased_by
    )
    select t.chain_id, t.next_block, t.contracts, b.number, '0x' || encode(b.hash, 'hex') as hash,
      t.leased_by = ${holder}::uuid as is_mine
    from leased t
    left join lateral (
      select number, hash from chain.blocks where follower = t.name order by number desc limit 1
    ) b on true
  `
  return row
}

/** Lets go of a follower, so that another process need not wait for the lease to run out. */
export async function releaseLease(db: Database, { follower, holder }: Lease): Promise<void> {
  await db`
    update chain.followers
    set leased_by = null, leased_until = '-infinity'
    where name = ${follower} and leased_by = ${holder}::uuid
  `
}

/** Writes down how far the chain is. */
export async function recordHead(db: Queryable, follower: string, head: number): Promise<void> {
  await db`
    update chain.followers set head = ${head}::bigint
    where name = ${follower} and head is distinct from ${head}::bigint
  `
}

/** What moves a cursor. */
export interface CursorMove {
  /** Where it has to stand. */
  readonly from: number
  readonly to: number
  /** Blocks that have been handled and may be asked for again. */
  readonly blocks: readonly HandledBlock[]
  /** Blocks below this one are of no use any more, but for the newest of them. */
  readonly pruneBelow: number
  readonly head: number
}

/** Moves the cursor on. @throws LostLease when it is not where it was, or not ours. */
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

/** Moves the cursor back to `to`, which is to be handled anew. @throws LostLease like `moveOn`. */
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
  if (moved.length === 0) throw new LeaseLost(`${follower} is not ours any more`)
}

/** The blocks that were handled and are remembered, the newest first. */
export async function readHandledBlocks(db: Queryable, follower: string): Promise<HandledBlock[]> {
  return await db<HandledBlock[]>`
    select number, '0x' || encode(hash, 'hex') as hash
    from chain.blocks
    where follower = ${follower}
    order by number desc
  `
}
