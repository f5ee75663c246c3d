import { type CastRow, castRow } from '../../../graph/project/casts.js'
import { insertMentions } from '../../../graph/view/text-ranges.js'
import { usernameOrPlaceholder } from '../../../graph/view/user-dehydrated.js'
import type { Queryable } from '../../../platform/db/connection.js'
import type { EventFacts } from '../matching/facts.js'
import type { WebhookEvent } from './webhook-event.js'

/** Loads the facts that events do not contain, with two statements for all. Returns them in the order of the events. */
export async function loadFacts(db: Queryable, events: readonly WebhookEvent[]): Promise<EventFacts[]> {
  const casts = events.flatMap(({ subject }) => (subject.type === 'cast' ? [castRow(subject.message)] : []))
  const traders = events.flatMap(({ subject }) =>
    subject.type === 'trade' && subject.fid !== null ? [subject.fid] : [],
  )
  const fids = new Set([...casts.flatMap((cast) => [cast.fid, ...cast.mentions]), ...traders])
  const hashes = casts.flatMap((cast) => [cast.hash, ...(cast.parentHash ? [cast.parentHash] : [])])
  const [users, roots] = await Promise.all([
    fids.size === 0 ? new Map<number, UserRow>() : loadUsers(db, [...fids]),
    hashes.length === 0 ? new Map<string, string | null>() : loadRoots(db, hashes),
  ])
  return events.map((event) => factsOf(event, { users, roots }))
}

interface UserRow {
  readonly fid: number
  readonly username: string | null
  readonly score: number | null
}

async function loadUsers(db: Queryable, fids: readonly number[]): Promise<Map<number, UserRow>> {
  const rows = await db<UserRow[]>`
    select fid, username, score from social.users where fid = any (${[...fids]}::bigint[])`
  return new Map(rows.map((row) => [row.fid, row]))
}

/** Returns the root parent URL of each stored cast, by hash in hex without 0x. */
async function loadRoots(db: Queryable, hashes: readonly Buffer[]): Promise<Map<string, string | null>> {
  const rows = await db<{ hash: string; root: string | null }[]>`
    select encode(hash, 'hex') as hash, root_parent_url as root
    from social.casts
    where hash = any (${db.types.byteas(hashes)}::bytea[])`
  return new Map(rows.map(({ hash, root }) => [hash, root]))
}

interface FactSources {
  readonly users: ReadonlyMap<number, UserRow>
  readonly roots: ReadonlyMap<string, string | null>
}

function factsOf({ kind, subject }: WebhookEvent, { users, roots }: FactSources): EventFacts {
  switch (subject.type) {
    case 'cast':
      return castFacts(kind as 'cast.created', castRow(subject.message), { users, roots })
    case 'follow':
      return { kind: kind as 'follow.created', fid: subject.fid, targetFid: subject.targetFid }
    case 'reaction':
      return {
        kind: kind as 'reaction.created',
        fid: subject.fid,
        targetFid: subject.targetFid,
        targetHash: subject.targetHash,
      }
    case 'trade':
      return {
        kind: 'trade.created',
        fid: subject.fid,
        amountUsdc: subject.amountUsdc,
        traderScore: (subject.fid === null ? null : users.get(subject.fid)?.score) ?? 0,
      }
    case 'user':
      return { kind: kind as 'user.created', fid: subject.fid }
  }
}

function castFacts(
  kind: 'cast.created' | 'cast.deleted',
  cast: CastRow,
  { users, roots }: FactSources,
): EventFacts {
  const quoted = cast.embeds.flatMap((embed) => ('hash' in embed ? [embed] : []))
  const parentHash = cast.parentHash?.toString('hex') ?? null
  const { text } = insertMentions(cast.text, cast.mentions, cast.mentionPositions, (fid) => {
    const user = users.get(fid)
    return user && usernameOrPlaceholder(user)
  })
  return {
    kind,
    authorFid: cast.fid,
    authorScore: users.get(cast.fid)?.score ?? 0,
    mentionedFids: cast.mentions,
    parentFid: cast.parentFid,
    parentHash: parentHash === null ? null : `0x${parentHash}`,
    parentUrl: cast.parentUrl,
    // A deleted cast has no thread; then its parent's thread counts.
    rootParentUrl:
      roots.get(cast.hash.toString('hex')) ??
      cast.parentUrl ??
      (parentHash === null ? null : (roots.get(parentHash) ?? null)),
    embeddedFids: quoted.map(({ fid }) => fid),
    embeddedHashes: quoted.map(({ hash }) => hash),
    embeddedUrls: cast.embeds.flatMap((embed) => ('url' in embed ? [embed.url] : [])),
    text,
  }
}
