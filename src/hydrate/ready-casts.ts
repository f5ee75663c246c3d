import type { Database } from '../db/connection.js'
import { type CastRecord, loadCasts } from '../records/cast-record.js'
import { loadNames } from '../records/names.js'
import { embeddedIn, fidsIn, type PresentedCast, presentCast } from '../views/cast.js'
import { channelDehydrated } from '../views/channel-dehydrated.js'
import { spokenChannels } from '../views/text-ranges.js'
import { LoadTogether } from './load-together.js'
import { openJson, split, unique } from './ready.js'
import type { ReadyUsers, UsersAtHand } from './ready-users.js'
import { TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'

/** A cast as it is kept: everything that is the same for everybody. */
export interface ReadyCast extends Omit<PresentedCast, 'body' | 'channel'> {
  readonly record: CastRecord
  /** JSON without its closing brace. */
  readonly open: string
  readonly channel: { readonly id: string; readonly open: string } | null
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
  readonly #together = new LoadTogether((hashes: readonly string[]) => this.#load(hashes))
  readonly #cache: TaggedCache<ReadyCast>

  constructor(db: Database, users: ReadyUsers, options: TaggedCacheOptions) {
    this.#db = db
    this.#users = users
    this.#cache = new TaggedCache(options)
  }

  /**
   * By hash; those that are not here are not in the result.
   *
   * @param hashes In hex without 0x.
   * @param atHand Gets the users that were loaded on the way.
   */
  async load(hashes: readonly string[], atHand: UsersAtHand): Promise<Map<string, ReadyCast>> {
    const { ready, missing } = split(hashes, (hash) => this.#cache.get(hash))
    if (missing.length === 0) return ready
    const { casts, users } = await this.#together.load(missing)
    for (const hash of missing) {
      const cast = casts.get(hash)
      if (cast) ready.set(hash, cast)
    }
    for (const [fid, user] of users) atHand.set(fid, user)
    return ready
  }

  async #load(hashes: readonly string[]): Promise<LoadedCasts> {
    const since = this.#cache.begin()
    const records = await loadCasts(this.#db, hashes)
    const wanted = hashes.flatMap((hash) => records.get(hash) ?? [])
    const users: UsersAtHand = new Map()
    const casts = await this.#present(wanted, records, users)
    for (const cast of casts) this.#cache.put(cast.record.hash, cast, () => tagsOf(cast, records), since)
    return { casts: new Map(casts.map((cast) => [cast.record.hash, cast])), users }
  }

  async #present(
    wanted: readonly CastRecord[],
    casts: ReadonlyMap<string, CastRecord>,
    atHand: UsersAtHand,
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
      }
    })
  }
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
