import type { Database } from '../../platform/db/connection.js'
import { loadNames } from '../load/mentioned-names.js'
import { loadUsers, type UserRecord } from '../load/user-record.js'
import type { LocationAddress } from '../view/schema/location.js'
import { channelMentions, usernameMentions } from '../view/text-ranges.js'
import { presentUser } from '../view/user.js'
import { splitCached, toJsonPrefix, unique } from './cache-lookup.js'
import { cacheTag } from './cache-tags.js'
import { DataLoader } from './data-loader.js'
import { TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'

/** A user as it is kept: the record for short forms, and the whole view without `viewer_context`. */
export interface CachedUser {
  readonly record: UserRecord
  /** Whom the bio speaks of: their short forms stand in the view. */
  readonly mentionedFids: readonly number[]
  /** JSON without its closing brace. */
  readonly jsonPrefix: string
}

/** Users that one page has loaded so far: its later parts do not load them again, also when nothing is kept. */
export type PreloadedUsers = Map<number, CachedUser>

export interface UserCacheOptions extends TaggedCacheOptions {
  readonly db: Database
  /** Unix milliseconds. */
  readonly clock: () => number
  /** The place that coordinates are in; null where none is known. */
  readonly placeOf: (latitude: number, longitude: number) => LocationAddress | null
}

/** Users, as far as they are the same for everybody. */
export class UserCache {
  readonly #options: UserCacheOptions
  readonly #loader = new DataLoader((fids: readonly number[]) => this.#load(fids))
  readonly #cache: TaggedCache<CachedUser>

  constructor(options: UserCacheOptions) {
    this.#options = options
    this.#cache = new TaggedCache(options)
  }

  /** By fid; those that are not registered are not in the result. */
  async load(
    fids: Iterable<number>,
    preloaded: PreloadedUsers = new Map(),
  ): Promise<Map<number, CachedUser>> {
    const { cached, missing } = splitCached(fids, (fid) => preloaded.get(fid) ?? this.#cache.get(String(fid)))
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

  async #load(fids: readonly number[]): Promise<ReadonlyMap<number, CachedUser>> {
    const since = this.#cache.currentVersion()
    const records = await loadUsers(this.#options.db, fids)
    const users = await this.#present([...records.values()])
    for (const user of users) this.#cacheUser(user, since)
    return new Map(users.map((user) => [user.record.fid, user]))
  }

  async #present(records: readonly UserRecord[]): Promise<CachedUser[]> {
    const bios = records.map((record) => record.bio ?? '')
    const names = await loadNames(this.#options.db, {
      usernames: unique(bios.flatMap(usernameMentions).map(({ name }) => name)),
      channelIds: unique(bios.flatMap(channelMentions).map(({ name }) => name)),
    })
    const { placeOf, clock } = this.#options
    const now = Math.floor(clock() / 1000)
    return records.map((record) => {
      const user = presentUser(record, { names, placeOf, now })
      const mentionedFids = (user.profile.bio.mentioned_profiles ?? []).map(({ fid }) => fid)
      return { record, mentionedFids, jsonPrefix: toJsonPrefix(user) }
    })
  }

  #cacheUser(user: CachedUser, since: number): void {
    this.#cache.put(String(user.record.fid), user, () => tagsOf(user), since)
  }
}

/** Everything that the view of a user is made of. */
function tagsOf({ record, mentionedFids }: CachedUser): string[] {
  const dehydratedFids = [...record.authAddresses.map(({ app }) => app.fid), ...mentionedFids]
  const usernameTags = usernameMentions(record.bio ?? '').map(({ name }) => cacheTag.username(name))
  const channelTags = channelMentions(record.bio ?? '').map(({ name }) => cacheTag.channel(name))
  return [
    cacheTag.user(record.fid),
    ...unique(dehydratedFids).map(cacheTag.dehydratedUser),
    ...usernameTags,
    ...channelTags,
  ]
}
