import type { Transaction } from '../../platform/db/connection.js'
import type { Statement } from '../../platform/db/pipeline.js'
import { HOUR_SECONDS } from '../../platform/durations.js'

type Counts = Readonly<Record<string, number>>

/** The entries with a change, in one order everywhere, so that the writers of two shards cannot deadlock. */
function changedIn<Entry>(entries: ReadonlyMap<string, Entry>, countsOf: (entry: Entry) => Counts): Entry[] {
  return [...entries]
    .filter(([, entry]) => Object.values(countsOf(entry)).some((by) => by !== 0))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => entry)
}

/** The author and hash that identify a cast in messages. */
export interface CastName {
  readonly fid: number
  readonly hash: Uint8Array
}

const NO_COUNTS = { likes: 0, recasts: 0, replies: 0, quotes: 0 }

/** Sums the counter changes of many casts and writes them in one statement. */
export class CastCountDeltas {
  readonly #deltas = new Map<string, { cast: CastName; delta: typeof NO_COUNTS }>()

  add(cast: CastName, counter: keyof typeof NO_COUNTS, by: number): void {
    const name = `${cast.fid}/${Buffer.from(cast.hash).toString('hex')}`
    const entry = this.#deltas.get(name) ?? { cast, delta: { ...NO_COUNTS } }
    entry.delta[counter] += by
    this.#deltas.set(name, entry)
  }

  /** Returns the statements that write the changes, in order. */
  statements(db: Transaction): Statement[] {
    const changed = changedIn(this.#deltas, ({ delta }) => delta)
    if (changed.length === 0) return []
    const count = db`
      insert into cast_counts (hash, fid, likes, recasts, replies, quotes)
      select *
      from unnest(
        ${db.types.byteas(changed.map(({ cast }) => cast.hash))}::bytea[],
        ${changed.map(({ cast }) => cast.fid)}::bigint[],
        ${changed.map(({ delta }) => delta.likes)}::integer[],
        ${changed.map(({ delta }) => delta.recasts)}::integer[],
        ${changed.map(({ delta }) => delta.replies)}::integer[],
        ${changed.map(({ delta }) => delta.quotes)}::integer[]
      )
      on conflict (hash, fid) do update
      set likes = cast_counts.likes + excluded.likes,
          recasts = cast_counts.recasts + excluded.recasts,
          replies = cast_counts.replies + excluded.replies,
          quotes = cast_counts.quotes + excluded.quotes
    `
    const lowered = changed.filter(({ delta }) => Object.values(delta).some((by) => by < 0))
    if (lowered.length === 0) return [count]
    // A cast without counts has no row.
    const sweep = db`
      delete from cast_counts c
      using unnest(
        ${db.types.byteas(lowered.map(({ cast }) => cast.hash))}::bytea[],
        ${lowered.map(({ cast }) => cast.fid)}::bigint[]
      ) as lowered (hash, fid)
      where c.hash = lowered.hash and c.fid = lowered.fid
        and c.likes = 0 and c.recasts = 0 and c.replies = 0 and c.quotes = 0
    `
    return [count, sweep]
  }
}

/** Sums how many casts a batch adds below each parent URL in each hour. */
export class UrlActivity {
  readonly #deltas = new Map<string, { url: string; hour: number; casts: number }>()

  /** @param ts Farcaster seconds. */
  add(url: string | null, ts: number, by: number): void {
    if (url === null) return
    const hour = Math.floor(ts / HOUR_SECONDS)
    const name = `${hour} ${url}`
    const entry = this.#deltas.get(name) ?? { url, hour, casts: 0 }
    entry.casts += by
    this.#deltas.set(name, entry)
  }

  /** Returns the statements that write the changes, in order. */
  statements(db: Transaction): Statement[] {
    const changed = changedIn(this.#deltas, ({ casts }) => ({ casts }))
    if (changed.length === 0) return []
    const urls = db.types.texts(changed.map(({ url }) => url))
    const hours = changed.map(({ hour }) => hour)
    const count = db`
      insert into url_activity (url, hour, casts)
      select *
      from unnest(${urls}::text[], ${hours}::integer[], ${changed.map(({ casts }) => casts)}::integer[])
      on conflict (url, hour) do update set casts = url_activity.casts + excluded.casts
    `
    if (changed.every(({ casts }) => casts > 0)) return [count]
    const sweep = db`
      delete from url_activity a
      using unnest(${urls}::text[], ${hours}::integer[]) as changed (url, hour)
      where a.url = changed.url and a.hour = changed.hour and a.casts = 0
    `
    return [count, sweep]
  }
}
