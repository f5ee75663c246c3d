import type { Fragment } from '#postgres'
import type { Transaction } from '../../platform/db/connection.js'
import { inPipeline } from '../../platform/db/pipeline.js'
import { MessageType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { type NetChanges, ofType } from './net-changes.js'

/** A constant that nothing else in the database locks: the bytes of "thread". */
const THREAD_LOCK = 0x746872656164

/** The lock of the threads, held until the transaction ends. */
export interface ThreadLock {
  /** Threads may move under `exclusive` alone: else no stored reply waits for an added cast. `none`: there are no casts. */
  readonly mode: 'none' | 'shared' | 'exclusive'
}

/**
 * Locks threads until the transaction ends. Threads cross shards, whose writers do not see each other's
 * uncommitted rows: a reply and its parent that are merged at once would miss each other. A merge that moves
 * threads takes the lock exclusively: removals, replies whose parent is missing, and casts that replies wait
 * for. All other merges, the bulk, share it. Reads after it see every committed thread.
 */
export async function lockThreads(db: Transaction, changes: NetChanges): Promise<ThreadLock> {
  const added = ofType(changes.added, MessageType.CAST_ADD)
  const hasRemoved = changes.removed.some(({ data }) => data.type === MessageType.CAST_ADD)
  if (added.length === 0 && !hasRemoved) return { mode: 'none' }
  if (!hasRemoved) {
    // Decides before it locks: two transactions that share the lock and then both want it exclusively would deadlock.
    const [[before], [after]] = await inPipeline([
      db<{ move: boolean }[]>`
        select
          move,
          case
            when move then pg_advisory_xact_lock(${THREAD_LOCK}::bigint)
            else pg_advisory_xact_lock_shared(${THREAD_LOCK}::bigint)
          end::text
        from (select ${movesThreads(db, added)} as move offset 0) threads
      `,
      db<{ move: boolean }[]>`select ${movesThreads(db, added)} as move`,
    ])
    if (before?.move) return { mode: 'exclusive' }
    if (!after?.move) return { mode: 'shared' }
  }
  await lockThreadsExclusively(db)
  return { mode: 'exclusive' }
}

/** Keeps all other merges of casts away until the transaction ends. */
export async function lockThreadsExclusively(db: Transaction): Promise<void> {
  await db`select pg_advisory_xact_lock(${THREAD_LOCK}::bigint)`
}

/** SQL for whether a parent of these casts is missing, or a reply to one is stored already. */
function movesThreads(db: Transaction, added: readonly SignedMessage[]): Fragment {
  const insertedHashes = new Set(added.map(({ hash }) => hash.toString('hex')))
  const parents = added.flatMap(({ data }) => {
    const parent = data.castAddBody!.parentCastId
    return parent && !insertedHashes.has(Buffer.from(parent.hash).toString('hex')) ? [parent] : []
  })
  return db`
    (
      exists (
        select from unnest(
          ${db.types.byteas(parents.map(({ hash }) => hash))}::bytea[],
          ${parents.map(({ fid }) => fid)}::bigint[]
        ) as parent (hash, fid)
        left join casts c on c.hash = parent.hash and c.fid = parent.fid
        where c.hash is null
      ) or exists (
        select from casts
        where parent_hash = any (${db.types.byteas(added.map(({ hash }) => hash))}::bytea[])
      )
    )
  `
}
