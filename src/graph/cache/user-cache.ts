import type { Database } from '../../platform/db/connection.js'
import { DataLoader } from '../load/data-loader.js'
import { loadNames, type TextNames } from '../load/mentioned-names.js'
import { loadUsers, type UserRecord } from '../load/user-record.js'
import { mentionCandidates } from '../view/mention-candidates.js'
import { type UserTemplate, userTemplate } from '../view/render.js'
import type { LocationAddress } from '../view/schema/user.js'
import { channelMentions } from '../view/text-ranges.js'
import { userViewEnd } from '../view/user.js'
import { cacheTag, channelTags } from './cache-tags.js'
import {
  type CacheLookups,
  splitCached,
  TaggedCache,
  type TaggedCacheOptions,
  unique,
} from './tagged-cache.js'

/** A cached user: the template of its view, and the record that dehydrated forms are made of. */
export interface CachedUser extends UserTemplate {
  readonly record: UserRecord
  /** Unix seconds from which on the template shows something that has ended; null if it shows nothing that ends. */
  readonly until: number | null
}

/** The users that one page has loaded so far. Later steps of the page reuse them, also when the cache is disabled. */
export type PreloadedUsers = Map<number, CachedUser>

export interface UserCacheOptions extends TaggedCacheOptions {
  readonly db: Database
  /** Unix milliseconds. */
  readonly clock: () => number
  /** The address of coordinates; null when it is unknown. */
  readonly locationOf: (latitude: number, longitude: number) => LocationAddress | null
}

/** Loads users and caches their templates. */
export class UserCache {
  readonly #loader = new DataLoader((fids: readonly number[]) => this.#load(fids))
  readonly #cache: TaggedCache<CachedUser, number>

  constructor(private readonly options: UserCacheOptions) {
    this.#cache = new TaggedCache(options, undefined, [cacheTag.links])
  }

  /** Lookups so far, by result. */
  get lookups(): CacheLookups {
    return this.#cache.lookups
  }

  /** Loads users by fid. The result has no entry for a fid that is not registered. */
  async load(
    fids: Iterable<number>,
    preloaded: PreloadedUsers = new Map(),
  ): Promise<Map<number, CachedUser>> {
    const now = this.options.clock() / 1000
    const fresh = (user: CachedUser | undefined) =>
      user === undefined || user.until === null || now < user.until ? user : undefined
    const { cached, missing } = splitCached(fids, (fid) => preloaded.get(fid) ?? fresh(this.#cache.get(fid)))
    if (missing.length > 0) {
      const loaded = await this.#loader.load(missing)
      for (const fid of missing) {
        const user = loaded.get(fid)
        if (user) cached.set(fid, user)
      }
    }
    for (const [fid, user] of cached) preloaded.set(fid, user)
    return cached
  }

  /** Loads users past the cache, with those of other requests: the result may have more users. */
  async loadStored(fids: readonly number[]): Promise<ReadonlyMap<number, CachedUser>> {
    return await this.#loader.load(fids)
  }

  async #load(fids: readonly number[]): Promise<ReadonlyMap<number, CachedUser>> {
    const { db, locationOf, clock } = this.options
    const since = this.#cache.currentVersion()
    const records = [...(await loadUsers(db, fids)).values()]
    const bios = records.map((record) => record.bio ?? '')
    const names = await loadNames(db, {
      usernames: unique(bios.flatMap(mentionCandidates).flatMap(({ names }) => names)),
      channelIds: unique(bios.flatMap(channelMentions).map(({ name }) => name)),
    })
    const now = Math.floor(clock() / 1000)
    const users = records.map((record) => ({
      ...userTemplate(record, { names, locationOf, now }),
      record,
      until: userViewEnd(record, now),
    }))
    for (const user of users) this.#cache.put(user.fid, user, () => tagsOf(user, names), since)
    return new Map(users.map((user) => [user.fid, user]))
  }
}

/** The tags of everything that the view of a user shows. */
function tagsOf({ record, mentionedFids }: CachedUser, { channels }: TextNames): string[] {
  const dehydratedFids = [...record.authAddresses.map(({ appFid }) => appFid), ...mentionedFids]
  const bio = record.bio ?? ''
  return [
    cacheTag.user(record.fid),
    ...unique(dehydratedFids).map(cacheTag.dehydratedUser),
    ...mentionCandidates(bio).flatMap(({ names }) => names.map(cacheTag.username)),
    ...channelMentions(bio).flatMap(({ name }) =>
      channels.has(name) ? channelTags(name) : cacheTag.channel(name),
    ),
  ]
}
