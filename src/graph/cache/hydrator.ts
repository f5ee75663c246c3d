import type { Database } from '../../platform/db/connection.js'
import type { CastRow } from '../cast-row.js'
import type { ViewedIds, ViewerRelations } from '../load/viewer.js'
import type { Viewer } from '../query/visibility-filter.js'
import type { Json } from '../view/json.js'
import { type CastTemplate, renderCast, renderChannel, renderUser } from '../view/render.js'
import type { ChannelDehydrated } from '../view/schema/channel-dehydrated.js'
import type { UserDehydrated } from '../view/schema/user-dehydrated.js'
import { userDehydrated } from '../view/user-dehydrated.js'
import { CastCache } from './cast-cache.js'
import { ChannelCache } from './channel-cache.js'
import { Invalidation } from './invalidation.js'
import { type FeedName, RecentFeeds, type TableReason } from './recent/recent-feeds.js'
import { RecentWindow } from './recent/recent-window.js'
import { SingleFlightCache } from './single-flight-cache.js'
import { type CacheLookups, unique } from './tagged-cache.js'
import { type CachedUser, type PreloadedUsers, UserCache, type UserCacheOptions } from './user-cache.js'
import { ViewerCache } from './viewer-cache.js'
import { ViewerSets } from './viewer-sets.js'

export interface HydratorOptions extends Omit<UserCacheOptions, 'invalidation' | 'maxEntries'> {
  /** The most users, and the most casts, that are cached. 0 caches nothing: every page reads the database. */
  readonly maxViews: number
  /** Pool for shared lists, which take longer than lookups by key; `db` by default. Both are the primary. */
  readonly listDb?: Database
  /** The most bytes of the relations of viewers; 0, the default, keeps none. */
  readonly maxViewerSetsBytes?: number
  /** The most casts, recasts and likes in the window of recent casts; 0, the default, keeps none. */
  readonly maxRecentEntries?: number
  /** Called for each read of a feed. `reason`: why the tables answered; null if the window did. */
  readonly onFeedRead?: (feed: FeedName, reason: TableReason | null) => void
}

/** The casts of a list that a viewer may see. */
export interface VisibleCasts {
  /** In the order of the list. */
  readonly casts: readonly Json[]
  /** The index of the last hash that is shown; -1 for none. */
  readonly lastIndex: number
  /** Whether a later cast of the list is visible, too. */
  readonly hasMore: boolean
}

/** The casts of a page, and everything to render them with. */
interface CastsWithContext {
  readonly casts: ReadonlyMap<string, CastTemplate>
  readonly users: ReadonlyMap<number, CachedUser>
  readonly viewer: ViewerRelations | null
}

/**
 * Renders users, casts and channels by their ids, a whole page at once: it loads what the page needs through the caches,
 * in a few statements (docs/read-model.md, The cache), and renders it through `graph/view`.
 */
export class Hydrator {
  readonly #users: UserCache
  readonly #casts: CastCache
  readonly #channels: ChannelCache
  readonly #viewers: ViewerCache
  readonly invalidation = new Invalidation()
  /** The relations of viewers, whole. */
  readonly viewerSets: ViewerSets
  /** The newest casts and who reacted to them; empty until a loader fills it (`startWindowLoader`). */
  readonly window: RecentWindow
  readonly recent: RecentFeeds
  /** Reads that many requests share, such as the first page of a feed. */
  readonly singleFlight: SingleFlightCache
  /** The first pages of conversations, apart: crawlers read each once, and would drop the first pages of feeds. */
  readonly conversations: SingleFlightCache
  /** False when nothing is cached. */
  readonly cachesViews: boolean

  constructor(hydratorOptions: HydratorOptions) {
    const { maxViews } = hydratorOptions
    const options = { ...hydratorOptions, invalidation: this.invalidation, maxEntries: maxViews }
    this.#users = new UserCache(options)
    this.#casts = new CastCache(options.db, this.#users, options)
    this.#channels = new ChannelCache(options.db, this.#users, options)
    const { db, invalidation, maxViewerSetsBytes = 0 } = options
    this.viewerSets = new ViewerSets({ db, invalidation, maxBytes: maxViewerSetsBytes })
    this.window = new RecentWindow({ maxEntries: options.maxRecentEntries ?? 0, clock: options.clock })
    this.recent = new RecentFeeds({
      db,
      window: this.window,
      blocks: invalidation.blocks,
      viewerSets: this.viewerSets,
      onRead: options.onFeedRead,
    })
    if (options.maxRecentEntries) invalidation.blocks.add(this.window)
    this.#viewers = new ViewerCache(db, this.viewerSets, options)
    this.cachesViews = maxViews > 0
    const { listDb = db, clock } = options
    this.singleFlight = new SingleFlightCache(listDb, clock, this.invalidation, this.cachesViews)
    this.conversations = new SingleFlightCache(listDb, clock, this.invalidation, this.cachesViews)
  }

  /** Lookups so far, by cache and result. */
  lookups(): Readonly<Record<string, CacheLookups>> {
    return {
      users: this.#users.lookups,
      casts: this.#casts.lookups,
      channels: this.#channels.lookups,
      single_flight: this.singleFlight.lookups,
      conversations: this.conversations.lookups,
      viewer_sets: this.viewerSets.lookups,
    }
  }

  /** Renders users, by fid. The result has no entry for a fid that is not registered. */
  async users(fids: readonly number[], viewerFid?: number): Promise<Map<number, Json>> {
    const loaded = await this.#users.load(fids)
    const viewer = await this.#relations(viewerFid, { fids: [...loaded.keys()], casts: [], channelIds: [] })
    return new Map([...loaded].map(([fid, user]) => [fid, renderUser(user, viewer)]))
  }

  /** Renders users by fid as they are stored now: the cache may be behind a merge of another process. Without a viewer. */
  async storedUsers(fids: readonly number[]): Promise<Map<number, Json>> {
    if (fids.length === 0) return new Map()
    const loaded = await this.#users.loadStored(fids)
    return new Map([...loaded].map(([fid, user]) => [fid, renderUser(user, null)]))
  }

  /** The dehydrated forms of users, by fid. */
  async dehydratedUsers(fids: readonly number[]): Promise<Map<number, UserDehydrated>> {
    const loaded = await this.#users.load(fids)
    return new Map([...loaded].map(([fid, { record }]) => [fid, userDehydrated(record)]))
  }

  /**
   * Renders casts, by hash. The result has no entry for a cast that is not stored or whose author is not registered.
   *
   * @param hashes Hex without 0x.
   */
  async casts(hashes: readonly string[], viewerFid?: number): Promise<Map<string, Json>> {
    return renderCasts(await this.#loadWithContext(hashes, viewerFid))
  }

  /** Renders casts, and users who need not be their authors, in the statements that the casts alone take. */
  async castsAndUsers(
    hashes: readonly string[],
    fids: readonly number[],
    viewerFid?: number,
  ): Promise<{ casts: Map<string, Json>; users: Map<number, Json> }> {
    const context = await this.#loadWithContext(hashes, viewerFid, fids)
    const users = fids.flatMap((fid) => {
      const user = context.users.get(fid)
      return user ? [[fid, renderUser(user, context.viewer)] as const] : []
    })
    return { casts: renderCasts(context), users: new Map(users) }
  }

  /** Renders casts from their messages, by hash: also casts that were removed or never stored. Without a viewer. */
  async castSnapshots(snapshots: readonly CastRow[]): Promise<Map<string, Json>> {
    if (snapshots.length === 0) return new Map()
    const preloaded: PreloadedUsers = new Map()
    const casts = await this.#casts.loadSnapshots(snapshots, preloaded)
    return renderCasts(await this.#addContext(casts, preloaded))
  }

  /**
   * Renders the first visible casts of a list: those that are stored, that the viewer does not hide, and whose author
   * the app does not ban.
   *
   * @param hashes Each once.
   */
  async firstVisibleCasts(
    hashes: readonly string[],
    count: number,
    { viewerFid, ignoresMutes, banned }: Viewer & { readonly banned: ReadonlySet<number> },
  ): Promise<VisibleCasts> {
    const { casts, users, viewer } = await this.#loadWithContext(hashes, viewerFid)
    const visible: Json[] = []
    let lastIndex = -1
    for (const [index, hash] of hashes.entries()) {
      const cast = casts.get(hash)
      if (
        !cast ||
        banned.has(cast.authorFid) ||
        (viewer && isHiddenFrom(viewer, cast.authorFid, ignoresMutes))
      )
        continue
      const json = renderCast(cast, users, viewer)
      if (json === null) continue
      if (visible.length === count) return { casts: visible, lastIndex, hasMore: true }
      visible.push(json)
      lastIndex = index
    }
    return { casts: visible, lastIndex, hasMore: false }
  }

  /** Renders channels, by id. The result has no entry for an id without a channel. */
  async channels(ids: readonly string[], viewerFid?: number): Promise<Map<string, Json>> {
    const preloaded: PreloadedUsers = new Map()
    const loaded = await this.#channels.load(ids, preloaded)
    const users = await this.#users.load(
      [...loaded.values()].map((channel) => channel.leadFid),
      preloaded,
    )
    const viewer = await this.#relations(viewerFid, {
      fids: [...users.keys()],
      casts: [],
      channelIds: [...loaded.keys()],
    })
    return new Map([...loaded].map(([id, channel]) => [id, renderChannel(channel, users, viewer)]))
  }

  /** The dehydrated forms of channels, by id. */
  async dehydratedChannels(ids: readonly string[]): Promise<Map<string, ChannelDehydrated>> {
    const loaded = await this.#channels.load(ids, new Map())
    return new Map([...loaded].map(([id, { dehydrated }]) => [id, dehydrated]))
  }

  async #loadWithContext(
    hashes: readonly string[],
    viewerFid: number | undefined,
    otherFids: readonly number[] = [],
  ): Promise<CastsWithContext> {
    const preloaded: PreloadedUsers = new Map()
    const casts = await this.#casts.load(hashes, preloaded)
    return await this.#addContext(casts, preloaded, viewerFid, otherFids)
  }

  async #addContext(
    casts: ReadonlyMap<string, CastTemplate>,
    preloaded: PreloadedUsers,
    viewerFid?: number,
    otherFids: readonly number[] = [],
  ): Promise<CastsWithContext> {
    const templates = [...casts.values()]
    const users = await this.#users.load(
      [...templates.flatMap((cast) => [cast.authorFid, ...cast.mentionedFids]), ...otherFids],
      preloaded,
    )
    const viewer = await this.#relations(viewerFid, {
      fids: [...users.keys()],
      casts: templates,
      channelIds: unique(templates.flatMap((cast) => cast.channelId ?? [])),
    })
    return { casts, users, viewer }
  }

  async #relations(viewerFid: number | undefined, viewed: ViewedIds): Promise<ViewerRelations | null> {
    return viewerFid === undefined ? null : await this.#viewers.load(viewerFid, viewed)
  }
}

/** Renders casts, by hash, without those whose author is not registered. */
function renderCasts({ casts, users, viewer }: CastsWithContext): Map<string, Json> {
  const rendered = new Map<string, Json>()
  for (const [hash, cast] of casts) {
    const json = renderCast(cast, users, viewer)
    if (json !== null) rendered.set(hash, json)
  }
  return rendered
}

/** Whether the casts of a user are hidden from a viewer: it blocks or mutes the user, or the user blocks it. */
function isHiddenFrom(viewer: ViewerRelations, fid: number, ignoresMutes = false): boolean {
  return viewer.blocking.has(fid) || viewer.blockers.has(fid) || (!ignoresMutes && viewer.muting.has(fid))
}
