import { type CastRow, castRow, quotedBy } from '../../../graph/cast-row.js'
import { insertMentions } from '../../../graph/view/text-ranges.js'
import { usernameOrPlaceholder } from '../../../graph/view/user-dehydrated.js'
import type { Queryable } from '../../../platform/db/connection.js'
import { nextTurn } from '../../../platform/process/turns.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import type { CastFacts, EventFacts } from '../matching/filter-index.js'
import type { Matcher } from '../matching/matcher.js'
import type { WebhookEvent } from './webhook-event.js'

/** An event, and the webhooks that it is for. */
export interface MatchedEvent {
  readonly event: WebhookEvent
  readonly webhookIds: readonly string[]
}

/** Events are matched for this long before other work has its turn (turns.ts). One event is not divided. */
const MAX_SLICE_MS = 1

/**
 * Matches events against subscriptions, in two statements for all of them. Drops events that match none, and reactions that name
 * a wrong author of the cast, which like such embeds refer to no cast (docs/read-model.md, "Threads").
 */
export async function matchEvents(
  db: Queryable,
  matcher: Matcher,
  events: readonly WebhookEvent[],
): Promise<MatchedEvent[]> {
  const candidates = events.filter(({ kind }) => matcher.hasSubscribers(kind))
  if (candidates.length === 0) return []
  const facts = await loadFacts(db, candidates)
  const matched: MatchedEvent[] = []
  let sliceStartMs = performance.now()
  for (const [index, event] of candidates.entries()) {
    if (performance.now() - sliceStartMs > MAX_SLICE_MS) {
      await nextTurn()
      sliceStartMs = performance.now()
    }
    const eventFacts = facts[index]
    const webhookIds = eventFacts ? matcher.match(eventFacts) : []
    if (webhookIds.length > 0) matched.push({ event, webhookIds })
  }
  return matched
}

/**
 * Loads the facts that events do not contain, with two statements for all. Returns them in the order of the events, null for
 * reactions that name a wrong author.
 */
async function loadFacts(db: Queryable, events: readonly WebhookEvent[]): Promise<(EventFacts | null)[]> {
  const casts = events.flatMap(({ subject }) => (subject.type === 'cast' ? [castRow(subject.message)] : []))
  const traders = events.flatMap(({ subject }) =>
    subject.type === 'trade' && subject.fid !== null ? [subject.fid] : [],
  )
  const fids = new Set([...casts.flatMap((cast) => [cast.fid, ...cast.mentions]), ...traders])
  const reactedHashes = events.flatMap(({ subject }) =>
    subject.type === 'reaction' ? [bytesOfHex(subject.targetHash)] : [],
  )
  const hashes = casts.flatMap((cast) => [
    cast.hash,
    ...(cast.parentHash ? [cast.parentHash] : []),
    ...quotedBy(cast).map(({ hash }) => hash),
  ])
  const [users, stored] = await Promise.all([
    fids.size === 0 ? [] : loadUsers(db, [...fids]),
    hashes.length + reactedHashes.length === 0 ? [] : loadCasts(db, [...hashes, ...reactedHashes]),
  ])
  const sources = {
    users: new Map(users.map((user) => [user.fid, user])),
    authors: new Map(stored.map(({ fid, hash }) => [hash.toString('hex'), fid])),
    // Grows by the roots that are found, or a chain of replies would be walked for each of them.
    roots: new Map(stored.map(({ fid, hash, root }) => [castName(fid, hash), root])),
    casts: new Map(casts.map((cast) => [castName(cast.fid, cast.hash), cast])),
  }
  return events.map((event) => factsOf(event, sources))
}

interface UserRow {
  readonly fid: number
  readonly username: string | null
  readonly score: number | null
}

function loadUsers(db: Queryable, fids: readonly number[]): PromiseLike<UserRow[]> {
  return db<UserRow[]>`
    select fid, username, score from social.users where fid = any (${[...fids]}::bigint[])`
}

interface StoredCastRow {
  readonly fid: number
  readonly hash: Buffer
  /** Parent URL of the thread's root. */
  readonly root: string | null
}

function loadCasts(db: Queryable, hashes: readonly Buffer[]): PromiseLike<StoredCastRow[]> {
  return db<StoredCastRow[]>`
    select fid, hash, root_parent_url as root
    from social.casts
    where hash = any (${db.types.byteas(hashes)}::bytea[])`
}

/** A cast with its author: a reply that names another author is below no stored cast. */
function castName(fid: number, hash: Buffer): string {
  return `${fid}:${hash.toString('hex')}`
}

interface FactSources {
  readonly users: ReadonlyMap<number, UserRow>
  /** Authors of stored casts by hash. */
  readonly authors: ReadonlyMap<string, number>
  /** Root parent URLs of stored casts by `castName`. */
  readonly roots: Map<string, string | null>
  /** Casts of the events by `castName`, also those that are deleted. */
  readonly casts: ReadonlyMap<string, CastRow>
}

function factsOf({ kind, subject }: WebhookEvent, sources: FactSources): EventFacts | null {
  if (subject.type === 'cast') return castFacts(kind as CastFacts['kind'], castRow(subject.message), sources)
  if (subject.type === 'reaction') {
    const { targetFid, targetHash } = subject
    const isOfCast = mayBeCast({ fid: targetFid, hash: targetHash.slice(2) }, sources)
    return isOfCast ? ({ kind, ...subject } as EventFacts) : null
  }
  if (subject.type !== 'trade') return { kind, ...subject } as EventFacts
  const { fid, amountUsdc } = subject
  const traderScore = (fid === null ? null : sources.users.get(fid)?.score) ?? 0
  return { kind: 'trade.created', fid, amountUsdc, traderScore }
}

/** False if the cast with that hash, hex without 0x, is of somebody else. Without a stored cast nothing contradicts the author. */
function mayBeCast(
  { fid, hash }: { readonly fid: number; readonly hash: string },
  { authors }: FactSources,
): boolean {
  return (authors.get(hash) ?? fid) === fid
}

function castFacts(kind: CastFacts['kind'], cast: CastRow, sources: FactSources): CastFacts {
  const quoted = quotedBy(cast)
    .map(({ fid, hash }) => ({ fid, hash: hash.toString('hex') }))
    .filter((embed) => mayBeCast(embed, sources))
  const parentHash = cast.parentHash?.toString('hex') ?? null
  const { text } = insertMentions(cast.text, cast.mentions, cast.mentionPositions, (fid) => {
    const user = sources.users.get(fid)
    return user && usernameOrPlaceholder(user)
  })
  return {
    kind,
    authorFid: cast.fid,
    authorScore: sources.users.get(cast.fid)?.score ?? 0,
    mentionedFids: cast.mentions,
    parentFid: cast.parentFid,
    parentHash: parentHash === null ? null : `0x${parentHash}`,
    parentUrl: cast.parentUrl,
    rootParentUrl: rootParentUrlOf(cast, sources),
    embeddedFids: quoted.map(({ fid }) => fid),
    embeddedHashes: quoted.map(({ hash }) => `0x${hash}`),
    embeddedUrls: cast.embeds.flatMap((embed) => ('url' in embed ? [embed.url] : [])),
    text,
  }
}

/**
 * The root of a cast, null where it is unknown. A deleted cast has no thread: that of its parent counts, which may be deleted with
 * it, as when somebody deletes all their casts.
 */
function rootParentUrlOf(cast: CastRow, { roots, casts }: FactSources): string | null {
  const below: string[] = []
  let at: CastRow | undefined = cast
  let name = castName(cast.fid, cast.hash)
  while (at !== undefined && at.parentHash !== null && !roots.has(name)) {
    below.push(name)
    name = castName(at.parentFid!, at.parentHash)
    at = casts.get(name)
  }
  const root = roots.get(name) ?? at?.parentUrl ?? null
  for (const each of below) roots.set(each, root)
  return root
}
