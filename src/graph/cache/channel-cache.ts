import type { Database } from '../../platform/db/connection.js'
import { loadChannels } from '../load/channel-record.js'
import { presentChannel } from '../view/channel.js'
import { splitCached, toJsonPrefix } from './cache-lookup.js'
import { cacheTag } from './cache-tags.js'
import { TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'
import type { PreloadedUsers, UserCache } from './user-cache.js'

/** A channel as it is kept: without its lead, whose own view is put in. */
export interface CachedChannel {
  readonly id: string
  readonly leadFid: number
  /** JSON without its closing brace. */
  readonly jsonPrefix: string
}

/** Channels, as far as they are the same for everybody. */
export class ChannelCache {
  readonly #db: Database
  readonly #users: UserCache
  readonly #cache: TaggedCache<CachedChannel>

  constructor(db: Database, users: UserCache, options: TaggedCacheOptions) {
    this.#db = db
    this.#users = users
    this.#cache = new TaggedCache(options)
  }

  /**
   * By id; those that there are not are not in the result.
   *
   * @param preloaded Gets the users that were loaded on the way.
   */
  async load(ids: readonly string[], preloaded: PreloadedUsers): Promise<Map<string, CachedChannel>> {
    const { cached, missing } = splitCached(ids, (id) => this.#cache.get(id))
    if (missing.length === 0) return cached
    const since = this.#cache.currentVersion()
    const records = await loadChannels(this.#db, missing)
    const mentioned = [...records.values()].flatMap((record) => record.descriptionMentions)
    const users = await this.#users.load(mentioned, preloaded)
    const userRecords = new Map([...users].map(([fid, { record }]) => [fid, record]))
    for (const record of records.values()) {
      const channel = {
        id: record.id,
        leadFid: record.leadFid,
        jsonPrefix: toJsonPrefix(presentChannel(record, userRecords)),
      }
      cached.set(record.id, channel)
      const tags = () => [cacheTag.channel(record.id), ...record.descriptionMentions.map(cacheTag.user)]
      this.#cache.put(record.id, channel, tags, since)
    }
    return cached
  }
}
