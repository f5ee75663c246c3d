import type { Database } from '../../platform/db/connection.js'
import { DataLoader } from '../load/data-loader.js'
import type { UserMemberships } from '../load/memberships.js'
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
import { cacheTag } from './cache-tags.js'
import { MembershipCache } from './membership-cache.js'
import { TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'
import type { UserSets } from './user-sets.js'
import type { ViewerSets } from './viewer-sets.js'

/** The known relations of a viewer to the users and casts that it saw recently, which are the two sets. */
type KnownRelations = ReturnType<typeof createKnownRelations>

/** The size of a viewer in entries for users or casts, at most. */
const ENTRIES_PER_VIEWER = 20
/** Users and casts that one viewer remembers; more start a new entry. */
const MAX_REMEMBERED_IDS = 2_000
/** Pages whose relations one statement loads. */
const MAX_BATCH_SIZE = 32

/**
 * The relations of viewers to the users, casts and channels of their pages. Those to users and casts come from the
 * viewer's sets. Without sets (`ViewerSets.load`), they are loaded and cached by page: until the viewer follows, is
 * followed, blocks, is blocked, mutes or reacts (`cacheTag.viewer`). Its channels are cached whole (`MembershipCache`).
 */
export class ViewerCache {
  readonly #loader: DataLoader<ViewerQuery, ReadonlyMap<ViewerQuery, LoadedRelations>>
  readonly #relations: TaggedCache<KnownRelations>
  readonly #memberships: MembershipCache

  constructor(
    db: Database,
    private readonly sets: ViewerSets,
    options: TaggedCacheOptions,
  ) {
    const load = async (queries: readonly ViewerQuery[]) => {
      const relations = await loadViewerRelations(db, queries)
      return new Map(queries.map((query, index) => [query, relations[index]!]))
    }
    this.#loader = new DataLoader(load, MAX_BATCH_SIZE)
    const { invalidation, maxEntries } = options
    const maxViewers = Math.ceil(maxEntries / ENTRIES_PER_VIEWER)
    this.#relations = new TaggedCache({ invalidation, maxEntries: maxViewers }, undefined, [cacheTag.links])
    this.#memberships = new MembershipCache(db, options)
  }

  /** Loads the relations of a viewer to the ids of a page. The result may contain more ids. */
  async load(viewerFid: number, viewedIds: ViewedIds): Promise<ViewerRelations> {
    const cachedSets = this.sets.get(viewerFid)
    const cachedMemberships = this.#memberships.get(viewerFid, viewedIds.channelIds)
    if (cachedSets && cachedMemberships) return relationsOf(cachedSets, cachedMemberships)
    const [sets, memberships] = await Promise.all([
      cachedSets ?? this.sets.load(viewerFid),
      cachedMemberships ?? this.#memberships.load(viewerFid, viewedIds.channelIds),
    ])
    if (!sets) return await this.#loadPage(viewerFid, viewedIds, memberships)
    return relationsOf(
      sets,
      memberships ?? (await this.#query({ ...viewedIds, viewerFid, fids: [], casts: [] })),
    )
  }

  /** Loads the relations to a page, and caches those to users and casts. */
  async #loadPage(
    viewerFid: number,
    viewedIds: ViewedIds,
    memberships: UserMemberships | null,
  ): Promise<ViewerRelations> {
    const key = String(viewerFid)
    const cached = this.#relations.get(key)
    const relations = cached ?? createKnownRelations()
    const missing: ViewerQuery = {
      viewerFid,
      fids: viewedIds.fids.filter((fid) => !relations.fids.has(fid)),
      casts: viewedIds.casts.filter(({ hash }) => !relations.hashes.has(hash)),
      channelIds: memberships ? [] : viewedIds.channelIds,
    }
    if (missing.fids.length + missing.casts.length + missing.channelIds.length === 0)
      return { ...relations, ...memberships }
    const since = this.#relations.currentVersion()
    const loaded = await this.#query(missing)
    // If the entry was dropped meanwhile, only this request still has it.
    addRelations(relations, missing, loaded)
    if (!cached) this.#relations.put(key, relations, () => [cacheTag.viewer(viewerFid)], since)
    if (relations.fids.size + relations.hashes.size > MAX_REMEMBERED_IDS) this.#relations.delete(key)
    const { channels, roles } = memberships ?? loaded
    return { ...relations, channels, roles }
  }

  async #query(query: ViewerQuery): Promise<LoadedRelations> {
    return (await this.#loader.load([query])).get(query)!
  }
}

function relationsOf(
  { following, followers, blocking, blockers, muting, liked, recasted }: UserSets,
  { channels, roles }: UserMemberships,
): ViewerRelations {
  return { following, followers, blocking, blockers, muting, liked, recasted, channels, roles }
}

function createKnownRelations() {
  return { fids: new Set<number>(), hashes: new Set<string>(), ...noRelations() }
}

function addRelations(relations: KnownRelations, { fids, casts }: ViewedIds, loaded: LoadedRelations): void {
  for (const fid of fids) relations.fids.add(fid)
  for (const { hash } of casts) relations.hashes.add(hash)
  for (const relation of userRelations) for (const fid of loaded[relation]) relations[relation].add(fid)
  for (const relation of castRelations) for (const hash of loaded[relation]) relations[relation].add(hash)
}
