import { HOUR_SECONDS } from '../../../platform/durations.js'
import { affinityWeights, forYouWindow, MAX_FOR_YOU_CANDIDATES } from '../../query/ranks.js'
import type { AffinityScores } from './affinity-scores.js'
import { entryKind, type FeedEntryList } from './feed-entries.js'
import type { Activity, RecentWindow } from './recent-window.js'
import { SIGNAL_WORDS, signalField, signalRow } from './signal-cache.js'

/** Users whose activity counts, and until when. */
export interface AffinityRequest {
  /** Farcaster seconds. */
  readonly ts: number
  /** The latest follows of the user, as many as count. */
  readonly followed: ArrayLike<number>
}

/**
 * Visits the stored casts among those with the most activity by followed users after `since`, the latest among equals, in no
 * order, each with its affinity.
 */
export function forMostAffine(
  window: RecentWindow,
  request: AffinityRequest,
  since: number,
  visit: (cast: number, affinity: number) => void,
): void {
  const { table, affinityScores } = window
  addAffinities(window, request, since)
  const most = affinityScores.most(
    MAX_FOR_YOU_CANDIDATES,
    (cast, fid, otherCast, otherFid) => table.compare(cast, otherCast) || fid - otherFid,
  )
  // All records are looked at first: the processor waits for many of them at once.
  const stored: number[] = []
  for (const at of most) if (window.isStored(affinityScores.castAt(at))) stored.push(at)
  for (const at of stored) {
    const cast = affinityScores.castAt(at)
    if (table.fid(cast) === affinityScores.fidAt(at)) visit(cast, affinityScores.affinityAt(at))
  }
}

function addAffinities(window: RecentWindow, { followed, ts }: AffinityRequest, since: number): void {
  const { affinityScores, signals, users } = window
  affinityScores.clear()
  signals.makeRoom()
  const count = Math.min(followed.length, forYouWindow.followed)
  // All rows are looked up first: the processor waits for many of them at once.
  const rows: number[] = []
  for (let index = 0; index < count; index += 1) {
    const user = users.find(followed[index]!)
    if (user < 0) continue
    const row = signals.rowOf(user, since, ts)
    if (row > 0) rows.push(row)
    else addSignals(affinityScores, readSignals(window, user, { since, ts }), 0, since)
  }
  for (const row of rows) addSignals(affinityScores, signals.words, row, since)
}

function addSignals(scores: AffinityScores, words: ArrayLike<number>, row: number, since: number): void {
  const recastsFrom = row + words[row + signalRow.recastsFrom]!
  const likesFrom = row + words[row + signalRow.likesFrom]!
  const end = row + words[row + signalRow.end]!
  for (let at = row + signalRow.headerWords; at < end; at += SIGNAL_WORDS) {
    const time = words[at + signalField.ts]!
    if (time <= since) continue
    const kind = at < recastsFrom ? 'cast' : at < likesFrom ? 'recast' : 'like'
    scores.add(
      words[at + signalField.cast]!,
      words[at + signalField.fidLow]!,
      words[at + signalField.fidHigh]!,
      affinityWeights[kind],
      time - since,
    )
  }
}

/** Times of a request: activity after the first and up to the second counts. */
interface Times {
  readonly since: number
  readonly ts: number
}

/** Seconds before the start of a request from which signals are stored: a later page has the time of the first page. */
const PAGING_SECONDS = HOUR_SECONDS

/** Reads the row of a user's signals, and caches it until the user acts. */
function readSignals(window: RecentWindow, user: number, { since, ts }: Times): readonly number[] {
  const activity = window.users.activity(user)
  const newestTs = newestIn(activity)
  const row = signalsOf(window, activity, { since: Math.max(0, since - PAGING_SECONDS), ts })
  row[signalRow.newest] = newestTs
  // Messages may claim a time in the future.
  if (newestTs <= ts) window.signals.store(user, row)
  return row
}

function newestIn({ feed, likes }: Activity): number {
  return Math.max(feed.length > 0 ? feed.newestTs : 0, likes.length > 0 ? likes.newestTs : 0)
}

function signalsOf(window: RecentWindow, { feed, recasts, likes }: Activity, times: Times): number[] {
  const { entries } = window
  const row = new Array<number>(signalRow.headerWords).fill(0)
  row[signalRow.since] = times.since
  const add = (id: number) => {
    const fid = entries.targetFid(id)
    row.push(entries.cast(id), entries.ts(id), fid >>> 0, Math.floor(fid / 2 ** 32))
  }
  let castsLeft = forYouWindow.casts
  newest(window, feed, times, (id) => {
    if (entries.kind(id) !== entryKind.cast) return true
    // Only casts that start a thread count; replies are among the latest ten.
    if (!window.isReply(entries.cast(id))) add(id)
    castsLeft -= 1
    return castsLeft > 0
  })
  row[signalRow.recastsFrom] = row.length
  let recastsLeft = forYouWindow.recasts
  newest(window, recasts, times, (id) => {
    add(id)
    recastsLeft -= 1
    return recastsLeft > 0
  })
  row[signalRow.likesFrom] = row.length
  let likesLeft = forYouWindow.likes
  newest(window, likes, times, (id) => {
    add(id)
    likesLeft -= 1
    return likesLeft > 0
  })
  row[signalRow.end] = row.length
  return row
}

/** Visits the entries of a list between two times, the newest first, until the callback returns false. */
function newest(
  { entries }: RecentWindow,
  list: FeedEntryList,
  { since, ts }: Times,
  visit: (id: number) => boolean,
): void {
  for (let index = list.length - 1; index >= 0; index -= 1) {
    const id = list.at(index)
    const time = entries.ts(id)
    if (time <= since) return
    if (time <= ts && !visit(id)) return
  }
}
