import type { Database } from '../../platform/db/connection.js'
import type { CastRow } from '../cast-row.js'
import { loadAncestors } from '../load/ancestors.js'
import { type CastRecord, loadCasts, loadSnapshotCasts } from '../load/cast-record.js'
import { DataLoader } from '../load/data-loader.js'
import { loadNames, type TextNames } from '../load/mentioned-names.js'
import { embeddedIn, fidsIn } from '../view/cast.js'
import { type CastTemplate, castTemplate } from '../view/render.js'
import { channelMentions } from '../view/text-ranges.js'
import { cacheTag, channelTags } from './cache-tags.js'
import {
  type CacheLookups,
  splitCached,
  TaggedCache,
  type TaggedCacheOptions,
  unique,
} from './tagged-cache.js'
import type { PreloadedUsers, UserCache } from './user-cache.js'

/** Casts, and the users that were loaded for them. */
interface LoadedCasts {
  readonly casts: ReadonlyMap<string, CastTemplate>
  readonly users: PreloadedUsers
}

/** Most casts have less JSON. A cast that quotes two others shows the metadata of all their URLs, 16 kB each: it takes more room. */
const ORDINARY_BYTES = 4_096

function weightOf({ untilAuthor, afterMentioned }: CastTemplate): number {
  return Math.ceil((untilAuthor.length + afterMentioned.length) / ORDINARY_BYTES)
}

/** Loads casts and caches their templates. */
export class CastCache {
  readonly #loader = new DataLoader((hashes: readonly string[]) => this.#load(hashes))
  readonly #cache: TaggedCache<CastTemplate>

  constructor(
    private readonly db: Database,
    private readonly users: UserCache,
    options: TaggedCacheOptions,
  ) {
    this.#cache = new TaggedCache(options, weightOf)
  }

  /** Lookups so far, by result. */
  get lookups(): CacheLookups {
    return this.#cache.lookups
  }

  /**
   * Loads casts by hash. The result has no entry for a cast that is not stored.
   *
   * @param hashes Hex without 0x.
   * @param preloaded Receives the users that the casts load.
   */
  async load(hashes: readonly string[], preloaded: PreloadedUsers): Promise<Map<string, CastTemplate>> {
    const { cached, missing } = splitCached(hashes, (hash) => this.#cache.get(hash))
    if (missing.length === 0) return cached
    const { casts, users } = await this.#loader.load(missing)
    for (const hash of missing) {
      const cast = casts.get(hash)
      if (cast) cached.set(hash, cast)
    }
    for (const [fid, user] of users) preloaded.set(fid, user)
    return cached
  }

  /**
   * Makes casts from their messages, stored or not; caches nothing.
   *
   * @param preloaded Receives the users that the casts load.
   */
  async loadSnapshots(
    snapshots: readonly CastRow[],
    preloaded: PreloadedUsers,
  ): Promise<Map<string, CastTemplate>> {
    const embedded = snapshots.flatMap(({ embeds }) =>
      embeds.flatMap((embed) => ('hash' in embed ? [embed.hash.slice(2)] : [])),
    )
    const [records, casts] = await Promise.all([
      loadSnapshotCasts(this.db, snapshots),
      loadCasts(this.db, embedded),
    ])
    return (await this.#templates(records, casts, preloaded)).casts
  }

  async #load(hashes: readonly string[]): Promise<LoadedCasts> {
    const since = this.#cache.currentVersion()
    const records = await loadCasts(this.db, hashes)
    const requested = hashes.flatMap((hash) => records.get(hash) ?? [])
    const users: PreloadedUsers = new Map()
    const [{ casts, channels }, ancestors] = await Promise.all([
      this.#templates(requested, records, users),
      loadAncestors(this.db, nestedReplies(requested.flatMap((record) => displayedCasts(record, records)))),
    ])
    for (const record of requested) {
      const tags = () => [
        ...tagsOf(record, records, channels),
        ...ancestorTags(displayedCasts(record, records), ancestors),
      ]
      this.#cache.put(record.hash, casts.get(record.hash)!, tags, since)
    }
    return { casts, users }
  }

  /**
   * Makes templates of records, wherever the records come from. Loads their users and the channels of their texts, which it
   * returns, too.
   *
   * @param casts The casts that the records embed.
   */
  async #templates(
    records: readonly CastRecord[],
    casts: ReadonlyMap<string, CastRecord>,
    preloaded: PreloadedUsers,
  ): Promise<{ casts: Map<string, CastTemplate>; channels: TextNames['channels'] }> {
    const [users, names] = await Promise.all([
      this.users.load(
        records.flatMap((record) => fidsIn(record, casts)),
        preloaded,
      ),
      loadNames(this.db, {
        usernames: [],
        channelIds: unique(records.flatMap(({ text }) => channelMentions(text)).map(({ name }) => name)),
      }),
    ])
    const userRecords = new Map([...users].map(([fid, { record }]) => [fid, record]))
    const input = { casts, users: userRecords, names }
    const templates = new Map(records.map((record) => [record.hash, castTemplate(record, input)]))
    return { casts: templates, channels: names.channels }
  }
}

/** The hashes of the casts whose thread depends on replies between them and the first cast of the thread. */
function nestedReplies(casts: readonly CastRecord[]): string[] {
  return casts.flatMap(({ hash, parentHash, threadHash }) =>
    parentHash === null || parentHash === threadHash ? [] : [hash],
  )
}

/** The tags of the casts above nested replies. */
function ancestorTags(
  casts: readonly CastRecord[],
  ancestors: ReadonlyMap<string, readonly string[] | null>,
): string[] {
  const above = nestedReplies(casts).map((hash) => ancestors.get(hash) ?? null)
  return unique(above.flatMap((hashes) => hashes?.map(cacheTag.thread) ?? cacheTag.deepReplies))
}

/** A cast with those that it embeds. */
function displayedCasts(record: CastRecord, casts: ReadonlyMap<string, CastRecord>): CastRecord[] {
  return [record, ...embeddedIn(record, casts)]
}

/**
 * The tags of everything that a template shows, and of nothing else. Whole users and their counters are not in it, so
 * that a follow of an author drops none of its casts; of an embedded cast it shows that it is stored, and no counters.
 *
 * @param channels Those that the text mentions, if they exist.
 */
function tagsOf(
  record: CastRecord,
  casts: ReadonlyMap<string, CastRecord>,
  channels: TextNames['channels'],
): string[] {
  const displayed = displayedCasts(record, casts)
  const embeds = displayed.flatMap((each) => each.embeds)
  // A cast that is embedded and not stored yet has a tag, too: its arrival changes the view. Embeds of embedded casts
  // are among them.
  const embeddedHashes = embeds.flatMap((embed) => ('url' in embed ? [] : [embed.hash.slice(2)]))
  const urls = embeds.flatMap((embed) => ('url' in embed ? [embed.url] : []))
  const names = channelMentions(record.text).map(({ name }) => name)
  const shownChannels = [
    ...displayed.flatMap(({ channel }) => channel?.id ?? []),
    ...names.filter((name) => channels.has(name)),
  ]
  return [
    cacheTag.cast(record.hash),
    ...unique([...displayed.map((each) => each.threadHash), ...embeddedHashes]).map(cacheTag.thread),
    // Also of the author: the app is the one that requested its key.
    ...unique(fidsIn(record, casts)).map(cacheTag.dehydratedUser),
    ...(record.authorInChannel ? [cacheTag.channelsOf(record.fid)] : []),
    ...unique(displayed.flatMap((each) => each.rootParentUrl ?? [])).map(cacheTag.channelUrl),
    ...unique([...names.map(cacheTag.channel), ...shownChannels.flatMap(channelTags)]),
    ...unique(urls).map(cacheTag.embeddedUrl),
  ]
}
