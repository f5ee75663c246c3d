import { MessageType, ReactionType } from '../../../../protocol/definitions.js'
import type { SignedMessage } from '../../../../protocol/message.js'
import { castRow, quotedBy } from '../../../cast-row.js'
import { forYouRank, forYouWindow, trendingRank } from '../../../query/ranks.js'
import { entryKind } from '../feed-entries.js'
import type { Counts, LoadedPart } from '../recent-window.js'
import type { WindowPageRequest, WindowSelection } from '../window-feed.js'
import type { ForYouRequest } from '../window-ranking.js'

/** A ranked cast. */
export interface NamedCast {
  readonly rank: number
  readonly hash: string
}

interface ModelEntry {
  readonly ts: number
  readonly hash: string
  readonly targetFid: number
  readonly isRecast: boolean
}

/** Stored messages, of which every question is answered anew by looking at all of them. */
export class WindowModel {
  /** Removed ones as well: reactions may name them. */
  readonly everyCast: SignedMessage[] = []
  readonly #casts = new Map<string, SignedMessage>()
  readonly #reactions = new Map<string, SignedMessage>()

  get reactions(): SignedMessage[] {
    return [...this.#reactions.values()]
  }

  stored(hash: Uint8Array): SignedMessage | undefined {
    return this.#casts.get(hex(hash))
  }

  /** Stores a message and returns those that it replaces. */
  add(message: SignedMessage): SignedMessage[] {
    if (message.data.type === MessageType.CAST_ADD) {
      this.everyCast.push(message)
      this.#casts.set(hex(message.hash), message)
      return []
    }
    const key = reactionKey(message)
    const replaced = this.#reactions.get(key)
    this.#reactions.set(key, message)
    return replaced ? [replaced] : []
  }

  remove(message: SignedMessage): void {
    if (message.data.type === MessageType.CAST_ADD) this.#casts.delete(hex(message.hash))
    else this.#reactions.delete(reactionKey(message))
  }

  /** Casts and recasts from a time on and before another, as a loader reads them. */
  feedPart(since: number, until: number): Extract<LoadedPart, { kind: 'feed' }> {
    const isIn = ({ data }: SignedMessage) => data.timestamp >= since && data.timestamp < until
    const casts = [...this.#casts.values()].filter(isIn).map((cast) => ({
      hash: cast.hash,
      fid: cast.data.fid,
      ts: cast.data.timestamp,
      isReply: isReply(cast),
      counts: this.countsOf(cast.hash),
    }))
    const recasts = this.#of(ReactionType.RECAST).filter(isIn).map(entryOf(entryKind.recast))
    return { kind: 'feed', since, until, casts, recasts }
  }

  /** Likes by users after a fid and up to another. */
  likesPart(after: number, throughFid: number, since: number): Extract<LoadedPart, { kind: 'likes' }> {
    const isIn = ({ data }: SignedMessage) =>
      data.fid > after && data.fid <= throughFid && data.timestamp >= since
    const likes = this.#of(ReactionType.LIKE).filter(isIn).map(entryOf(entryKind.like))
    return { kind: 'likes', throughFid, likes }
  }

  countsOf(hash: Uint8Array): Counts {
    const cast = this.stored(hash)
    const names = (target: { fid: number; hash: Uint8Array }) =>
      target.fid === cast?.data.fid && hex(target.hash) === hex(hash)
    const count = (type: ReactionType) =>
      this.#of(type).filter(({ data }) => names(data.reactionBody!.targetCastId!)).length
    const all = [...this.#casts.values()]
    const replies = all.filter(({ data: { castAddBody } }) => {
      const parent = castAddBody!.parentCastId
      return parent !== undefined && names(parent)
    })
    const quotes = all.filter((each) => quotedBy(castRow(each)).some(names))
    return [count(ReactionType.LIKE), count(ReactionType.RECAST), replies.length, quotes.length]
  }

  feed(
    { users, casts, recasts }: WindowSelection,
    { before, count, isHidden }: WindowPageRequest,
  ): (ModelEntry & { isShown: boolean })[] {
    const takes = (cast: SignedMessage) =>
      casts === 'all' || (casts !== 'none' && isReply(cast) === (casts === 'replies'))
    const isShown = ({ hash, targetFid, ts, isRecast }: ModelEntry) => {
      const cast = this.#casts.get(hash)
      if (!isRecast) return true
      if (cast?.data.fid !== targetFid || isHidden(targetFid)) return false
      if (users.has(targetFid) && takes(cast)) return false
      return this.#of(ReactionType.RECAST)
        .filter(({ data }) => users.has(data.fid) && !isHidden(data.fid))
        .filter((each) => sameTarget(each, hash, targetFid))
        .every(({ data }) => data.timestamp >= ts)
    }
    const all = [
      ...[...this.#casts.values()].filter(takes),
      ...(recasts ? this.#of(ReactionType.RECAST) : []),
    ]
    return all
      .filter(({ data }) => users.has(data.fid) && !isHidden(data.fid))
      .map(modelEntry)
      .filter(
        ({ ts, hash }) => before === null || ts < before.ts || (ts === before.ts && hash < hex(before.hash)),
      )
      .sort(
        (a, b) =>
          b.ts - a.ts ||
          compare(b.hash, a.hash) ||
          Number(a.isRecast) - Number(b.isRecast) ||
          a.targetFid - b.targetFid,
      )
      .slice(0, count)
      .map((entry) => ({ ...entry, isShown: isShown(entry) }))
  }

  trending({ seconds, ts, count }: { seconds: number; ts: number; count: number }): NamedCast[] {
    const ranked = [...this.#casts.values()]
      .filter((cast) => !isReply(cast) && cast.data.timestamp > ts - seconds && cast.data.timestamp <= ts)
      .map((cast) => {
        const [likes, recasts, replies, quotes] = this.countsOf(cast.hash)
        const rank = trendingRank({ likes, recasts, replies, quotes }, ts - cast.data.timestamp)
        return { rank, hash: hex(cast.hash) }
      })
    return best(ranked.filter(({ rank }) => rank > 0)).slice(0, count)
  }

  forYou({ fid, followed, ts, after, count, isHidden }: ForYouRequest): NamedCast[] {
    const isRecent = ({ data }: SignedMessage) =>
      data.timestamp > ts - forYouWindow.seconds && data.timestamp <= ts
    const affinities = new Map<string, number>()
    const signal = (weight: number) => (message: SignedMessage) => {
      const { hash, targetFid } = modelEntry(message)
      const key = `${hash} ${targetFid}`
      affinities.set(key, (affinities.get(key) ?? 0) + weight)
    }
    for (const actor of Array.from(followed)) {
      const latest = (messages: readonly SignedMessage[], most: number) =>
        messages
          .filter((message) => message.data.fid === actor && isRecent(message))
          .sort(
            (a, b) => b.data.timestamp - a.data.timestamp || compare(modelEntry(b).hash, modelEntry(a).hash),
          )
          .slice(0, most)
      latest([...this.#casts.values()], forYouWindow.casts)
        .filter((cast) => !isReply(cast))
        .forEach(signal(4))
      latest(this.#of(ReactionType.RECAST), forYouWindow.recasts).forEach(signal(2))
      latest(this.#of(ReactionType.LIKE), forYouWindow.likes).forEach(signal(1))
    }
    const ranked = [...affinities].flatMap(([key, affinity]): NamedCast[] => {
      const [hash, targetFid] = key.split(' ') as [string, string]
      const cast = this.#casts.get(hash)
      if (cast?.data.fid !== Number(targetFid) || !isRecent(cast)) return []
      if (cast.data.fid === fid || isHidden(cast.data.fid)) return []
      const activity = this.countsOf(cast.hash).reduce((sum, each) => sum + each)
      return [{ rank: forYouRank(affinity, activity, ts - cast.data.timestamp), hash }]
    })
    return best(ranked)
      .filter(
        ({ rank, hash }) => after === null || rank < after.rank || (rank === after.rank && hash < after.hash),
      )
      .slice(0, count)
  }

  /** Names of likes from a time on. */
  likeNames(since: number): string[] {
    return this.#of(ReactionType.LIKE)
      .filter(({ data }) => data.timestamp >= since)
      .map((message) => {
        const { hash, targetFid, ts } = modelEntry(message)
        return `${message.data.fid} ${targetFid} ${hash} ${ts}`
      })
      .sort()
  }

  /** The number of users with casts or recasts from a time on, or likes from another. */
  activeUsers(since: number, likesSince: number): number {
    const inFeed = [...this.#casts.values(), ...this.#of(ReactionType.RECAST)].filter(
      ({ data }) => data.timestamp >= since,
    )
    const likes = this.#of(ReactionType.LIKE).filter(({ data }) => data.timestamp >= likesSince)
    return new Set([...inFeed, ...likes].map(({ data }) => data.fid)).size
  }

  #of(type: ReactionType): SignedMessage[] {
    return [...this.#reactions.values()].filter(({ data }) => data.reactionBody!.type === type)
  }
}

function reactionKey({ data }: SignedMessage): string {
  const { type, targetCastId } = data.reactionBody!
  return `${type} ${data.fid} ${hex(targetCastId!.hash)} ${targetCastId!.fid}`
}

function sameTarget({ data }: SignedMessage, hash: string, fid: number): boolean {
  const target = data.reactionBody!.targetCastId!
  return hex(target.hash) === hash && target.fid === fid
}

function entryOf(kind: 1 | 2) {
  return ({ data }: SignedMessage) => {
    const { hash, fid } = data.reactionBody!.targetCastId!
    return { kind, ts: data.timestamp, actor: data.fid, hash, targetFid: fid }
  }
}

function modelEntry({ data, hash }: SignedMessage): ModelEntry {
  const target = data.reactionBody?.targetCastId
  return {
    ts: data.timestamp,
    hash: hex(target?.hash ?? hash),
    targetFid: target?.fid ?? data.fid,
    isRecast: target !== undefined,
  }
}

function isReply({ data }: SignedMessage): boolean {
  return data.castAddBody!.parentCastId !== undefined
}

function best(ranked: readonly NamedCast[]): NamedCast[] {
  return [...ranked].sort((a, b) => b.rank - a.rank || compare(b.hash, a.hash))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
