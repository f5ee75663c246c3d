import type { Database } from '../../platform/db/connection.js'
import { type CastRecord, loadCasts } from '../load/cast-record.js'
import { loadNames } from '../load/names.js'
import { embeddedIn, fidsIn, type PresentedCast, presentCast } from '../view/cast.js'
import { channelDehydrated } from '../view/channel-dehydrated.js'
import { spokenChannels } from '../view/text-ranges.js'
import { replyGoneTag } from './cache-tags.js'
import { LoadTogether } from './load-together.js'
import { openJson, split, unique } from './ready.js'
import type { ReadyUsers, UsersAtHand } from './ready-users.js'
import { TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'
import type { Tags } from './tags.js'

/** A cast as it is kept: everything that is the same for everybody. */
export interface ReadyCast extends Omit<PresentedCast, 'body' | 'channel'> {
  readonly record: CastRecord
  /** JSON without its closing brace. */
  readonly open: string
  readonly channel: { readonly id: string; readonly open: string } | null
  /** When it was read, as `Tags` count, if it shows a cast that stands below a reply; null elsewhere. */
  readonly belowReplySince: number | null
}

/** Casts, and the users that were loaded for them. */
interface LoadedCasts {
  readonly casts: ReadonlyMap<string, ReadyCast>
  readonly users: UsersAtHand
}

/** Casts, as far as they are the same for everybody. */
export class ReadyCasts {
  readonly #db: Database
  readonly #users: ReadyUsers
  readonly #tags: Tags
  readonly #together = new LoadTogether((hashes: readonly string[]) => this.#load(hashes))
  readonly #cache: TaggedCache<ReadyCast>

  constructor(db: Database, users: ReadyUsers, options: TaggedCacheOptions) {
    this.#db = db
    this.#users = users
    this.#tags = options.tags
    this.#cache = new TaggedCache(options)
  }

  /**
   * By hash; those that are not here are not in the result.
   *
   * @param hashes In hex without 0x.
   * @param atHand Gets the users that were loaded on the way.
   */
  async load(hashes: readonly string[], atHand: UsersAtHand): Promise<Map<string, ReadyCast>> {
    const { ready, missing } = split(hashes, (hash) => this.#kept(hash))
    if (missing.length === 0) return ready
    const { casts, users } = await this.#together.load(missing)
    for (const hash of missing) {
      const cast = casts.get(hash)
      if (cast) ready.set(hash, cast)
    }
    for (const [fid, user] of users) atHand.set(fid, user)
    return ready
  }

  /**
   * A cast as it was read, if it is still so. Where a reply has gone, what stands below any is asked for again: to look
   * that up here costs nothing, and to drop all of them could be thousands at a time.
   */
  #kept(hash: string): ReadyCast | undefined {
    const cast = this.#cache.get(hash)
    const since = cast?.belowReplySince ?? null
    return since === null || this.#tags.isFresh([replyGoneTag], since) ? cast : undefined
  }

  async #load(hashes: readonly string[]): Promise<LoadedCasts> {
    const since = this.#cache.begin()
    const records = await loadCasts(this.#db, hashes)
    const wanted = hashes.flatMap((hash) => records.get(hash) ?? [])
    const users: UsersAtHand = new Map()
    const casts = await this.#present(wanted, records, users, since)
    for (const cast of casts) this.#cache.put(cast.record.hash, cast, () => tagsOf(cast, records), since)
    return { casts: new Map(casts.map((cast) => [cast.record.hash, cast])), users }
  }

  async #present(
    wanted: readonly CastRecord[],
    casts: ReadonlyMap<string, CastRecord>,
    atHand: UsersAtHand,
    since: number,
  ): Promise<ReadyCast[]> {
    const [users, names] = await Promise.all([
      this.#users.load(
        wanted.flatMap((record) => fidsIn(record, casts)),
        atHand,
      ),
      loadNames(this.#db, {
        usernames: [],
        channelIds: unique(wanted.flatMap(({ text }) => spokenChannels(text)).map(({ name }) => name)),
      }),
    ])
    const records = new Map([...users].map(([fid, { record }]) => [fid, record]))
    return wanted.map((record) => {
      const { body, channel, ...rest } = presentCast(record, { casts, users: records, names })
      return {
        ...rest,
        record,
        open: openJson(body),
        channel: channel && { id: channel.id, open: openJson(channelDehydrated(channel)) },
        belowReplySince: [record, ...embeddedIn(record, casts)].some(isBelowReply) ? since : null,
      }
    })
  }
}

/** Whether its thread depends on other casts than the first of the thread: on replies between the two. */
function isBelowReply({ parentHash, threadHash }: CastRecord): boolean {
  return parentHash !== null && parentHash !== threadHash
}

/** Everything that the view of a cast is made of. */
function tagsOf({ record }: ReadyCast, casts: ReadonlyMap<string, CastRecord>): string[] {
  const inner = embeddedIn(record, casts)
  const deepest = inner.flatMap((each) => embeddedIn(each, casts))
  const shown = [record, ...inner]
  const embeds = shown.flatMap((each) => each.embeds)
  // Of casts that are not here (yet), too: they are named by the embeds.
  const named = embeds.flatMap((embed) => ('url' in embed ? [] : [embed.hash.slice(2)]))
  const urls = embeds.flatMap((embed) => ('url' in embed ? [embed.url] : []))
  const hashes = [...shown, ...deepest].map((each) => each.hash)
  return [
    ...unique([...hashes, ...named]).map((hash) => `cast:${hash}`),
    ...unique(shown.map((each) => each.threadHash)).map((hash) => `thread:${hash}`),
    ...unique(fidsIn(record, casts)).map((fid) => `user:${fid}`),
    ...unique(shown.flatMap((each) => each.rootParentUrl ?? [])).map((url) => `channelUrl:${url}`),
    ...unique(spokenChannels(record.text).map(({ name }) => name)).map((id) => `channel:${id}`),
    ...unique(urls).map((url) => `url:${url}`),
  ]
}
