import type { Database } from '../../platform/db/connection.js'
import { type Look, loadViewerRelations, type Viewed, type ViewerRelations } from '../load/viewer.js'
import { LoadTogether } from './load-together.js'
import { TaggedCache, type TaggedCacheOptions } from './tagged-cache.js'

/** What is known of a viewer: its relations to all whom, and all that, it has seen of late. */
interface Known {
  readonly fids: Set<number>
  readonly hashes: Set<string>
  readonly following: Set<number>
  readonly followers: Set<number>
  readonly blocking: Set<number>
  readonly blockers: Set<number>
  readonly muting: Set<number>
  readonly liked: Set<string>
  readonly recasted: Set<string>
}

/** What a viewer is in a channel. */
interface Standing {
  readonly isFollowing: boolean
  readonly role: string | null
}

/** A viewer takes as much room as so many users or casts, at the most. */
const ENTRIES_A_VIEWER = 20
/** Users and casts that are remembered of one viewer: whoever has seen more begins anew. */
const MAX_SEEN = 2_000
/** Pages whose viewers are asked for in one statement. */
const MAX_LOOKS = 32

const byFid = ['following', 'followers', 'blocking', 'blockers', 'muting'] as const
const byHash = ['liked', 'recasted'] as const

/** The tag of everything that is kept of a viewer: whoever changes what it is to others drops it. */
export function viewerTag(fid: number): string {
  return `viewer:${fid}`
}

/**
 * What viewers have to do with the things of their pages. Who comes back soon, to the same page or to the next, sees
 * much of what it saw before: that is kept until the viewer follows, is followed, blocks, is blocked, mutes or reacts
 * (`viewerTag`), and what it is in a channel until the channel changes.
 */
export class ReadyViewers {
  readonly #together: LoadTogether<Look, ReadonlyMap<Look, ViewerRelations>>
  readonly #known: TaggedCache<Known>
  /** By viewer and channel. */
  readonly #standings: TaggedCache<Standing>

  constructor(db: Database, { tags, maxEntries }: TaggedCacheOptions) {
    const load = async (looks: readonly Look[]) => {
      const relations = await loadViewerRelations(db, looks)
      return new Map(looks.map((look, index) => [look, relations[index]!]))
    }
    this.#together = new LoadTogether(load, MAX_LOOKS)
    this.#known = new TaggedCache({ tags, maxEntries: Math.ceil(maxEntries / ENTRIES_A_VIEWER) })
    this.#standings = new TaggedCache({ tags, maxEntries })
  }

  /** What the viewer has to do with the things of a page. It may say more than was asked for. */
  async load(viewerFid: number, viewed: Viewed): Promise<ViewerRelations> {
    const key = String(viewerFid)
    const kept = this.#known.get(key)
    const known = kept ?? newKnown()
    const standings = new Map(
      viewed.channelIds.map((id) => [id, this.#standings.get(`${key} ${id}`)] as const),
    )
    const missing: Look = {
      viewerFid,
      fids: viewed.fids.filter((fid) => !known.fids.has(fid)),
      hashes: viewed.hashes.filter((hash) => !known.hashes.has(hash)),
      channelIds: viewed.channelIds.filter((id) => standings.get(id) === undefined),
    }
    if (missing.fids.length + missing.hashes.length + missing.channelIds.length > 0) {
      const [knownSince, standingsSince] = [this.#known.begin(), this.#standings.begin()]
      const loaded = (await this.#together.load([missing])).get(missing)!
      // When it was dropped meanwhile, nobody but this request has it any more.
      add(known, missing, loaded)
      if (!kept) this.#known.put(key, known, () => [viewerTag(viewerFid)], knownSince)
      if (known.fids.size + known.hashes.size > MAX_SEEN) this.#known.delete(key)
      for (const id of missing.channelIds) {
        const standing = { isFollowing: loaded.channels.has(id), role: loaded.roles.get(id) ?? null }
        standings.set(id, standing)
        this.#standings.put(`${key} ${id}`, standing, () => [`channel:${id}`], standingsSince)
      }
    }
    return { ...known, ...inChannels(standings) }
  }
}

function newKnown(): Known {
  return {
    fids: new Set(),
    hashes: new Set(),
    following: new Set(),
    followers: new Set(),
    blocking: new Set(),
    blockers: new Set(),
    muting: new Set(),
    liked: new Set(),
    recasted: new Set(),
  }
}

function add(known: Known, { fids, hashes }: Viewed, loaded: ViewerRelations): void {
  for (const fid of fids) known.fids.add(fid)
  for (const hash of hashes) known.hashes.add(hash)
  for (const relation of byFid) for (const fid of loaded[relation]) known[relation].add(fid)
  for (const relation of byHash) for (const hash of loaded[relation]) known[relation].add(hash)
}

function inChannels(
  standings: ReadonlyMap<string, Standing | undefined>,
): Pick<ViewerRelations, 'channels' | 'roles'> {
  const channels = new Set<string>()
  const roles = new Map<string, string>()
  for (const [id, standing] of standings) {
    if (standing?.isFollowing) channels.add(id)
    if (standing?.role) roles.set(id, standing.role)
  }
  return { channels, roles }
}
