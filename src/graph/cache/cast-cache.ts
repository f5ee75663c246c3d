import type { Database } from '../../platform/db/connection.js'
import { type CastRecord, loadCasts } from '../load/cast-record.js'
import { loadNames } from '../load/mentioned-names.js'
import { embeddedIn, fidsIn, type PresentedCast, presentCast } from '../view/cast.js'
import { channelDehydrated } from '../view/channel-dehydrated.js'
import { channelMentions } from '../view/text-ranges.js'
import { splitCached, toJsonPrefix, unique } from './cache-lookup.js'
import { cacheTag } from './cache-tags.js'
import { DataLoader } from './data-loader.js'
import type { Invalidation } from './invalidation.js'
import { TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'
import type { PreloadedUsers, UserCache } from './user-cache.js'

/** A cast as it is kept: everything that is the same for everybody. */
export interface CachedCast extends Omit<PresentedCast, 'body' | 'channel'> {
  readonly record: CastRecord
  /** JSON without its closing brace. */
  readonly jsonPrefix: string
  readonly channel: { readonly id: string; readonly jsonPrefix: string } | null
  /** When it was read, as `Tags` count, if it shows a cast that stands below a reply; null elsewhere. */
  readonly nestedReplySince: number | null
}

/** Casts, and the users that were loaded for them. */
interface LoadedCasts {
  readonly casts: ReadonlyMap<string, CachedCast>
  readonly users: PreloadedUsers
}

/** Casts, as far as they are the same for everybody. */
export class CastCache {
  readonly #db: Database
  readonly #users: UserCache
  readonly #invalidation: Invalidation
  readonly #loader = new DataLoader((hashes: readonly string[]) => this.#load(hashes))
  readonly #cache: TaggedCache<CachedCast>

  constructor(db: Database, users: UserCache, options: TaggedCacheOptions) {
    this.#db = db
    this.#users = users
    this.#invalidation = options.invalidation
    this.#cache = new TaggedCache(options)
  }

  /**
   * By hash; those that are not here are not in the result.
   *
   * @param hashes In hex without 0x.
   * @param preloaded Gets the users that were loaded on the way.
   */
  async load(hashes: readonly string[], preloaded: PreloadedUsers): Promise<Map<string, CachedCast>> {
    const { cached, missing } = splitCached(hashes, (hash) => this.#getFresh(hash))
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
   * A cast as it was read, if it is still so. Where a reply has gone, what stands below any is asked for again: to look
   * that up here costs nothing, and to drop all of them could be thousands at a time.
   */
  #getFresh(hash: string): CachedCast | undefined {
    const cast = this.#cache.get(hash)
    const since = cast?.nestedReplySince ?? null
    return since === null || this.#invalidation.isFresh([cacheTag.replyRemoved], since) ? cast : undefined
  }

  async #load(hashes: readonly string[]): Promise<LoadedCasts> {
    const since = this.#cache.currentVersion()
    const records = await loadCasts(this.#db, hashes)
    const sources = hashes.flatMap((hash) => records.get(hash) ?? [])
    const users: PreloadedUsers = new Map()
    const casts = await this.#present(sources, records, users, since)
    for (const cast of casts) this.#cache.put(cast.record.hash, cast, () => tagsOf(cast, records), since)
    return { casts: new Map(casts.map((cast) => [cast.record.hash, cast])), users }
  }

  async #present(
    sources: readonly CastRecord[],
    casts: ReadonlyMap<string, CastRecord>,
    preloaded: PreloadedUsers,
    since: number,
  ): Promise<CachedCast[]> {
    const [users, names] = await Promise.all([
      this.#users.load(
        sources.flatMap((record) => fidsIn(record, casts)),
        preloaded,
      ),
      loadNames(this.#db, {
        usernames: [],
        channelIds: unique(sources.flatMap(({ text }) => channelMentions(text)).map(({ name }) => name)),
      }),
    ])
    const records = new Map([...users].map(([fid, { record }]) => [fid, record]))
    return sources.map((record) => {
      const { body, channel, ...rest } = presentCast(record, { casts, users: records, names })
      return {
        ...rest,
        record,
        jsonPrefix: toJsonPrefix(body),
        channel: channel && { id: channel.id, jsonPrefix: toJsonPrefix(channelDehydrated(channel)) },
        nestedReplySince: [record, ...embeddedIn(record, casts)].some(isNestedReply) ? since : null,
      }
    })
  }
}

/** Whether its thread depends on other casts than the first of the thread: on replies between the two. */
function isNestedReply({ parentHash, threadHash }: CastRecord): boolean {
  return parentHash !== null && parentHash !== threadHash
}

/** Everything that the view of a cast is made of. */
function tagsOf({ record }: CachedCast, casts: ReadonlyMap<string, CastRecord>): string[] {
  const embedded = embeddedIn(record, casts)
  const deeplyEmbedded = embedded.flatMap((each) => embeddedIn(each, casts))
  const displayed = [record, ...embedded]
  const embeds = displayed.flatMap((each) => each.embeds)
  // Of casts that are not here (yet), too: they are named by the embeds.
  const embeddedHashes = embeds.flatMap((embed) => ('url' in embed ? [] : [embed.hash.slice(2)]))
  const urls = embeds.flatMap((embed) => ('url' in embed ? [embed.url] : []))
  const hashes = [...displayed, ...deeplyEmbedded].map((each) => each.hash)
  return [
    ...unique([...hashes, ...embeddedHashes]).map(cacheTag.cast),
    ...unique(displayed.map((each) => each.threadHash)).map(cacheTag.thread),
    ...unique(fidsIn(record, casts)).map(cacheTag.user),
    ...unique(displayed.flatMap((each) => each.rootParentUrl ?? [])).map(cacheTag.channelUrl),
    ...unique(channelMentions(record.text).map(({ name }) => name)).map(cacheTag.channel),
    ...unique(urls).map(cacheTag.embeddedUrl),
  ]
}
