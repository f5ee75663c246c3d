import type { Transaction } from '../../platform/db/connection.js'

/** The author and hash that identify a cast in messages. */
export interface CastName {
  readonly fid: number
  readonly hash: Uint8Array
}

/** The changes of the counters of a cast. */
export interface CastCountDelta {
  likes: number
  recasts: number
  replies: number
  quotes: number
}

/** Sums the counter changes of many casts and writes them in one statement. */
export class CastCountDeltas {
  readonly #deltas = new Map<string, { cast: CastName; delta: CastCountDelta }>()

  add(cast: CastName, counter: keyof CastCountDelta, by: number): void {
    const name = `${cast.fid}/${Buffer.from(cast.hash).toString('hex')}`
    const entry = this.#deltas.get(name) ?? { cast, delta: { likes: 0, recasts: 0, replies: 0, quotes: 0 } }
    entry.delta[counter] += by
    this.#deltas.set(name, entry)
  }

  async write(db: Transaction): Promise<void> {
    // One order everywhere, so that the writers of two shards cannot deadlock.
    const changed = [...this.#deltas]
      .filter(([, { delta }]) => Object.values(delta).some((by) => by !== 0))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, entry]) => entry)
    if (changed.length === 0) return
    await db`
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
    if (lowered.length > 0)
      await deleteZeros(
        db,
        lowered.map(({ cast }) => cast),
      )
  }
}

/** Deletes rows whose counters are all 0: a cast without counts has no row. */
async function deleteZeros(db: Transaction, casts: readonly CastName[]): Promise<void> {
  await db`
    delete from cast_counts c
    using unnest(
      ${db.types.byteas(casts.map(({ hash }) => hash))}::bytea[],
      ${casts.map(({ fid }) => fid)}::bigint[]
    ) as lowered (hash, fid)
    where c.hash = lowered.hash and c.fid = lowered.fid
      and c.likes = 0 and c.recasts = 0 and c.replies = 0 and c.quotes = 0
  `
}

const hourSeconds = 3600

/** Sums how many casts a batch adds below each parent URL in each hour. */
export class UrlActivity {
  readonly #deltas = new Map<string, { url: string; hour: number; casts: number }>()

  /** @param ts Farcaster seconds. */
  add(url: string | null, ts: number, by: number): void {
    if (url === null) return
    const hour = Math.floor(ts / hourSeconds)
    const name = `${hour} ${url}`
    const entry = this.#deltas.get(name) ?? { url, hour, casts: 0 }
    entry.casts += by
    this.#deltas.set(name, entry)
  }

  async write(db: Transaction): Promise<void> {
    // One order everywhere, so that the writers of two shards cannot deadlock.
    const changed = [...this.#deltas]
      .filter(([, { casts }]) => casts !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, entry]) => entry)
    if (changed.length === 0) return
    const urls = db.types.texts(changed.map(({ url }) => url))
    const hours = changed.map(({ hour }) => hour)
    await db`
      insert into url_activity (url, hour, casts)
      select *
      from unnest(${urls}::text[], ${hours}::integer[], ${changed.map(({ casts }) => casts)}::integer[])
      on conflict (url, hour) do update set casts = url_activity.casts + excluded.casts
    `
    if (changed.every(({ casts }) => casts > 0)) return
    await db`
      delete from url_activity a
      using unnest(${urls}::text[], ${hours}::integer[]) as changed (url, hour)
      where a.url = changed.url and a.hour = changed.hour and a.casts = 0
    `
  }
}
