import type { Fragment } from '#postgres'
import type { Transaction } from '../../platform/db/connection.js'
import { HubEventType, MessageType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import type { HubEventBody } from '../log/hub-event.js'
import { deleteCutoffs } from './link-cutoffs.js'
import type { PendingEvent, SetCount } from './state.js'
import { type StoredMessage, type StoredMessageRow, storedMessageFromRow } from './stored-message.js'
import { addToCounts, deleteCastMentions } from './write.js'

/** A set that exceeds the limit of its user's storage. */
export interface OversizedSet {
  readonly fid: number
  readonly set: MessageSet
  readonly excess: number
}

/**
 * Deletes the lowest messages, by timestamp and then hash, of sets over their limit (docs/protocol.md §4.8). Link compact
 * states count, and are deleted when nothing else is left. Returns the deleted messages and their events.
 */
export async function prune(
  db: Transaction,
  oversizedSets: readonly OversizedSet[],
): Promise<{ pruned: StoredMessage[]; events: PendingEvent[] }> {
  const others = await deleteLowest(db, oversizedSets, db`type <> ${MessageType.LINK_COMPACT_STATE}`)
  const remaining = remainingExcess(oversizedSets, others)
  const compactStates =
    remaining.length > 0
      ? await deleteLowest(db, remaining, db`type = ${MessageType.LINK_COMPACT_STATE}`)
      : []
  const pruned = [...others, ...compactStates].sort(
    (a, b) => a.fid - b.fid || a.set - b.set || a.ts - b.ts || Buffer.compare(a.hash, b.hash),
  )
  const names = pruned.filter((stored) => stored.set === MessageSet.usernameProofs)
  await Promise.all([
    addToCounts(db, prunedCounts(pruned)),
    deleteNames(db, names),
    deleteCastMentions(db, pruned),
    compactStates.length > 0 ? deleteCutoffs(db, compactStates) : null,
  ])
  return { pruned, events: pruned.map(pruneEvent) }
}

/** Deletes the lowest messages among those of a filter, up to the excess of each set, and returns them. */
async function deleteLowest(
  db: Transaction,
  oversizedSets: readonly OversizedSet[],
  filter: Fragment,
): Promise<StoredMessage[]> {
  const rows = await db<StoredMessageRow[]>`
    delete from hub.messages m
    using unnest(
      ${oversizedSets.map((oversized) => oversized.fid)}::bigint[],
      ${oversizedSets.map((oversized) => oversized.set)}::smallint[],
      ${oversizedSets.map((oversized) => oversized.excess)}::integer[]
    ) as over (fid, set, excess),
    lateral (
      select ctid
      from hub.messages
      where fid = over.fid and set = over.set and ${filter}
      order by ts, hash
      limit over.excess
    ) as lowest
    where m.ctid = lowest.ctid
    returning m.fid, m.set, m.key, m.type, m.ts, m.hash, m.message
  `
  return rows.map(storedMessageFromRow)
}

/** Returns the link sets that are over their limit still, without the messages that were deleted. */
function remainingExcess(
  oversizedSets: readonly OversizedSet[],
  deleted: readonly StoredMessage[],
): OversizedSet[] {
  return oversizedSets.flatMap((oversized) => {
    const { fid, set, excess } = oversized
    if (set !== MessageSet.links) return []
    const left = excess - deleted.filter((stored) => stored.fid === fid && stored.set === set).length
    return left > 0 ? [{ fid, set, excess: left }] : []
  })
}

function prunedCounts(pruned: readonly StoredMessage[]): SetCount[] {
  const counts = new Map<string, SetCount>()
  for (const { fid, set } of pruned) {
    const name = `${fid}/${set}`
    counts.set(name, { fid, set, count: (counts.get(name)?.count ?? 0) - 1 })
  }
  return [...counts.values()]
}

function pruneEvent(stored: StoredMessage): PendingEvent {
  const message = stored.message()
  if (stored.set !== MessageSet.usernameProofs) {
    return { fid: stored.fid, body: { type: HubEventType.PRUNE_MESSAGE, message } }
  }
  return {
    fid: stored.fid,
    body: {
      type: HubEventType.MERGE_USERNAME_PROOF,
      deletedUsernameProof: message.data.usernameProofBody,
      deletedUsernameProofMessage: message,
    },
  }
}

async function deleteNames(db: Transaction, proofs: readonly StoredMessage[]): Promise<void> {
  if (proofs.length === 0) return
  await db`
    delete from hub.username_proofs n
    using unnest(
      ${db.types.texts(proofs.map((proof) => proof.key.toString('utf8')))}::text[],
      ${db.types.byteas(proofs.map((proof) => proof.hash))}::bytea[]
    ) as pruned (name, message_hash)
    where n.name = pruned.name and n.message_hash = pruned.message_hash
  `
}

/**
 * Records hashes of pruned messages as long as the log of `day` keeps their events (`dropExpiredPartitions`).
 * @returns the hashes, in hex, that were recorded before.
 */
export async function recordPruned(
  db: Transaction,
  pruned: readonly StoredMessage[],
  day: string,
): Promise<ReadonlySet<string>> {
  const hashes = pruned.map(({ hash }) => hash)
  const rows = await db<{ hash: Buffer }[]>`
    insert into hub.pruned_messages (hash, day)
    select hash, ${day}::date from unnest(${db.types.byteas(hashes)}::bytea[]) as hash
    on conflict do nothing
    returning hash
  `
  const newlyPruned = new Set(rows.map(({ hash }) => hash.toString('hex')))
  return new Set(hashes.map((hash) => hash.toString('hex')).filter((hash) => !newlyPruned.has(hash)))
}

/**
 * Drops events of messages that were merged and pruned before and displaced nothing. Upstreams and senders
 * may repeat them any number of times; the log shows them once.
 */
export function omitRepeatedPrunes(
  events: readonly PendingEvent[],
  previouslyPruned: ReadonlySet<string>,
): readonly PendingEvent[] {
  if (previouslyPruned.size === 0) return events
  const repeated = new Set(
    events.flatMap(({ body }) => {
      const hash = mergedAlone(body)?.hash.toString('hex')
      return hash !== undefined && previouslyPruned.has(hash) ? [hash] : []
    }),
  )
  return events.filter(({ body }) => {
    const message = mergedAlone(body) ?? prunedBy(body)
    return message === undefined || !repeated.has(message.hash.toString('hex'))
  })
}

/** Returns the message whose merge an event tells of, if nothing was displaced by it. */
function mergedAlone(body: HubEventBody): SignedMessage | undefined {
  if (body.type === HubEventType.MERGE_MESSAGE)
    return body.deletedMessages.length === 0 ? body.message : undefined
  if (body.type !== HubEventType.MERGE_USERNAME_PROOF || body.deletedUsernameProof) return undefined
  return body.usernameProofMessage
}

/** Returns the message that an event of pruning tells of. */
function prunedBy(body: HubEventBody): SignedMessage | undefined {
  if (body.type === HubEventType.PRUNE_MESSAGE) return body.message
  if (body.type !== HubEventType.MERGE_USERNAME_PROOF || body.usernameProof) return undefined
  return body.deletedUsernameProofMessage
}
