import type { Database } from '../../platform/db/connection.js'
import { DataLoader } from '../load/data-loader.js'
import { loadMemberships, type UserMemberships } from '../load/memberships.js'
import { cacheTag, channelTags, isChannelTag } from './cache-tags.js'
import type { TaggedStore } from './invalidation.js'
import { TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'

/** All channels of a user, as of a version. */
interface Entry {
  /** Null: too many to keep. */
  readonly memberships: UserMemberships | null
  readonly since: number
}

/** A user with more channels has no entry: its pages read what they show. At most 100 kB each are kept. */
const MAX_CHANNELS = 1_000
/** The size of a user in entries for users or casts: 30 channels take 3 kB. With more it has the size of several. */
const ENTRIES_PER_USER = 10
const CHANNELS_PER_USER = 30
/** Users of one statement. */
const MAX_BATCH_SIZE = 32
/** Tags of changed channels that are remembered, two for each channel. The network has 40,000 channels. */
const MAX_CHANGED_TAGS = 100_000

function weightOf({ memberships }: Entry): number {
  const channels = memberships === null ? 0 : memberships.channels.size + memberships.roles.size
  return 1 + Math.floor(channels / CHANNELS_PER_USER)
}

/**
 * The channels that users follow, and their roles in channels, whole: one statement for each viewer instead of one for each
 * viewer and channel. With an entry for each pair, a network of 5,000 viewers and 50 channels asked PostgreSQL at every
 * fourth page.
 *
 * An entry is dropped when its user changes (`cacheTag.channelsOf`). What changes a channel, such as a new owner, need not
 * name the users whose role it changes: an entry that is older than the change is not used for that channel.
 */
export class MembershipCache implements TaggedStore {
  readonly #loader: DataLoader<number, ReadonlyMap<number, UserMemberships | null>>
  readonly #entries: TaggedCache<Entry>
  /** The versions at which channels changed, by tag. */
  readonly #changedAt = new Map<string, number>()
  /** Changes before this version are forgotten. */
  #knownSince = 0

  constructor(
    db: Database,
    private readonly options: TaggedCacheOptions,
  ) {
    const { invalidation, maxEntries } = options
    this.#loader = new DataLoader(
      (fids: readonly number[]) => loadMemberships(db, fids, MAX_CHANNELS),
      MAX_BATCH_SIZE,
    )
    this.#entries = new TaggedCache(
      { invalidation, maxEntries: Math.ceil(maxEntries / ENTRIES_PER_USER) },
      weightOf,
    )
    invalidation.add(this)
  }

  /**
   * The channels of a user, if they are in the cache.
   *
   * @param channelIds Those that the caller asks about.
   * @returns Null if the user has too many, undefined if they must be loaded.
   */
  get(fid: number, channelIds: readonly string[]): UserMemberships | null | undefined {
    if (channelIds.length === 0) return NO_MEMBERSHIPS
    const entry = this.#entries.get(String(fid))
    return entry && !this.#isStale(entry, channelIds) ? entry.memberships : undefined
  }

  /** Loads the channels of a user; as `get`. Null, too, if nothing is cached: the caller reads what it asks about. */
  async load(fid: number, channelIds: readonly string[]): Promise<UserMemberships | null> {
    if (this.options.maxEntries === 0) return null
    const cached = this.get(fid, channelIds)
    if (cached !== undefined) return cached
    const since = this.options.invalidation.currentVersion()
    const memberships = (await this.#loader.load([fid])).get(fid) ?? null
    this.#entries.put(String(fid), { memberships, since }, () => [cacheTag.channelsOf(fid)], since)
    return memberships
  }

  /** Called by `Invalidation`. */
  evict(tags: readonly string[]): void {
    const version = this.options.invalidation.currentVersion()
    for (const tag of tags) if (isChannelTag(tag)) this.#changedAt.set(tag, version)
    if (this.#changedAt.size > MAX_CHANGED_TAGS) this.empty()
  }

  /** Called by `Invalidation`. */
  empty(): void {
    this.#changedAt.clear()
    this.#knownSince = this.options.invalidation.currentVersion()
  }

  #isStale({ since }: Entry, channelIds: readonly string[]): boolean {
    const hasChanged = (tag: string) => (this.#changedAt.get(tag) ?? 0) > since
    return since < this.#knownSince || channelIds.some((id) => channelTags(id).some(hasChanged))
  }
}

const NO_MEMBERSHIPS: UserMemberships = { channels: new Set(), roles: new Map() }
