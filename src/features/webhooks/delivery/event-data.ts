import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { castRow } from '../../../graph/cast-row.js'
import type { Json } from '../../../graph/view/json.js'
import type { CastDehydrated } from '../../../graph/view/schema/cast.js'
import { MAX_INT32 } from '../../../graph/view/schema/primitives.js'
import type { UserDehydrated } from '../../../graph/view/schema/user-dehydrated.js'
import type { Database } from '../../../platform/db/connection.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import type { EventSubject, ReactionSubject, WebhookEvent } from '../events/webhook-event.js'

/** Dependencies of the renderer of event data. */
export interface EventRenderContext {
  readonly db: Database
  readonly hydrator: Hydrator
}

/** An event, and the moment at which the server detected it. */
type RenderedEvent = WebhookEvent & { readonly detectedAt: Date }

/**
 * Renders the member `data` of bodies, as JSON, by the id of the event: casts, users, follows and reactions as the API
 * shows them without a viewer. Takes a few statements for all events.
 */
export async function renderEventData(
  context: EventRenderContext,
  events: readonly RenderedEvent[],
): Promise<Map<string, string>> {
  const [casts, dehydratedUsers, users, targets] = await Promise.all([
    loadCastViews(context, events),
    context.hydrator.dehydratedUsers(events.flatMap(({ subject }) => fidsToDehydrate(subject))),
    // The data is stored for all attempts, so it must have the change that it tells of.
    context.hydrator.storedUsers(
      events.flatMap(({ subject }) => (subject.type === 'user' ? [subject.fid] : [])),
    ),
    loadReactionTargets(
      context,
      events.flatMap(({ subject }) => (subject.type === 'reaction' ? [subject] : [])),
    ),
  ])
  const dehydratedUser = (fid: number): UserDehydrated => dehydratedUsers.get(fid) ?? unknownUser(fid)

  /** The cast that a reaction names with its author; undefined if it is not stored. */
  function storedTarget({ targetHash, targetFid }: ReactionSubject): CastDehydrated | undefined {
    const cast = targets.get(targetHash)
    return cast?.author?.fid === targetFid ? cast : undefined
  }

  function dataOf({ kind, subject, happenedAt, detectedAt }: RenderedEvent): string {
    const happened = happenedAt === null ? detectedAt : new Date(Math.round(happenedAt * 1000))
    const times = { event_timestamp: detectedAt.toISOString(), timestamp: happened.toISOString() }
    switch (subject.type) {
      case 'cast':
        return (
          casts.get(subject.message.hash.toString('hex'))?.toString() ?? JSON.stringify(unknownCast(subject))
        )
      case 'user':
        return users.get(subject.fid)?.toString() ?? JSON.stringify(unknownUser(subject.fid))
      case 'follow':
        return JSON.stringify({
          object: kind === 'follow.created' ? 'follow' : 'unfollow',
          ...times,
          user: dehydratedUser(subject.fid),
          target_user: dehydratedUser(subject.targetFid),
        })
      case 'reaction':
        return JSON.stringify({
          object: 'reaction',
          ...times,
          reaction_type: subject.reactionType,
          user: dehydratedUser(subject.fid),
          cast: storedTarget(subject) ?? {
            object: 'cast_dehydrated',
            hash: subject.targetHash,
            // Clients decode fids as int32, and no user has another: without its author the body stays valid.
            ...(subject.targetFid <= MAX_INT32 ? { author: dehydratedUser(subject.targetFid) } : {}),
            app: null,
          },
        })
      case 'trade':
        return JSON.stringify({
          object: 'trade',
          trader: subject.fid === null ? null : dehydratedUser(subject.fid),
          ...subject.data,
        })
    }
  }

  return new Map(events.map((event) => [event.id, dataOf(event)]))
}

/** Renders stored casts as the API shows them, and deleted ones from their messages. */
async function loadCastViews(
  context: EventRenderContext,
  events: readonly RenderedEvent[],
): Promise<ReadonlyMap<string, Json>> {
  const messages = new Map(
    events.flatMap(({ subject }) =>
      subject.type === 'cast' ? [[subject.message.hash.toString('hex'), subject.message] as const] : [],
    ),
  )
  if (messages.size === 0) return new Map()
  const stored = await context.hydrator.casts([...messages.keys()])
  const deleted = [...messages].flatMap(([hash, message]) => (stored.has(hash) ? [] : [castRow(message)]))
  const rendered = await context.hydrator.castSnapshots(deleted)
  return new Map([...stored, ...rendered])
}

function fidsToDehydrate(subject: EventSubject): number[] {
  if (subject.type === 'follow') return [subject.fid, subject.targetFid]
  if (subject.type === 'reaction') return [subject.fid, subject.targetFid]
  return subject.type === 'trade' && subject.fid !== null ? [subject.fid] : []
}

/** Loads the casts that reactions are about, by hash, as far as they are stored. */
async function loadReactionTargets(
  { db, hydrator }: EventRenderContext,
  reactions: readonly ReactionSubject[],
): Promise<Map<string, CastDehydrated>> {
  if (reactions.length === 0) return new Map()
  const hashes = [...new Set(reactions.map(({ targetHash }) => targetHash))]
  const rows = await db<{ hash: `0x${string}`; fid: number; appFid: number | null }[]>`
    select '0x' || encode(c.hash, 'hex') as hash, c.fid, a.app_fid as "appFid"
    from social.casts c
    left join social.signer_apps a on a.fid = c.fid and a.key = c.signer
    where c.hash = any (${db.types.byteas(hashes.map(bytesOfHex))}::bytea[])`
  const users = await hydrator.dehydratedUsers(
    rows.flatMap(({ fid, appFid }) => (appFid === null ? [fid] : [fid, appFid])),
  )
  return new Map(
    rows.map(({ hash, fid, appFid }) => [
      hash,
      {
        object: 'cast_dehydrated',
        hash,
        author: users.get(fid) ?? unknownUser(fid),
        app: (appFid === null ? null : users.get(appFid)) ?? null,
      },
    ]),
  )
}

/** Stands in for a user that is not stored, as in a hub that follows a part of the network. */
function unknownUser(fid: number): UserDehydrated {
  return { object: 'user_dehydrated', fid, username: `!${fid}`, display_name: null, pfp_url: null }
}

/** Stands in for a cast whose author is not stored any more. */
function unknownCast({ message }: Extract<EventSubject, { type: 'cast' }>) {
  return {
    object: 'cast_dehydrated',
    hash: `0x${message.hash.toString('hex')}`,
    author: unknownUser(message.data.fid),
    app: null,
  }
}
