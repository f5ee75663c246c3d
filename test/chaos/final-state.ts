import { rebuildInbox } from '../../src/features/notifications/refresh.js'
import { recount } from '../../src/graph/project/recount.js'
import { decodeHubEvent } from '../../src/hub/log/hub-event.js'
import { readLogEnds } from '../../src/hub/log/read.js'
import type { Database } from '../../src/platform/db/connection.js'
import { type HubEvent, MessageType } from '../../src/protocol/definitions.js'
import type { MixedLoad } from '../cluster/mixed-load.js'
import { readLog } from '../cluster/stream-reader.js'
import type { ReceivedDelivery } from '../webhooks/receiver.js'

type HubMessage = NonNullable<NonNullable<HubEvent['mergeMessageBody']>['message']>

/** What the log says after a run. */
export interface LogContents {
  /** Hashes of merged messages, in the order of the log. */
  readonly merged: readonly string[]
  /** Hashes of what the hub holds by the log. */
  readonly stored: ReadonlySet<string>
  /** Merged messages by the kind of webhook that they cause. */
  readonly countsByKind: ReadonlyMap<string, number>
}

const kindOfType = new Map([
  [MessageType.CAST_ADD, 'cast.created'],
  [MessageType.CAST_REMOVE, 'cast.deleted'],
  [MessageType.LINK_ADD, 'follow.created'],
  [MessageType.LINK_REMOVE, 'follow.deleted'],
  [MessageType.REACTION_ADD, 'reaction.created'],
  [MessageType.REACTION_REMOVE, 'reaction.deleted'],
])

/** Reads the whole log. */
export async function readLogContents(db: Database): Promise<LogContents> {
  const merged: string[] = []
  const stored = new Set<string>()
  const countsByKind = new Map<string, number>()
  for (const { event } of await readLog(db, 0)) {
    const { mergeMessageBody: body, pruneMessageBody, revokeMessageBody } = decodeHubEvent(event)
    const gone = [pruneMessageBody?.message, revokeMessageBody?.message, ...(body?.deletedMessages ?? [])]
    for (const message of gone) if (message) stored.delete(hashOf(message))
    if (!body?.message) continue
    merged.push(hashOf(body.message))
    stored.add(hashOf(body.message))
    const kind = kindOfType.get(body.message.data?.type ?? MessageType.NONE)
    if (kind) countsByKind.set(kind, (countsByKind.get(kind) ?? 0) + 1)
  }
  return { merged, stored, countsByKind }
}

function hashOf({ hash }: HubMessage): string {
  return `0x${Buffer.from(hash).toString('hex')}`
}

/** Acknowledged writes that the log does not have, and messages that it has twice. */
export function logProblems({ messages, published }: MixedLoad, { merged }: LogContents): string[] {
  const logged = new Set(merged)
  return [
    ...[...messages, ...published].filter(({ hash }) => !logged.has(hash)).map(({ hash }) => `lost ${hash}`),
    ...(logged.size === merged.length ? [] : [`${merged.length - logged.size} merged twice`]),
  ]
}

/** Differences between the log, the hub and the read model. */
export async function storeProblems(db: Database, { stored }: LogContents): Promise<string[]> {
  const rows = await db<{ hash: string }[]>`select '0x' || encode(hash, 'hex') as hash from hub.messages`
  const held = new Set(rows.map(({ hash }) => hash))
  const differences = await db<{ what: string; count: number }[]>`
    with casts as (select hash from hub.messages where type = ${MessageType.CAST_ADD}::smallint),
    likes as (select fid, count(*) as n from hub.messages where type = ${MessageType.REACTION_ADD}::smallint group by fid),
    links as (select fid, count(*) as n from hub.messages where type = ${MessageType.LINK_ADD}::smallint group by fid)
    select 'casts only of the hub' as what, count(*)::int as count from casts c
    where not exists (select from social.casts s where s.hash = c.hash)
    union all
    select 'casts only of the read model', count(*)::int from social.casts s
    where not exists (select from casts c where c.hash = s.hash)
    union all
    select 'users with other reactions', count(*)::int from likes l
    full join (select fid, count(*) as n from social.reactions group by fid) r using (fid)
    where l.n is distinct from r.n
    union all
    select 'users with other follows', count(*)::int from links l
    full join (select fid, count(*) as n from social.follows group by fid) f using (fid)
    where l.n is distinct from f.n
    union all
    select 'texts that were published twice', count(*)::int from (
      select text from social.casts group by text having count(*) > 1
    ) repeated`
  const reports = await recount(db, { shards: 1 })
  const inbox = await db.begin((transaction) => rebuildInbox(transaction))
  return [
    ...[...stored].filter((hash) => !held.has(hash)).map((hash) => `the hub lacks ${hash}`),
    ...[...held].filter((hash) => !stored.has(hash)).map((hash) => `only the hub has ${hash}`),
    ...differences.filter(({ count }) => count > 0).map(({ what, count }) => `${what}: ${count}`),
    ...reports.filter(({ wrong }) => wrong > 0).map(({ name, wrong }) => `${name}: ${wrong} wrong`),
    ...(inbox.written + inbox.removed === 0
      ? []
      : [`inbox: ${inbox.written} written, ${inbox.removed} removed`]),
  ]
}

/** Consumers that have not read the log to its end. */
export async function lateConsumers(db: Database): Promise<string[]> {
  const [end] = await readLogEnds(db, [1])
  const rows = await db<{ name: string }[]>`
    select name from hub.consumers where shard = 1 and next_id <= ${end!.lastId} order by name`
  return rows.map(({ name }) => name)
}

/** Events that were not delivered as often as the log has them, by kind. */
export function deliveryProblems(
  received: readonly ReceivedDelivery[],
  { countsByKind }: LogContents,
): string[] {
  const eventsOf = new Map<string, Set<string>>()
  for (const { body } of received) {
    eventsOf.set(body.type, (eventsOf.get(body.type) ?? new Set()).add(body.event_id))
  }
  return [...countsByKind]
    .map(([kind, count]) => ({ kind, count, found: eventsOf.get(kind)?.size ?? 0 }))
    .filter(({ count, found }) => count !== found)
    .map(({ kind, count, found }) => `${kind}: ${found} of ${count} events delivered`)
}
