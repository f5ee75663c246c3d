import type { Database } from '../../platform/db/connection.js'
import { DataLoader } from '../load/data-loader.js'
import {
  castRelations,
  type LoadedRelations,
  loadViewerRelations,
  noRelations,
  userRelations,
  type ViewedIds,
  type ViewerQuery,
  type ViewerRelations,
} from '../load/viewer.js'
import { cacheTag, channelTags } from './cache-tags.js'
import { TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'
import type { ViewerSets } from './viewer-sets.js'

/** The known relations of a viewer to the users and casts that it saw recently, which are the two sets. */
type KnownRelations = ReturnType<typeof createKnownRelations>

/** The membership of a viewer in a channel. */
interface ChannelMembership {
  readonly isFollowing: boolean
  readonly role: string | null
}

/** The size of a viewer in entries for users or casts, at most. */
const ENTRIES_PER_VIEWER = 20
/** Users and casts that one viewer remembers; more start a new entry. */
const MAX_REMEMBERED_IDS = 2_000
/** Pages whose relations one statement loads. */
const MAX_BATCH_SIZE = 32

/** The membership of a viewer in the channels of a page; undefined for one that is not cached. */
type Memberships = Map<string, ChannelMembership | undefined>

/**
 * The relations of viewers to the users, casts and channels of their pages. Those to users and casts come from the
 * viewer's sets. Without sets (`ViewerSets.load`), they are loaded and cached by page: until the viewer follows, is
 * followed, blocks, is blocked, mutes or reacts (`cacheTag.viewer`). Memberships are cached until the channel changes.
 */
export class ViewerCache {
  readonly #loader: DataLoader<ViewerQuery, ReadonlyMap<ViewerQuery, LoadedRelations>>
  readonly #relations: TaggedCache<KnownRelations>
  /** By viewer and channel. */
  readonly #memberships: TaggedCache<ChannelMembership>

  constructor(
    db: Database,
    private readonly sets: ViewerSets,
    { invalidation, maxEntries }: TaggedCacheOptions,
  ) {
    const load = async (queries: readonly ViewerQuery[]) => {
      const relations = await loadViewerRelations(db, queries)
      return new Map(queries.map((query, index) => [query, relations[index]!]))
    }
    this.#loader = new DataLoader(load, MAX_BATCH_SIZE)
    this.#relations = new TaggedCache({
      invalidation,
      maxEntries: Math.ceil(maxEntries / ENTRIES_PER_VIEWER),
    })
    this.#memberships = new TaggedCache({ invalidation, maxEntries })
  }

  /** Loads the relations of a viewer to the ids of a page. The result may contain more ids. */
  async load(viewerFid: number, viewedIds: ViewedIds): Promise<ViewerRelations> {
    const sets = this.sets.get(viewerFid) ?? (await this.sets.load(viewerFid))
    if (!sets) return await this.#loadPage(viewerFid, viewedIds)
    const memberships = this.#cachedMemberships(viewerFid, viewedIds.channelIds)
    const channelIds = missingFrom(memberships)
    if (channelIds.length > 0) {
      const since = this.#memberships.currentVersion()
      const missing: ViewerQuery = { viewerFid, fids: [], hashes: [], channelIds }
      const loaded = (await this.#loader.load([missing])).get(missing)!
      this.#addMemberships(memberships, missing, loaded, since)
    }
    const { following, followers, blocking, blockers, muting, liked, recasted } = sets
    const relations = { following, followers, blocking, blockers, muting, liked, recasted }
    return { ...relations, ...channelRelations(memberships) }
  }

  /** Loads the relations to a page, and caches them. */
  async #loadPage(viewerFid: number, viewedIds: ViewedIds): Promise<ViewerRelations> {
    const key = String(viewerFid)
    const cached = this.#relations.get(key)
    const relations = cached ?? createKnownRelations()
    const memberships = this.#cachedMemberships(viewerFid, viewedIds.channelIds)
    const missing: ViewerQuery = {
      viewerFid,
      fids: viewedIds.fids.filter((fid) => !relations.fids.has(fid)),
      hashes: viewedIds.hashes.filter((hash) => !relations.hashes.has(hash)),
      channelIds: missingFrom(memberships),
    }
    if (missing.fids.length + missing.hashes.length + missing.channelIds.length > 0) {
      const [relationsSince, membershipsSince] = [
        this.#relations.currentVersion(),
        this.#memberships.currentVersion(),
      ]
      const loaded = (await this.#loader.load([missing])).get(missing)!
      // If the entry was dropped meanwhile, only this request still has it.
      addRelations(relations, missing, loaded)
      if (!cached) this.#relations.put(key, relations, () => [cacheTag.viewer(viewerFid)], relationsSince)
      if (relations.fids.size + relations.hashes.size > MAX_REMEMBERED_IDS) this.#relations.delete(key)
      this.#addMemberships(memberships, missing, loaded, membershipsSince)
    }
    return { ...relations, ...channelRelations(memberships) }
  }

  #cachedMemberships(viewerFid: number, channelIds: readonly string[]): Memberships {
    return new Map(channelIds.map((id) => [id, this.#memberships.get(`${viewerFid} ${id}`)]))
  }

  #addMemberships(
    memberships: Memberships,
    { viewerFid, channelIds }: ViewerQuery,
    loaded: LoadedRelations,
    since: number,
  ): void {
    for (const id of channelIds) {
      const membership = { isFollowing: loaded.channels.has(id), role: loaded.roles.get(id) ?? null }
      memberships.set(id, membership)
      this.#memberships.put(`${viewerFid} ${id}`, membership, () => channelTags(id), since)
    }
  }
}

function missingFrom(memberships: Memberships): string[] {
  return [...memberships].flatMap(([id, membership]) => (membership === undefined ? [id] : []))
}

function createKnownRelations() {
  return { fids: new Set<number>(), hashes: new Set<string>(), ...noRelations() }
}

function addRelations(relations: KnownRelations, { fids, hashes }: ViewedIds, loaded: LoadedRelations): void {
  for (const fid of fids) relations.fids.add(fid)
  for (const hash of hashes) relations.hashes.add(hash)
  for (const relation of userRelations) for (const fid of loaded[relation]) relations[relation].add(fid)
  for (const relation of castRelations) for (const hash of loaded[relation]) relations[relation].add(hash)
}

function channelRelations(memberships: Memberships): Pick<ViewerRelations, 'channels' | 'roles'> {
  const channels = new Set<string>()
  const roles = new Map<string, string>()
  for (const [id, membership] of memberships) {
    if (membership?.isFollowing) channels.add(id)
    if (membership?.role) roles.set(id, membership.role)
  }
  return { channels, roles }
}
