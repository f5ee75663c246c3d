import type { HubEventBody } from '../../../hub/log/hub-event.js'
import { MessageType, ReactionType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { castRow, quotedBy } from '../../project/casts.js'
import { netChanges } from '../../project/net-changes.js'
import type { CommittedBlock, LogState } from '../block-sequence.js'
import { CastTable, castFlag } from './cast-table.js'
import { type Place, PlaceList, Places, placeKind, Timeline } from './places.js'

/** What users did, newest last. */
export interface Activity {
  /** Casts and recasts. */
  readonly feed: PlaceList
  /** The recasts again: who casts much and recasts little would be read whole for the latest five. */
  readonly recasts: PlaceList
  readonly likes: PlaceList
}

/** Likes, recasts, replies and quotes. */
export type Counts = readonly [likes: number, recasts: number, replies: number, quotes: number]
const counter = { likes: 0, recasts: 1, replies: 2, quotes: 3 } as const

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
      readonly recasts: readonly Place[]
    }
  | { readonly kind: 'likes'; readonly throughFid: number; readonly likes: readonly Place[] }
  | {
      readonly kind: 'counts'
      readonly counts: readonly { readonly hash: Uint8Array; readonly counts: Counts }[]
    }

/** Which places and counters a change concerns: all of the window, or only a part that has just joined. */
interface Scope {
  has(place: Pick<Place, 'kind' | 'ts' | 'actor'>): boolean
  counts(cast: number): boolean
}

export interface RecentWindowOptions {
  /** Casts, recasts and likes that are kept; the oldest go first. */
  readonly maxPlaces: number
}

/** As `likesThroughFid`: the likes of everybody. */
export const ALL_FIDS = Number.MAX_SAFE_INTEGER

/** The share of the places that goes at once when there are too many. */
const DROPPED_SHARE = 0.05
/** Likes go by this many seconds at once. */
const LIKES_STEP_SECONDS = 6 * 3600

/**
 * The newest casts and recasts of everybody, and the likes of the last days, in memory: whose they are and when, not what
 * they say. Feeds are read from it without a statement. It holds everything from a time on, `since`, and changes with
 * each block of the log. What it cannot say is read from the tables (`recent-feeds.ts`).
 *
 * A million casts with a million recasts or likes take about 150 MB, nearly all outside of the JavaScript heap.
 */
export class RecentWindow implements LogState {
  readonly table = new CastTable()
  places = new Places(this.table)
  /** Casts and recasts. */
  timeline = new Timeline()
  readonly #activity = new Map<number, Activity>()
  /** The recasts of a cast, by its number. */
  readonly #recasts = new Map<number, PlaceList>()
  /** All casts and recasts from this time on are here, in Farcaster seconds; infinite while nothing is, 0 if all are. */
  since = Number.POSITIVE_INFINITY
  /** Likes of users up to this fid are here, from `likesSince` on. */
  likesThroughFid = -1
  likesSince = Number.POSITIVE_INFINITY
  /** How far the clock of the database is ahead, in milliseconds. */
  clockOffsetMs = 0
  /** Whether older places had to go: the window is as long as it may be. */
  hasDropped = false
  /** Counts resets, so that a load knows that it is in vain. */
  generation = 0

  readonly maxPlaces: number

  constructor({ maxPlaces }: RecentWindowOptions) {
    this.maxPlaces = maxPlaces
  }

  /** Authors and reacting users that are known. */
  get userCount(): number {
    return this.#activity.size
  }

  /** Bytes of its tables; the lists of users and casts come to it. */
  get byteLength(): number {
    return this.table.byteLength + this.places.byteLength
  }

  /** Whether it holds all casts and recasts, or as many as it may. */
  get hasFeed(): boolean {
    return this.since === 0 || this.hasDropped || this.places.size >= this.maxPlaces
  }

  /** Whether nothing is missing. */
  get isFilled(): boolean {
    return this.hasFeed && this.likesThroughFid === ALL_FIDS
  }

  activityOf(fid: number): Activity | undefined {
    return this.#activity.get(fid)
  }

  /** The recasts of a cast that are here. */
  recastsOf(cast: number): PlaceList | undefined {
    return this.#recasts.get(cast)
  }

  /** The number of recasts of a stored cast that are here and name its author, as its counter does. */
  recastCount(cast: number): number {
    const recasts = this.#recasts.get(cast)
    if (recasts === undefined || (this.table.flags[cast]! & castFlag.misnamed) === 0)
      return recasts?.length ?? 0
    let count = 0
    for (let index = 0; index < recasts.length; index += 1) {
      if (this.places.targetFid(recasts.at(index)) === this.table.fids[cast]) count += 1
    }
    return count
  }

  isStored(cast: number): boolean {
    return (this.table.flags[cast]! & castFlag.stored) !== 0
  }

  isReply(cast: number): boolean {
    return (this.table.flags[cast]! & castFlag.isReply) !== 0
  }

  hasCounts(cast: number): boolean {
    return (this.table.flags[cast]! & castFlag.countsKnown) !== 0
  }

  reset(): void {
    this.generation += 1
    this.table.clear()
    this.places = new Places(this.table)
    this.timeline = new Timeline()
    this.#activity.clear()
    this.#recasts.clear()
    this.since = Number.POSITIVE_INFINITY
    this.likesThroughFid = -1
    this.likesSince = Number.POSITIVE_INFINITY
    this.hasDropped = false
  }

  applyBlock({ bodies }: CommittedBlock): void {
    if (this.since === Number.POSITIVE_INFINITY) return
    this.#change(bodies, {
      has: ({ kind, ts, actor }) =>
        kind === placeKind.like ? actor <= this.likesThroughFid && ts >= this.likesSince : ts >= this.since,
      counts: () => true,
    })
    this.#dropOldest()
  }

  /**
   * Adds what was read from the tables.
   *
   * @param later The blocks that the window has and that were not in the tables when they were read.
   * @returns False if the part does not fit any more, because older places were dropped meanwhile.
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
    for (const cast of casts) this.#addCast(cast)
    for (const recast of recasts) this.#addPlace(recast)
    const isNew = (ts: number) => ts >= since && ts < until
    this.#change(bodies, {
      has: ({ kind, ts }) => kind !== placeKind.like && isNew(ts),
      counts: (cast) => isNew(this.table.times[cast]!),
    })
  }

  #joinLikes(
    { throughFid, likes }: Extract<LoadedPart, { kind: 'likes' }>,
    bodies: readonly HubEventBody[],
  ): void {
    const after = this.likesThroughFid
    this.likesThroughFid = throughFid
    for (const like of likes) this.#addPlace(like)
    this.#change(bodies, {
      has: ({ kind, ts, actor }) =>
        kind === placeKind.like && actor > after && actor <= throughFid && ts >= this.likesSince,
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

  /** Changes places and counters as `graph/project` changes the tables. */
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
    const place: Place = {
      kind: isRecast ? placeKind.recast : placeKind.like,
      ts: data.timestamp,
      actor: data.fid,
      hash: target.hash,
      targetFid: target.fid,
    }
    this.#count(target, isRecast ? counter.recasts : counter.likes, by, scope)
    if (!scope.has(place)) return
    if (by > 0) this.#addPlace(place)
    else this.#removePlace(place)
  }

  #changeCast(message: SignedMessage, by: 1 | -1, scope: Scope): void {
    const row = castRow(message)
    const { hash, fid, ts, parentHash, parentFid } = row
    if (parentHash) this.#count({ hash: parentHash, fid: parentFid! }, counter.replies, by, scope)
    for (const quoted of quotedBy(row)) this.#count(quoted, counter.quotes, by, scope)
    const place: Place = { kind: placeKind.cast, ts, actor: fid, hash, targetFid: fid }
    if (!scope.has(place)) return
    // Replies and reactions may have come before the cast: its counters are read when somebody asks for them.
    if (by > 0) this.#addCast({ hash, fid, ts, isReply: parentHash !== null, counts: null })
    else this.#removePlace(place)
  }

  #count(target: { hash: Uint8Array; fid: number }, which: number, by: number, scope: Scope): void {
    const cast = this.table.find(target.hash)
    if (cast < 0 || !this.hasCounts(cast) || this.table.fids[cast] !== target.fid || !scope.counts(cast))
      return
    this.table.counts[4 * cast + which]! += by
  }

  #addCast({ hash, fid, ts, isReply, counts }: RecentCast): void {
    const cast = this.#addPlace({ kind: placeKind.cast, ts, actor: fid, hash, targetFid: fid })
    const { table } = this
    table.fids[cast] = fid
    table.times[cast] = ts
    // What came before the cast is not known to name its author.
    const hasRecasts = this.#recasts.has(cast)
    table.flags[cast] =
      castFlag.stored | (isReply ? castFlag.isReply : 0) | (hasRecasts ? castFlag.misnamed : 0)
    if (counts) this.#setCounts(cast, counts)
  }

  #setCounts(cast: number, counts: Counts): void {
    this.table.counts.set(counts, 4 * cast)
    this.table.flags[cast]! |= castFlag.countsKnown
  }

  /** Adds a place, unless it is there, and returns the number of its cast. */
  #addPlace(place: Place): number {
    const { places, table } = this
    let activity = this.#activity.get(place.actor)
    if (!activity) {
      activity = { feed: new PlaceList(), recasts: new PlaceList(), likes: new PlaceList() }
      this.#activity.set(place.actor, activity)
    }
    const list = place.kind === placeKind.like ? activity.likes : activity.feed
    const known = table.find(place.hash)
    if (known >= 0 && list.find(places, known, place) >= 0) return known
    const id = places.add(place)
    const cast = places.cast(id)
    list.insert(places, id)
    if (place.kind !== placeKind.like) this.timeline.insert(places, id)
    if (place.kind === placeKind.recast) {
      activity.recasts.insert(places, id)
      const recasts = this.#recasts.get(cast) ?? new PlaceList()
      recasts.insert(places, id)
      this.#recasts.set(cast, recasts)
      if (this.isStored(cast) && table.fids[cast] !== place.targetFid) table.flags[cast]! |= castFlag.misnamed
    }
    return cast
  }

  #removePlace(place: Place): void {
    const cast = this.table.find(place.hash)
    const activity = this.#activity.get(place.actor)
    if (cast < 0 || !activity) return
    const list = place.kind === placeKind.like ? activity.likes : activity.feed
    const id = list.find(this.places, cast, place)
    if (id < 0) return
    if (place.kind !== placeKind.like) this.timeline.remove(this.places, id)
    list.remove(this.places, id)
    this.#forget(id)
  }

  /** Forgets a place that is in no list of places any more. */
  #forget(id: number): void {
    const { places, table } = this
    const cast = places.cast(id)
    const actor = places.actor(id)
    if (places.kind(id) === placeKind.cast) table.flags[cast] = 0
    if (places.kind(id) === placeKind.recast) {
      this.#activity.get(actor)!.recasts.remove(places, id)
      const recasts = this.#recasts.get(cast)!
      recasts.remove(places, id)
      if (recasts.length === 0) this.#recasts.delete(cast)
    }
    const activity = this.#activity.get(actor)!
    if (activity.feed.length === 0 && activity.likes.length === 0) this.#activity.delete(actor)
    places.free(id)
  }

  /** Drops the oldest casts and recasts when there are too many places, and old likes when they take more than half. */
  #dropOldest(): void {
    const { maxPlaces } = this
    if (this.places.size - this.timeline.length > maxPlaces / 2)
      this.dropLikesBefore(this.likesSince + LIKES_STEP_SECONDS)
    if (this.places.size <= maxPlaces || this.timeline.length === 0) return
    const dropped = Math.ceil(this.timeline.length * DROPPED_SHARE)
    this.dropBefore(this.timeline.timeAt(this.places, dropped) + 1)
  }

  /** Drops casts and recasts, and likes, that are older than a time. */
  dropBefore(ts: number): void {
    for (const id of this.timeline.removeBefore(this.places, ts)) {
      this.#activity.get(this.places.actor(id))!.feed.remove(this.places, id)
      this.#forget(id)
    }
    this.since = Math.max(this.since, ts)
    this.hasDropped = true
  }

  /** Drops the likes that are older than a time. */
  dropLikesBefore(ts: number): void {
    this.likesSince = Math.max(this.likesSince, ts)
    for (const { likes } of [...this.#activity.values()]) {
      const count = likes.countBefore(this.places, { ts, hash: new Uint8Array(0) })
      const old = Array.from({ length: count }, (_, index) => likes.at(index))
      likes.removeFirst(count)
      for (const id of old) this.#forget(id)
    }
  }
}
