import type { Database } from '../../platform/db/connection.js'
import { DataLoader } from '../load/data-loader.js'
import {
  castRelations,
  loadViewerRelations,
  noRelations,
  userRelations,
  type ViewedIds,
  type ViewerQuery,
  type ViewerRelations,
} from '../load/viewer.js'
import { cacheTag, channelTags } from './cache-tags.js'
import { TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'

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

/**
 * Loads and caches the relations of viewers to the users, casts and channels of their pages. A viewer who
 * comes back sees much of what it saw before. Relations are cached until the viewer follows, is followed,
 * blocks, is blocked, mutes or reacts (`cacheTag.viewer`), memberships until the channel changes.
 */
export class ViewerCache {
  readonly #loader: DataLoader<ViewerQuery, ReadonlyMap<ViewerQuery, ViewerRelations>>
  readonly #relations: TaggedCache<KnownRelations>
  /** By viewer and channel. */
  readonly #memberships: TaggedCache<ChannelMembership>

  constructor(db: Database, { invalidation, maxEntries }: TaggedCacheOptions) {
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
    const key = String(viewerFid)
    const cached = this.#relations.get(key)
    const relations = cached ?? createKnownRelations()
    const memberships = new Map(
      viewedIds.channelIds.map((id) => [id, this.#memberships.get(`${key} ${id}`)] as const),
    )
    const missing: ViewerQuery = {
      viewerFid,
      fids: viewedIds.fids.filter((fid) => !relations.fids.has(fid)),
      hashes: viewedIds.hashes.filter((hash) => !relations.hashes.has(hash)),
      channelIds: viewedIds.channelIds.filter((id) => memberships.get(id) === undefined),
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
      for (const id of missing.channelIds) {
        const membership = { isFollowing: loaded.channels.has(id), role: loaded.roles.get(id) ?? null }
        memberships.set(id, membership)
        this.#memberships.put(`${key} ${id}`, membership, () => channelTags(id), membershipsSince)
      }
    }
    return { ...relations, ...channelRelations(memberships) }
  }
}

function createKnownRelations() {
  return { fids: new Set<number>(), hashes: new Set<string>(), ...noRelations() }
}

function addRelations(relations: KnownRelations, { fids, hashes }: ViewedIds, loaded: ViewerRelations): void {
  for (const fid of fids) relations.fids.add(fid)
  for (const hash of hashes) relations.hashes.add(hash)
  for (const relation of userRelations) for (const fid of loaded[relation]) relations[relation].add(fid)
  for (const relation of castRelations) for (const hash of loaded[relation]) relations[relation].add(hash)
}

function channelRelations(
  memberships: ReadonlyMap<string, ChannelMembership | undefined>,
): Pick<ViewerRelations, 'channels' | 'roles'> {
  const channels = new Set<string>()
  const roles = new Map<string, string>()
  for (const [id, membership] of memberships) {
    if (membership?.isFollowing) channels.add(id)
    if (membership?.role) roles.set(id, membership.role)
  }
  return { channels, roles }
}
