import type { Database } from '../../platform/db/connection.js'
import { type ChannelRecord, loadChannels } from '../load/channel-record.js'
import { loadNames, type TextNames } from '../load/mentioned-names.js'
import { channelDehydrated } from '../view/channel.js'
import { mentionCandidates } from '../view/mention-candidates.js'
import { type ChannelTemplate, channelTemplate } from '../view/render.js'
import type { ChannelDehydrated } from '../view/schema/channel-dehydrated.js'
import { cacheTag, channelTags } from './cache-tags.js'
import { type CacheLookups, splitCached, TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'
import type { PreloadedUsers, UserCache } from './user-cache.js'

/** A cached channel: the template of its view, and its dehydrated form. */
export interface CachedChannel extends ChannelTemplate {
  readonly dehydrated: ChannelDehydrated
}

/** Loads channels and caches their templates. */
export class ChannelCache {
  readonly #cache: TaggedCache<CachedChannel>

  constructor(
    private readonly db: Database,
    private readonly users: UserCache,
    options: TaggedCacheOptions,
  ) {
    this.#cache = new TaggedCache(options)
  }

  /** Lookups so far, by result. */
  get lookups(): CacheLookups {
    return this.#cache.lookups
  }

  /**
   * Loads channels by id. The result has no entry for an id without a channel.
   *
   * @param preloaded Receives the users that the channels load.
   */
  async load(ids: readonly string[], preloaded: PreloadedUsers): Promise<Map<string, CachedChannel>> {
    const { cached, missing } = splitCached(ids, (id) => this.#cache.get(id))
    if (missing.length === 0) return cached
    const since = this.#cache.currentVersion()
    const records = await loadChannels(this.db, missing)
    const [users, names] = await Promise.all([
      this.users.load(
        [...records.values()].flatMap((record) => record.descriptionMentions),
        preloaded,
      ),
      loadNames(this.db, { usernames: [...records.values()].flatMap(describedNames), channelIds: [] }),
    ])
    const userRecords = new Map([...users].map(([fid, { record }]) => [fid, record]))
    const described = { users: userRecords, usersByName: names.users }
    for (const record of records.values()) {
      const channel = { ...channelTemplate(record, described), dehydrated: channelDehydrated(record) }
      cached.set(record.id, channel)
      this.#cache.put(record.id, channel, () => tagsOf(record, names), since)
    }
    return cached
  }
}

/** The names of the users whom the description mentions by name. */
function describedNames({ description, hasNamesInDescription }: ChannelRecord): string[] {
  return hasNamesInDescription ? mentionCandidates(description).flatMap(({ names }) => names) : []
}

/** The tags of everything that the view of a channel shows, except its lead. */
function tagsOf(record: ChannelRecord, { users }: TextNames): string[] {
  const names = describedNames(record)
  const fids = names.flatMap((name) => users.get(name)?.fid ?? [])
  return [
    ...channelTags(record.id),
    ...record.descriptionMentions.map(cacheTag.user),
    ...names.map(cacheTag.username),
    ...fids.map(cacheTag.dehydratedUser),
    ...(record.pinnedCastHash === null ? [] : [cacheTag.thread(record.pinnedCastHash)]),
  ]
}
