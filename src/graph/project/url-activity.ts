import type { Transaction } from '../../platform/db/connection.js'

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
