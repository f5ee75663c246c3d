import type { HubEventBody } from '../../../hub/log/hub-event.js'
import { HOUR_SECONDS } from '../../../platform/durations.js'
import { HubEventType, MessageType, ReactionType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { castRow, quotedBy } from '../../cast-row.js'
import { netChanges } from '../../project/net-changes.js'
import type { CommittedBlock, LogState } from '../block-sequence.js'
import { AffinityScores } from './affinity-scores.js'
import { type CastCounter, CastTable, castCounter, castFlag } from './cast-table.js'
import { entryKind, type FeedEntry, FeedEntryList, FeedEntryTable } from './feed-entries.js'
import { OldLikes } from './old-likes.js'
import { SignalCache } from './signal-cache.js'
import { Timeline } from './timeline.js'
import { UserTable } from './user-table.js'

/** Activity of a user, newest last. */
export interface Activity {
  /** Casts and recasts. */
  readonly feed: FeedEntryList
  /**
   * The recasts alone: without this list, a search for the latest five would walk over all casts of a user who recasts
   * little.
   */
  readonly recasts: FeedEntryList
  readonly likes: FeedEntryList
}

/** Likes, recasts, replies and quotes. */
export type Counts = readonly [likes: number, recasts: number, replies: number, quotes: number]

/** A stored cast. */
export interface RecentCast {
  readonly hash: Uint8Array
  readonly fid: number
  /** Farcaster seconds. */
  readonly ts: number
  readonly isReply: boolean
  /** Null if they are not known. */
  readonly counts: Counts | null
}

/** The part of the window that was read from the tables and joins it. */
export type LoadedPart =
  | {
      readonly kind: 'feed'
      /** From this time on, up to the time where the window began when the part was read. */
      readonly since: number
      readonly until: number
      readonly casts: readonly RecentCast[]
      readonly recasts: readonly FeedEntry[]
    }
  | { readonly kind: 'likes'; readonly throughFid: number; readonly likes: readonly FeedEntry[] }
  | {
      readonly kind: 'counts'
      readonly counts: readonly { readonly hash: Uint8Array; readonly counts: Counts }[]
    }

/** Entries and counters that a change concerns: all of the window, or only a part that has just joined. */
interface Scope {
  has(entry: Pick<FeedEntry, 'kind' | 'ts' | 'actor'>): boolean
  counts(cast: number): boolean
}

export interface RecentWindowOptions {
  /** Casts, recasts and likes that are kept; the oldest go first. */
  readonly maxEntries: number
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** As `likesThroughFid`: the likes of everybody. */
export const ALL_FIDS = Number.MAX_SAFE_INTEGER

/**
 * The share of the timeline that is dropped at once when there are too many entries: at most `MAX_DROPPED`, unless more have
 * to go.
 */
const DROPPED_SHARE = 0.05
/** A block brings 1,000. Each takes some microseconds of the thread of all requests. */
const MAX_DROPPED = 4_000
/** When there are too many likes, those of so many seconds are given up. */
const LIKES_STEP_SECONDS = 6 * HOUR_SECONDS

/**
 * The newest casts and recasts of everybody, and the likes of the last days, in memory: authors and times, without texts.
 * Feeds are read from it without a statement. It holds everything from a time on, `since`, and changes with each block of the
 * log. The tables answer the rest (`recent-feeds.ts`).
 *
 * A million casts with a million recasts or likes take about 150 MB, nearly all outside of the JavaScript heap.
 */
export class RecentWindow implements LogState {
  readonly table = new CastTable()
  entries = new FeedEntryTable(this.table)
  /** Casts and recasts. */
  timeline = new Timeline()
  readonly users = new UserTable<Activity>()
  /** Signals of users, for pages that count what they did last. */
  readonly signals = new SignalCache(this.users)
  /** The recasts of a cast, by its number. */
  readonly #recasts: (FeedEntryList | undefined)[] = []
  /** All casts and recasts from this time on are here, in Farcaster seconds; infinite while nothing is, 0 if all are. */
  since = Number.POSITIVE_INFINITY
  /** Likes of users up to this fid are here, from `likesSince` on. Older ones that have not gone yet count for nothing. */
  likesThroughFid = -1
  likesSince = Number.POSITIVE_INFINITY
  readonly #oldLikes = new OldLikes(this.users)
  /** How far the clock of the database is ahead, in milliseconds. */
  clockOffsetMs = 0
  /** Unix milliseconds; null before the first good measurement. */
  clockMeasuredAtMs: number | null = null
  /**
   * Unix microseconds by the clock of the database: all recasts of the window, and those from before it, were stored until then.
   * It changes with the next recast, so that pages between two recasts are equal. A recast whose transaction was still open
   * then, that of another shard or process, may be claimed although the window lacks it: rows have the time of their insert, not
   * of the commit. A later page may then repeat the cast, as pages from the tables may.
   */
  recastsUntilMicros = 0
  /** Whether older entries were dropped: the window has its maximum length. */
  hasDropped = false
  /** Shared by all requests: no request awaits anything while it uses them. */
  readonly affinityScores = new AffinityScores()
  /** The number of resets: a load compares it to notice that its result is outdated. */
  generation = 0

  readonly maxEntries: number
  readonly #clock: () => number

  constructor({ maxEntries, clock }: RecentWindowOptions) {
    this.maxEntries = maxEntries
    this.#clock = clock
  }

  /** The bytes of its tables, without the lists of users and casts. */
  get byteLength(): number {
    return [this.table, this.entries, this.users, this.signals].reduce(
      (sum, part) => sum + part.byteLength,
      0,
    )
  }

  /** Whether the window holds all stored casts and recasts, or its maximum of entries. */
  get hasFeed(): boolean {
    return this.since === 0 || this.hasDropped || this.entries.size >= this.maxEntries
  }

  /** Whether nothing is missing. */
  get isFilled(): boolean {
    return this.hasFeed && this.likesThroughFid === ALL_FIDS
  }

  activityOf(fid: number): Activity | undefined {
    const user = this.users.find(fid)
    return user < 0 ? undefined : this.users.activity(user)
  }

  /** The recasts of a cast that are here. */
  recastsOf(cast: number): FeedEntryList | undefined {
    return this.#recasts[cast]
  }

  /** The number of recasts of a stored cast that are here and name its author, as its counter does. */
  recastCount(cast: number): number {
    const recasts = this.#recasts[cast]
    if (recasts === undefined || !this.table.has(cast, castFlag.misnamed)) return recasts?.length ?? 0
    let count = 0
    for (let index = 0; index < recasts.length; index += 1) {
      if (this.entries.targetFid(recasts.at(index)) === this.table.fid(cast)) count += 1
    }
    return count
  }

  isStored(cast: number): boolean {
    return this.table.has(cast, castFlag.stored)
  }

  isReply(cast: number): boolean {
    return this.table.has(cast, castFlag.isReply)
  }

  hasCounts(cast: number): boolean {
    return this.table.has(cast, castFlag.countsKnown)
  }

  reset(): void {
    this.generation += 1
    this.table.clear()
    this.entries = new FeedEntryTable(this.table)
    this.timeline = new Timeline()
    this.users.clear()
    this.signals.clear()
    this.#recasts.length = 0
    this.since = Number.POSITIVE_INFINITY
    this.likesThroughFid = -1
    this.likesSince = Number.POSITIVE_INFINITY
    this.hasDropped = false
  }

  applyBlock({ bodies }: CommittedBlock): void {
    if (this.since === Number.POSITIVE_INFINITY) return
    this.#change(bodies, {
      has: ({ kind, ts, actor }) =>
        kind === entryKind.like ? actor <= this.likesThroughFid && ts >= this.likesSince : ts >= this.since,
      counts: () => true,
    })
    if (bodies.some(addsRecast)) this.noteRecasts()
    this.#dropOldest()
  }

  /**
   * Adds what was read from the tables.
   *
   * @param later The blocks that the window has and that were not in the tables when they were read.
   * @returns False if the part does not fit any more, because older entries were dropped meanwhile.
   */
  join(part: LoadedPart, later: readonly CommittedBlock[]): boolean {
    if (part.kind === 'feed' && part.until !== this.since) return false
    const bodies = later.flatMap((block) => block.bodies)
    if (part.kind === 'feed') this.#joinFeed(part, bodies)
    else if (part.kind === 'likes') this.#joinLikes(part, bodies)
    else this.#joinCounts(part, bodies)
    this.#dropOldest()
    return true
  }

  #joinFeed(
    { since, until, casts, recasts }: Extract<LoadedPart, { kind: 'feed' }>,
    bodies: readonly HubEventBody[],
  ): void {
    this.since = since
    this.noteRecasts()
    for (const cast of casts) this.#addCast(cast)
    for (const recast of recasts) this.#addEntry(recast)
    const isNew = (ts: number) => ts >= since && ts < until
    this.#change(bodies, {
      has: ({ kind, ts }) => kind !== entryKind.like && isNew(ts),
      counts: (cast) => isNew(this.table.ts(cast)),
    })
  }

  #joinLikes(
    { throughFid, likes }: Extract<LoadedPart, { kind: 'likes' }>,
    bodies: readonly HubEventBody[],
  ): void {
    const after = this.likesThroughFid
    this.likesThroughFid = throughFid
    // Likes may have become too old while they were read.
    for (const like of likes) if (like.ts >= this.likesSince) this.#addEntry(like)
    this.#change(bodies, {
      has: ({ kind, ts, actor }) =>
        kind === entryKind.like && actor > after && actor <= throughFid && ts >= this.likesSince,
      counts: () => false,
    })
  }

  #joinCounts({ counts }: Extract<LoadedPart, { kind: 'counts' }>, bodies: readonly HubEventBody[]): void {
    const joined = new Set<number>()
    for (const { hash, counts: values } of counts) {
      const cast = this.table.find(hash)
      if (cast < 0 || !this.isStored(cast) || this.hasCounts(cast)) continue
      this.#setCounts(cast, values)
      joined.add(cast)
    }
    this.#change(bodies, { has: () => false, counts: (cast) => joined.has(cast) })
  }

  /** Notes that recasts were stored until now. The clock tells whole milliseconds: a moment too early would leave out the last. */
  noteRecasts(): void {
    this.recastsUntilMicros = Math.round((this.#clock() + 1 + this.clockOffsetMs) * 1000)
  }

  /** Changes entries and counters as `graph/project` changes the tables. */
  #change(bodies: readonly HubEventBody[], scope: Scope): void {
    const { added, removed } = netChanges(bodies.map((body) => ({ body })))
    for (const message of removed) this.#changeBy(message, -1, scope)
    for (const message of added) this.#changeBy(message, 1, scope)
  }

  #changeBy(message: SignedMessage, by: 1 | -1, scope: Scope): void {
    const { data } = message
    if (data.type === MessageType.CAST_ADD) this.#changeCast(message, by, scope)
    const target = data.reactionBody?.targetCastId
    if (data.type !== MessageType.REACTION_ADD || target === undefined) return
    const isRecast = data.reactionBody!.type === ReactionType.RECAST
    const entry: FeedEntry = {
      kind: isRecast ? entryKind.recast : entryKind.like,
      ts: data.timestamp,
      actor: data.fid,
      hash: target.hash,
      targetFid: target.fid,
    }
    this.#count(target, isRecast ? castCounter.recasts : castCounter.likes, by, scope)
    if (!scope.has(entry)) return
    if (by > 0) this.#addEntry(entry)
    else this.#removeEntry(entry)
  }

  #changeCast(message: SignedMessage, by: 1 | -1, scope: Scope): void {
    const row = castRow(message)
    const { hash, fid, ts, parentHash, parentFid } = row
    if (parentHash) this.#count({ hash: parentHash, fid: parentFid! }, castCounter.replies, by, scope)
    for (const quoted of quotedBy(row)) this.#count(quoted, castCounter.quotes, by, scope)
    const entry: FeedEntry = { kind: entryKind.cast, ts, actor: fid, hash, targetFid: fid }
    if (!scope.has(entry)) return
    // Replies and reactions may have come before the cast: its counters are read when somebody asks for them.
    if (by > 0) this.#addCast({ hash, fid, ts, isReply: parentHash !== null, counts: null })
    else this.#removeEntry(entry)
  }

  #count(target: { hash: Uint8Array; fid: number }, counter: CastCounter, by: number, scope: Scope): void {
    const cast = this.table.find(target.hash)
    if (cast < 0 || !this.hasCounts(cast) || this.table.fid(cast) !== target.fid || !scope.counts(cast))
      return
    this.table.addCount(cast, counter, by)
  }

  #addCast({ hash, fid, ts, isReply, counts }: RecentCast): void {
    const cast = this.#addEntry({ kind: entryKind.cast, ts, actor: fid, hash, targetFid: fid })
    // What came before the cast is not known to name its author.
    const hasRecasts = this.#recasts[cast] !== undefined
    const flags = castFlag.stored | (isReply ? castFlag.isReply : 0) | (hasRecasts ? castFlag.misnamed : 0)
    this.table.store(cast, { fid, ts, flags })
    if (counts) this.#setCounts(cast, counts)
  }

  #setCounts(cast: number, counts: Counts): void {
    this.table.setCounts(cast, counts)
    this.table.addFlag(cast, castFlag.countsKnown)
  }

  /** Adds an entry, unless it is there, and returns the number of its cast. */
  #addEntry(entry: FeedEntry): number {
    const { entries, table } = this
    const user = this.#userOf(entry.actor)
    const activity = this.users.activity(user)
    const list = entry.kind === entryKind.like ? activity.likes : activity.feed
    const known = table.find(entry.hash)
    if (known >= 0 && list.find(entries, known, entry) >= 0) return known
    const id = entries.add(entry)
    const cast = entries.cast(id)
    list.insert(entries, id)
    this.#noteActivity(user)
    if (entry.kind !== entryKind.like) this.timeline.insert(entries, id)
    if (entry.kind === entryKind.recast) {
      activity.recasts.insert(entries, id)
      // Filled without holes: V8 stores an array with holes as a map.
      while (this.#recasts.length <= cast) this.#recasts.push(undefined)
      this.#recasts[cast] ??= new FeedEntryList()
      this.#recasts[cast].insert(entries, id)
      if (this.isStored(cast) && table.fid(cast) !== entry.targetFid) table.addFlag(cast, castFlag.misnamed)
    }
    return cast
  }

  #userOf(fid: number): number {
    const known = this.users.find(fid)
    if (known >= 0) return known
    return this.users.add(fid, {
      feed: new FeedEntryList(),
      recasts: new FeedEntryList(),
      likes: new FeedEntryList(),
    })
  }

  /** Notes that the lists of a user have changed. */
  #noteActivity(user: number): void {
    const { feed } = this.users.activity(user)
    this.users.feedEnds[user] = feed.length > 0 ? Math.min(feed.newestTs + 1, 2 ** 32 - 1) : 0
    this.signals.invalidate(user)
  }

  #removeEntry(entry: FeedEntry): void {
    const cast = this.table.find(entry.hash)
    const activity = this.activityOf(entry.actor)
    if (cast < 0 || !activity) return
    const list = entry.kind === entryKind.like ? activity.likes : activity.feed
    const id = list.find(this.entries, cast, entry)
    if (id < 0) return
    if (entry.kind !== entryKind.like) this.timeline.remove(this.entries, id)
    for (const each of this.#listsOf(id)) each.remove(this.entries, id)
    this.#free(id)
  }

  /** The lists that hold an entry, beside the timeline. */
  #listsOf(id: number): FeedEntryList[] {
    const { entries } = this
    const { feed, recasts, likes } = this.activityOf(entries.actor(id))!
    if (entries.kind(id) === entryKind.recast) return [feed, recasts, this.#recasts[entries.cast(id)]!]
    return [entries.kind(id) === entryKind.like ? likes : feed]
  }

  /** Frees an entry that is in no list any more. */
  #free(id: number): void {
    const { entries, table, users } = this
    const cast = entries.cast(id)
    const actor = entries.actor(id)
    // Entries that are dropped together have all left their lists: the first may have removed the user or the cast's recasts.
    const user = users.find(actor)
    if (entries.kind(id) === entryKind.cast) table.clearFlags(cast)
    if (entries.kind(id) === entryKind.recast && this.#recasts[cast]?.length === 0)
      this.#recasts[cast] = undefined
    if (user >= 0) {
      const { feed, likes } = users.activity(user)
      this.#noteActivity(user)
      if (feed.length === 0 && likes.length === 0) users.remove(actor)
    }
    entries.free(id)
  }

  /** Drops the oldest casts and recasts when there are too many entries, and old likes when they take more than half. */
  #dropOldest(): void {
    const { maxEntries } = this
    this.dropOldLikes()
    // Those that are old already go first.
    if (!this.#oldLikes.areLeft && this.entries.size - this.timeline.length > maxEntries / 2)
      this.dropLikesBefore(this.likesSince + LIKES_STEP_SECONDS)
    const { length } = this.timeline
    const excess = this.entries.size - maxEntries
    if (excess <= 0 || length === 0) return
    // A loaded part may bring more entries than a block. At most half of the timeline goes: likes make room as well.
    const enough = Math.min(excess, length >> 1)
    const dropped = Math.max(enough, Math.min(Math.ceil(length * DROPPED_SHARE), MAX_DROPPED))
    this.dropBefore(this.timeline.timeAt(this.entries, dropped - 1) + 1)
  }

  /** Drops casts and recasts that are older than a time. */
  dropBefore(ts: number): void {
    const { entries } = this
    const dropped = this.timeline.removeBefore(entries, ts)
    // From each list at once: most may be of one user or of one cast.
    const lists = new Set(dropped.flatMap((id) => this.#listsOf(id)))
    for (const list of lists) list.removeFirst(list.countBefore(entries, { ts, hash: new Uint8Array(0) }))
    for (const id of dropped) this.#free(id)
    this.since = Math.max(this.since, ts)
    this.hasDropped = true
  }

  /** Gives up the likes that are older than a time: they count for nothing from now on, and `dropOldLikes` drops them. */
  dropLikesBefore(ts: number): void {
    this.likesSince = Math.max(this.likesSince, ts)
    this.#oldLikes.restart()
    this.dropOldLikes()
  }

  /** Drops some of the likes that were given up, if there are any left. */
  dropOldLikes(): void {
    for (const id of this.#oldLikes.take(this.entries, this.likesSince)) this.#free(id)
  }
}

function addsRecast(body: HubEventBody): boolean {
  if (body.type !== HubEventType.MERGE_MESSAGE) return false
  const { type, reactionBody } = body.message.data
  return type === MessageType.REACTION_ADD && reactionBody!.type === ReactionType.RECAST
}
