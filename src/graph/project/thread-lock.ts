import { MessageType } from '@farcaster/core'
import type { Transaction } from '../../platform/db/connection.js'
import type { SignedMessage } from '../../protocol/message.js'
import { type NetChanges, ofType } from './net-changes.js'

/** A constant that nothing else in the database locks: the bytes of "thread". */
const THREAD_LOCK = 0x746872656164

/**
 * Locks threads until the transaction ends. Threads cross shards, whose writers do not see each other's
 * uncommitted rows: a reply and its parent that are merged at once would miss each other. A merge that moves
 * threads takes the lock exclusively: removals, replies whose parent is missing, and casts that replies wait
 * for. All other merges, the bulk, share it. Reads after it see every committed thread.
 */
export async function lockThreads(db: Transaction, changes: NetChanges): Promise<void> {
  const added = ofType(changes.added, MessageType.CAST_ADD)
  const hasRemoved = changes.removed.some(({ data }) => data.type === MessageType.CAST_ADD)
  if (added.length === 0 && !hasRemoved) return
  // Checked before: two transactions that share the lock and then both want it exclusively would deadlock.
  if (!hasRemoved && !(await affectsThreads(db, added))) {
    const [, moves] = await Promise.all([
      db`select pg_advisory_xact_lock_shared(${THREAD_LOCK}::bigint)`,
      affectsThreads(db, added),
    ])
    if (!moves) return
  }
  await db`select pg_advisory_xact_lock(${THREAD_LOCK}::bigint)`
}

/** Whether a parent of these casts is missing, or a reply to one is stored already. */
async function affectsThreads(db: Transaction, added: readonly SignedMessage[]): Promise<boolean> {
  const insertedHashes = new Set(added.map(({ hash }) => hash.toString('hex')))
  const parents = added.flatMap(({ data }) => {
    const parent = data.castAddBody!.parentCastId
    return parent && !insertedHashes.has(Buffer.from(parent.hash).toString('hex')) ? [parent] : []
  })
  const [row] = await db<{ moves: boolean }[]>`
    select exists (
      select from unnest(
        ${db.types.byteas(parents.map(({ hash }) => hash))}::bytea[],
        ${parents.map(({ fid }) => fid)}::bigint[]
      ) as parent (hash, fid)
      left join casts c on c.hash = parent.hash and c.fid = parent.fid
      where c.hash is null
    ) or exists (
      select from casts
      where parent_hash = any (${db.types.byteas(added.map(({ hash }) => hash))}::bytea[])
    ) as moves
  `
  return row?.moves ?? false
}
