import { isHiddenFrom, type Viewed, type ViewerRelations } from '../load/viewer.js'
import type { UserDehydrated } from '../view/schema/user-dehydrated.js'
import { userDehydrated } from '../view/user-dehydrated.js'
import { unique } from './ready.js'
import { type ReadyCast, ReadyCasts } from './ready-casts.js'
import { ReadyChannels } from './ready-channels.js'
import { type ReadyUser, ReadyUsers, type ReadyUsersOptions, type UsersAtHand } from './ready-users.js'
import { ReadyViewers } from './ready-viewers.js'
import { renderCast, renderChannel, renderUser } from './render.js'
import { SharedReads } from './shared-reads.js'
import { Tags } from './tags.js'

/** `maxEntries`: most users and most casts that are kept ready. 0 keeps nothing: every page is read anew. */
export type HydratorOptions = Omit<ReadyUsersOptions, 'tags'>

/** Casts that a viewer is to see. */
export interface ShownCasts {
  /** As JSON, in the order that was asked for. */
  readonly casts: readonly string[]
  /** Which of the hashes was shown last; -1 for none. */
  readonly last: number
  /** Whether one behind it would be shown as well. */
  readonly isMore: boolean
}

/** The casts of a page, and everything that they are shown with. */
interface CastsInView {
  readonly casts: ReadonlyMap<string, ReadyCast>
  readonly users: ReadonlyMap<number, ReadyUser>
  readonly viewer: ViewerRelations | null
}

/**
 * Makes JSON of ids, for whole pages at once: everything that the ids of a page need is loaded in a few statements
 * whatever their number (at most four and one for the viewer), and what is the same for everybody is kept ready.
 */
export class Hydrator {
  readonly #users: ReadyUsers
  readonly #casts: ReadyCasts
  readonly #channels: ReadyChannels
  readonly #viewers: ReadyViewers
  readonly #tags = new Tags()
  /** What many ask for at once. */
  readonly shared: SharedReads
  /** Whether anything is kept at all. */
  readonly keepsReady: boolean

  constructor(given: HydratorOptions) {
    const options = { ...given, tags: this.#tags }
    this.#users = new ReadyUsers(options)
    this.#casts = new ReadyCasts(options.db, this.#users, options)
    this.#channels = new ReadyChannels(options.db, this.#users, options)
    this.#viewers = new ReadyViewers(options.db, options)
    this.keepsReady = options.maxEntries > 0
    this.shared = new SharedReads(options.clock, this.#tags, this.keepsReady)
  }

  /**
   * Drops what is no longer so: see `cache-tags.ts`.
   *
   * @param authors Who has cast or recast, or has taken it back.
   */
  drop(tags: readonly string[], authors: readonly number[] = []): void {
    this.shared.activity.note(authors)
    this.#tags.drop(tags)
  }

  /** Drops everything, when it is not known what has changed. */
  clear(): void {
    this.#tags.clear()
  }

  /** Users as JSON, by fid; those that are not registered are not in the result. */
  async users(fids: readonly number[], viewerFid?: number): Promise<Map<number, string>> {
    const ready = await this.#users.load(fids)
    const viewer = await this.#relations(viewerFid, { fids: [...ready.keys()], hashes: [], channelIds: [] })
    return new Map([...ready].map(([fid, user]) => [fid, renderUser(user, viewer)]))
  }

  /** Short forms of users, by fid. */
  async dehydratedUsers(fids: readonly number[]): Promise<Map<number, UserDehydrated>> {
    const ready = await this.#users.load(fids)
    return new Map([...ready].map(([fid, { record }]) => [fid, userDehydrated(record)]))
  }

  /**
   * Casts as JSON, by hash in hex without 0x; those that are not here are not in the result. Authors that are
   * not registered cannot be shown, nor can their casts.
   */
  async casts(hashes: readonly string[], viewerFid?: number): Promise<Map<string, string>> {
    return renderCasts(await this.#view(hashes, viewerFid))
  }

  /** Casts, and users who are none of their authors, in the statements that the casts alone would take. */
  async castsAndUsers(
    hashes: readonly string[],
    fids: readonly number[],
    viewerFid?: number,
  ): Promise<{ casts: Map<string, string>; users: Map<number, string> }> {
    const view = await this.#view(hashes, viewerFid, fids)
    const users = fids.flatMap((fid) => {
      const user = view.users.get(fid)
      return user ? [[fid, renderUser(user, view.viewer)] as const] : []
    })
    return { casts: renderCasts(view), users: new Map(users) }
  }

  /**
   * The first casts of a list that was made for nobody in particular: those that are here, that the viewer is to see,
   * and that are of nobody whom the app bans.
   *
   * @param hashes Each once.
   */
  async firstCasts(
    hashes: readonly string[],
    count: number,
    { viewerFid, banned }: { readonly viewerFid?: number | undefined; readonly banned: ReadonlySet<number> },
  ): Promise<ShownCasts> {
    const { casts, users, viewer } = await this.#view(hashes, viewerFid)
    const shown: string[] = []
    let last = -1
    for (const [index, hash] of hashes.entries()) {
      const cast = casts.get(hash)
      if (!cast || banned.has(cast.authorFid) || (viewer && isHiddenFrom(viewer, cast.authorFid))) continue
      const json = renderCast(cast, users, viewer)
      if (json === null) continue
      if (shown.length === count) return { casts: shown, last, isMore: true }
      shown.push(json)
      last = index
    }
    return { casts: shown, last, isMore: false }
  }

  /** Channels as JSON, by id; those that there are not are not in the result. */
  async channels(ids: readonly string[], viewerFid?: number): Promise<Map<string, string>> {
    const atHand: UsersAtHand = new Map()
    const ready = await this.#channels.load(ids, atHand)
    const users = await this.#users.load(
      [...ready.values()].map((channel) => channel.leadFid),
      atHand,
    )
    const viewer = await this.#relations(viewerFid, {
      fids: [...users.keys()],
      hashes: [],
      channelIds: [...ready.keys()],
    })
    return new Map([...ready].map(([id, channel]) => [id, renderChannel(channel, users, viewer)]))
  }

  async #view(
    hashes: readonly string[],
    viewerFid: number | undefined,
    otherFids: readonly number[] = [],
  ): Promise<CastsInView> {
    const atHand: UsersAtHand = new Map()
    const casts = await this.#casts.load(hashes, atHand)
    const inView = [...casts.values()]
    const users = await this.#users.load(
      [...inView.flatMap((cast) => [cast.authorFid, ...cast.mentionedFids]), ...otherFids],
      atHand,
    )
    const viewer = await this.#relations(viewerFid, {
      fids: [...users.keys()],
      hashes: [...casts.keys()],
      channelIds: unique(inView.flatMap((cast) => (cast.channel ? [cast.channel.id] : []))),
    })
    return { casts, users, viewer }
  }

  async #relations(viewerFid: number | undefined, viewed: Viewed): Promise<ViewerRelations | null> {
    // Looking nobody in particular.
    if (viewerFid === undefined) return null
    return await this.#viewers.load(viewerFid, viewed)
  }
}

/** By hash; those that cannot be shown are left out. */
function renderCasts({ casts, users, viewer }: CastsInView): Map<string, string> {
  const rendered = new Map<string, string>()
  for (const [hash, cast] of casts) {
    const json = renderCast(cast, users, viewer)
    if (json !== null) rendered.set(hash, json)
  }
  return rendered
}
