import type { Database } from '../../platform/db/connection.js'
import { loadNames } from '../load/names.js'
import { loadUsers, type UserRecord } from '../load/user-record.js'
import type { LocationAddress } from '../view/schema/location.js'
import { spokenChannels, spokenUsernames } from '../view/text-ranges.js'
import { presentUser } from '../view/user.js'
import { shortFormTag } from './cache-tags.js'
import { LoadTogether } from './load-together.js'
import { openJson, split, unique } from './ready.js'
import { TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'

/** A user as it is kept: the record for short forms, and the whole view without `viewer_context`. */
export interface ReadyUser {
  readonly record: UserRecord
  /** Whom the bio speaks of: their short forms stand in the view. */
  readonly mentionedFids: readonly number[]
  /** JSON without its closing brace. */
  readonly open: string
}

/** Users that one page has loaded so far: its later parts do not load them again, also when nothing is kept. */
export type UsersAtHand = Map<number, ReadyUser>

export interface ReadyUsersOptions extends TaggedCacheOptions {
  readonly db: Database
  /** Unix milliseconds. */
  readonly clock: () => number
  /** The place that coordinates are in; null where none is known. */
  readonly placeOf: (latitude: number, longitude: number) => LocationAddress | null
}

/** Users, as far as they are the same for everybody. */
export class ReadyUsers {
  readonly #options: ReadyUsersOptions
  readonly #together = new LoadTogether((fids: readonly number[]) => this.#load(fids))
  readonly #cache: TaggedCache<ReadyUser>

  constructor(options: ReadyUsersOptions) {
    this.#options = options
    this.#cache = new TaggedCache(options)
  }

  /** By fid; those that are not registered are not in the result. */
  async load(fids: Iterable<number>, atHand: UsersAtHand = new Map()): Promise<Map<number, ReadyUser>> {
    const { ready, missing } = split(fids, (fid) => atHand.get(fid) ?? this.#cache.get(String(fid)))
    if (missing.length > 0) {
      const loaded = await this.#together.load(missing)
      for (const fid of missing) {
        const user = loaded.get(fid)
        if (user) ready.set(fid, user)
      }
    }
    for (const [fid, user] of ready) atHand.set(fid, user)
    return ready
  }

  async #load(fids: readonly number[]): Promise<ReadonlyMap<number, ReadyUser>> {
    const since = this.#cache.begin()
    const records = await loadUsers(this.#options.db, fids)
    const users = await this.#present([...records.values()])
    for (const user of users) this.#keep(user, since)
    return new Map(users.map((user) => [user.record.fid, user]))
  }

  async #present(records: readonly UserRecord[]): Promise<ReadyUser[]> {
    const bios = records.map((record) => record.bio ?? '')
    const names = await loadNames(this.#options.db, {
      usernames: unique(bios.flatMap(spokenUsernames).map(({ name }) => name)),
      channelIds: unique(bios.flatMap(spokenChannels).map(({ name }) => name)),
    })
    const { placeOf, clock } = this.#options
    const now = Math.floor(clock() / 1000)
    return records.map((record) => {
      const user = presentUser(record, { names, placeOf, now })
      const mentionedFids = (user.profile.bio.mentioned_profiles ?? []).map(({ fid }) => fid)
      return { record, mentionedFids, open: openJson(user) }
    })
  }

  #keep(user: ReadyUser, since: number): void {
    this.#cache.put(String(user.record.fid), user, () => tagsOf(user), since)
  }
}

/** Everything that the view of a user is made of. */
function tagsOf({ record, mentionedFids }: ReadyUser): string[] {
  const short = [...record.authAddresses.map(({ app }) => app.fid), ...mentionedFids]
  const spoken = spokenUsernames(record.bio ?? '').map(({ name }) => `name:${name}`)
  const channels = spokenChannels(record.bio ?? '').map(({ name }) => `channel:${name}`)
  return [`user:${record.fid}`, ...unique(short).map(shortFormTag), ...spoken, ...channels]
}
