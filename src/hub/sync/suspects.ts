import type { Database } from '../../platform/db/connection.js'
import type { Refusal } from '../../platform/errors.js'
import { isLack } from '../merge/lack.js'
import type { MergeItem } from '../merge/shard-writer.js'

/** Users of whom something may be missing here, until they are written down to be compared soon. */
export class Suspects {
  readonly #db: Database
  #reasons = new Map<number, string>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Notes whose item was refused, unless the refusal is how messages compete. */
  refused(item: MergeItem, refusal: Refusal): void {
    if (!isLack(refusal)) return
    this.#reasons.set(fidOf(item), `refused: ${refusal.code}`)
  }

  /** Notes a user with a reason of one's own. */
  add(fid: number, reason: string): void {
    this.#reasons.set(fid, reason)
  }

  /** Writes down what was noted. */
  async flush(): Promise<void> {
    if (this.#reasons.size === 0) return
    const reasons = [...this.#reasons].sort(([a], [b]) => a - b)
    this.#reasons = new Map()
    await this.#db`
      insert into upstream.fids (fid, suspect, suspected_at)
      select fid, suspect, date_trunc('milliseconds', clock_timestamp())
      from unnest(
        ${reasons.map(([fid]) => fid)}::bigint[],
        ${this.#db.types.texts(reasons.map(([, reason]) => reason))}::text[]
      ) as noted (fid, suspect)
      on conflict (fid) do update set suspect = excluded.suspect, suspected_at = excluded.suspected_at
    `
  }
}

/** Has every user compared who is known here: events are gone, and nobody can say whose. */
export async function suspectAll(db: Database, reason: string): Promise<void> {
  await db`
    insert into upstream.fids (fid, suspect, suspected_at)
    select fid, ${reason}, date_trunc('milliseconds', clock_timestamp()) from hub.fids
    order by fid
    on conflict (fid) do update
    set suspect = coalesce(fids.suspect, excluded.suspect), suspected_at = excluded.suspected_at
  `
}

/** Whose item it is. */
export function fidOf(item: MergeItem): number {
  switch (item.kind) {
    case 'message':
      return item.message.data.fid
    case 'chainEvent':
      return item.event.fid
    case 'nameTransfer':
      return item.proof.fid
  }
}
