import type { Database } from '../../platform/db/connection.js'
import { loadChannels } from '../load/channel-record.js'
import { presentChannel } from '../view/channel.js'
import { openJson, split } from './ready.js'
import type { ReadyUsers, UsersAtHand } from './ready-users.js'
import { TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'

/** A channel as it is kept: without its lead, whose own view is put in. */
export interface ReadyChannel {
  readonly id: string
  readonly leadFid: number
  /** JSON without its closing brace. */
  readonly open: string
}

/** Channels, as far as they are the same for everybody. */
export class ReadyChannels {
  readonly #db: Database
  readonly #users: ReadyUsers
  readonly #cache: TaggedCache<ReadyChannel>

  constructor(db: Database, users: ReadyUsers, options: TaggedCacheOptions) {
    this.#db = db
    this.#users = users
    this.#cache = new TaggedCache(options)
  }

  /**
   * By id; those that there are not are not in the result.
   *
   * @param atHand Gets the users that were loaded on the way.
   */
  async load(ids: readonly string[], atHand: UsersAtHand): Promise<Map<string, ReadyChannel>> {
    const { ready, missing } = split(ids, (id) => this.#cache.get(id))
    if (missing.length === 0) return ready
    const since = this.#cache.begin()
    const records = await loadChannels(this.#db, missing)
    const mentioned = [...records.values()].flatMap((record) => record.descriptionMentions)
    const users = await this.#users.load(mentioned, atHand)
    const userRecords = new Map([...users].map(([fid, { record }]) => [fid, record]))
    for (const record of records.values()) {
      const channel = {
        id: record.id,
        leadFid: record.leadFid,
        open: openJson(presentChannel(record, userRecords)),
      }
      ready.set(record.id, channel)
      const tags = () => [`channel:${record.id}`, ...record.descriptionMentions.map((fid) => `user:${fid}`)]
      this.#cache.put(record.id, channel, tags, since)
    }
    return ready
  }
}
