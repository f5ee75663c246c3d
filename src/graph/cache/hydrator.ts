import { isHiddenFrom, type ViewedIds, type ViewerRelations } from '../load/viewer.js'
import type { UserDehydrated } from '../view/schema/user-dehydrated.js'
import { userDehydrated } from '../view/user-dehydrated.js'
import { unique } from './cache-lookup.js'
import { type CachedCast, CastCache } from './cast-cache.js'
import { ChannelCache } from './channel-cache.js'
import { Invalidation } from './invalidation.js'
import { renderCast, renderChannel, renderUser } from './render.js'
import { SingleFlightCache } from './single-flight-cache.js'
import { type CachedUser, type PreloadedUsers, UserCache, type UserCacheOptions } from './user-cache.js'
import { ViewerCache } from './viewer-cache.js'

/** `maxEntries`: most users and most casts that are kept ready. 0 keeps nothing: every page is read anew. */
export type HydratorOptions = Omit<UserCacheOptions, 'invalidation'>

/** Casts that a viewer is to see. */
export interface VisibleCasts {
  /** As JSON, in the order that was asked for. */
  readonly casts: readonly string[]
  /** Which of the hashes was shown last; -1 for none. */
  readonly lastIndex: number
  /** Whether one behind it would be shown as well. */
  readonly hasMore: boolean
}

/** The casts of a page, and everything that they are shown with. */
interface CastsWithContext {
  readonly casts: ReadonlyMap<string, CachedCast>
  readonly users: ReadonlyMap<number, CachedUser>
  readonly viewer: ViewerRelations | null
}

/**
 * Makes JSON of ids, for whole pages at once: everything that the ids of a page need is loaded in a few statements
 * whatever their number (at most four and one for the viewer), and what is the same for everybody is kept ready.
 */
export class Hydrator {
  readonly #users: UserCache
  readonly #casts: CastCache
  readonly #channels: ChannelCache
  readonly #viewers: ViewerCache
  /** What invalidates the caches of this process. */
  readonly invalidation = new Invalidation()
  /** What many ask for at once. */
  readonly singleFlight: SingleFlightCache
  /** Whether anything is kept at all. */
  readonly cachesViews: boolean

  constructor(hydratorOptions: HydratorOptions) {
    const options = { ...hydratorOptions, invalidation: this.invalidation }
    this.#users = new UserCache(options)
    this.#casts = new CastCache(options.db, this.#users, options)
    this.#channels = new ChannelCache(options.db, this.#users, options)
    this.#viewers = new ViewerCache(options.db, options)
    this.cachesViews = options.maxEntries > 0
    this.singleFlight = new SingleFlightCache(options.clock, this.invalidation, this.cachesViews)
  }

  /** Users as JSON, by fid; those that are not registered are not in the result. */
  async users(fids: readonly number[], viewerFid?: number): Promise<Map<number, string>> {
    const loaded = await this.#users.load(fids)
    const viewer = await this.#relations(viewerFid, { fids: [...loaded.keys()], hashes: [], channelIds: [] })
    return new Map([...loaded].map(([fid, user]) => [fid, renderUser(user, viewer)]))
  }

  /** Short forms of users, by fid. */
  async dehydratedUsers(fids: readonly number[]): Promise<Map<number, UserDehydrated>> {
    const loaded = await this.#users.load(fids)
    return new Map([...loaded].map(([fid, { record }]) => [fid, userDehydrated(record)]))
  }

  /**
   * Casts as JSON, by hash in hex without 0x; those that are not here are not in the result. Authors that are
   * not registered cannot be shown, nor can their casts.
   */
  async casts(hashes: readonly string[], viewerFid?: number): Promise<Map<string, string>> {
    return renderCasts(await this.#loadWithContext(hashes, viewerFid))
  }

  /** Casts, and users who are none of their authors, in the statements that the casts alone would take. */
  async castsAndUsers(
    hashes: readonly string[],
    fids: readonly number[],
    viewerFid?: number,
  ): Promise<{ casts: Map<string, string>; users: Map<number, string> }> {
    const loadWithContext = await this.#loadWithContext(hashes, viewerFid, fids)
    const users = fids.flatMap((fid) => {
      const user = loadWithContext.users.get(fid)
      return user ? [[fid, renderUser(user, loadWithContext.viewer)] as const] : []
    })
    return { casts: renderCasts(loadWithContext), users: new Map(users) }
  }

  /**
   * The first casts of a list that was made for nobody in particular: those that are here, that the viewer is to see,
   * and that are of nobody whom the app bans.
   *
   * @param hashes Each once.
   */
  async firstVisibleCasts(
    hashes: readonly string[],
    count: number,
    { viewerFid, banned }: { readonly viewerFid?: number | undefined; readonly banned: ReadonlySet<number> },
  ): Promise<VisibleCasts> {
    const { casts, users, viewer } = await this.#loadWithContext(hashes, viewerFid)
    const visible: string[] = []
    let lastIndex = -1
    for (const [index, hash] of hashes.entries()) {
      const cast = casts.get(hash)
      if (!cast || banned.has(cast.authorFid) || (viewer && isHiddenFrom(viewer, cast.authorFid))) continue
      const json = renderCast(cast, users, viewer)
      if (json === null) continue
      if (visible.length === count) return { casts: visible, lastIndex, hasMore: true }
      visible.push(json)
      lastIndex = index
    }
    return { casts: visible, lastIndex, hasMore: false }
  }

  /** Channels as JSON, by id; those that there are not are not in the result. */
  async channels(ids: readonly string[], viewerFid?: number): Promise<Map<string, string>> {
    const preloaded: PreloadedUsers = new Map()
    const loaded = await this.#channels.load(ids, preloaded)
    const users = await this.#users.load(
      [...loaded.values()].map((channel) => channel.leadFid),
      preloaded,
    )
    const viewer = await this.#relations(viewerFid, {
      fids: [...users.keys()],
      hashes: [],
      channelIds: [...loaded.keys()],
    })
    return new Map([...loaded].map(([id, channel]) => [id, renderChannel(channel, users, viewer)]))
  }

  async #loadWithContext(
    hashes: readonly string[],
    viewerFid: number | undefined,
    otherFids: readonly number[] = [],
  ): Promise<CastsWithContext> {
    const preloaded: PreloadedUsers = new Map()
    const casts = await this.#casts.load(hashes, preloaded)
    const loadedCasts = [...casts.values()]
    const users = await this.#users.load(
      [...loadedCasts.flatMap((cast) => [cast.authorFid, ...cast.mentionedFids]), ...otherFids],
      preloaded,
    )
    const viewer = await this.#relations(viewerFid, {
      fids: [...users.keys()],
      hashes: [...casts.keys()],
      channelIds: unique(loadedCasts.flatMap((cast) => (cast.channel ? [cast.channel.id] : []))),
    })
    return { casts, users, viewer }
  }

  async #relations(viewerFid: number | undefined, viewed: ViewedIds): Promise<ViewerRelations | null> {
    // Looking nobody in particular.
    if (viewerFid === undefined) return null
    return await this.#viewers.load(viewerFid, viewed)
  }
}

/** By hash; those that cannot be shown are left out. */
function renderCasts({ casts, users, viewer }: CastsWithContext): Map<string, string> {
  const rendered = new Map<string, string>()
  for (const [hash, cast] of casts) {
    const json = renderCast(cast, users, viewer)
    if (json !== null) rendered.set(hash, json)
  }
  return rendered
}
