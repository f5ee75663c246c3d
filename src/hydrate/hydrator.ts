import type { Database } from '../db/connection.js'
import { castViewerContext, embeddedIn, fidsIn, type PresentedCast, presentCast } from '../views/cast.js'
import { presentChannel } from '../views/channel.js'
import { channelDehydrated, channelUserContext } from '../views/channel-dehydrated.js'
import { castJson, channelJson, userJson } from '../views/json.js'
import type { LocationAddress } from '../views/schema/location.js'
import type { UserDehydrated } from '../views/schema/user-dehydrated.js'
import { spokenChannels, spokenUsernames } from '../views/text-ranges.js'
import { presentUser, userViewerContext } from '../views/user.js'
import { userDehydrated } from '../views/user-dehydrated.js'
import { type CastRecord, loadCasts } from './cast-record.js'
import { loadChannels } from './channel-record.js'
import { loadNames } from './names.js'
import { TaggedCache } from './tagged-cache.js'
import { loadUsers, type UserRecord } from './user-record.js'
import { loadViewerRelations, type Viewed, type ViewerRelations } from './viewer.js'

export interface HydratorOptions {
  readonly db: Database
  /** Unix milliseconds. */
  readonly clock: () => number
  /** The place that coordinates are in; null where none is known. */
  readonly placeOf: (latitude: number, longitude: number) => LocationAddress | null
  /** Most users and most casts that are kept ready. 0 keeps nothing: every page is read anew. */
  readonly maxEntries: number
}

/** A user as it is kept: the record for short forms, and the whole view without `viewer_context`. */
interface ReadyUser {
  readonly record: UserRecord
  /** JSON without its closing brace. */
  readonly open: string
}

/** A cast as it is kept: everything that is the same for everybody. */
interface ReadyCast extends Omit<PresentedCast, 'body'> {
  readonly record: CastRecord
  /** JSON without its closing brace. */
  readonly open: string
}

interface ReadyChannel {
  readonly id: string
  readonly leadFid: number
  /** JSON without its closing brace. */
  readonly open: string
}

/** Users that one page has loaded so far: its later parts do not load them again, also when nothing is kept. */
type UsersAtHand = Map<number, ReadyUser>

/** Looking nobody in particular. */
const nobody: ViewerRelations | null = null

/**
 * Makes JSON of ids, for whole pages at once: everything that the ids of a page need is loaded in a few statements
 * whatever their number (at most four and one for the viewer), and what is the same for everybody is kept ready.
 */
export class Hydrator {
  readonly #options: HydratorOptions
  readonly #users: TaggedCache<ReadyUser>
  readonly #casts: TaggedCache<ReadyCast>
  readonly #channels: TaggedCache<ReadyChannel>

  constructor(options: HydratorOptions) {
    this.#options = options
    const maxEntries = Math.max(1, options.maxEntries)
    this.#users = new TaggedCache({ maxEntries })
    this.#casts = new TaggedCache({ maxEntries })
    this.#channels = new TaggedCache({ maxEntries })
  }

  /** Drops what is no longer so: see `cache-tags.ts`. */
  drop(tags: readonly string[]): void {
    for (const cache of [this.#users, this.#casts, this.#channels]) cache.drop(tags)
  }

  /** Drops everything, when it is not known what has changed. */
  clear(): void {
    for (const cache of [this.#users, this.#casts, this.#channels]) cache.clear()
  }

  /** Users as JSON, by fid; those that are not registered are not in the result. */
  async users(fids: readonly number[], viewerFid?: number): Promise<Map<number, string>> {
    const ready = await this.#readyUsers(fids)
    const viewer = await this.#relations(viewerFid, { fids: [...ready.keys()], hashes: [], channelIds: [] })
    return new Map([...ready].map(([fid, user]) => [fid, renderUser(user, viewer)]))
  }

  /** Short forms of users, by fid. */
  async dehydratedUsers(fids: readonly number[]): Promise<Map<number, UserDehydrated>> {
    const ready = await this.#readyUsers(fids)
    return new Map([...ready].map(([fid, { record }]) => [fid, userDehydrated(record)]))
  }

  /**
   * Casts as JSON, by hash in hex without 0x; those that are not here are not in the result. Authors that are
   * not registered cannot be shown, nor can their casts.
   */
  async casts(hashes: readonly string[], viewerFid?: number): Promise<Map<string, string>> {
    const atHand: UsersAtHand = new Map()
    const ready = await this.#readyCasts(hashes, atHand)
    const casts = [...ready.values()]
    const users = await this.#readyUsers(
      casts.flatMap((cast) => [cast.authorFid, ...cast.mentionedFids]),
      atHand,
    )
    const viewer = await this.#relations(viewerFid, {
      fids: [...users.keys()],
      hashes: [...ready.keys()],
      channelIds: casts.flatMap((cast) => (cast.channel ? [cast.channel.id] : [])),
    })
    const rendered = new Map<string, string>()
    for (const [hash, cast] of ready) {
      const json = renderCast(hash, cast, users, viewer)
      if (json !== null) rendered.set(hash, json)
    }
    return rendered
  }

  /** Channels as JSON, by id; those that there are not are not in the result. */
  async channels(ids: readonly string[], viewerFid?: number): Promise<Map<string, string>> {
    const atHand: UsersAtHand = new Map()
    const ready = await this.#readyChannels(ids, atHand)
    const users = await this.#readyUsers(
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

  async #relations(viewerFid: number | undefined, viewed: Viewed): Promise<ViewerRelations | null> {
    if (viewerFid === undefined) return nobody
    return await loadViewerRelations(this.#options.db, viewerFid, viewed)
  }

  async #readyUsers(
    fids: readonly number[],
    atHand: UsersAtHand = new Map(),
  ): Promise<Map<number, ReadyUser>> {
    const { ready, missing } = split(fids, (fid) => atHand.get(fid) ?? this.#users.get(String(fid)))
    if (missing.length > 0) {
      const since = this.#users.begin()
      const records = await loadUsers(this.#options.db, missing)
      for (const user of await this.#presentUsers([...records.values()])) {
        ready.set(user.record.fid, user)
        this.#keepUser(user, since)
      }
    }
    for (const [fid, user] of ready) atHand.set(fid, user)
    return ready
  }

  async #presentUsers(records: readonly UserRecord[]): Promise<ReadyUser[]> {
    const bios = records.map((record) => record.bio ?? '')
    const names = await loadNames(this.#options.db, {
      usernames: unique(bios.flatMap(spokenUsernames).map(({ name }) => name)),
      channelIds: unique(bios.flatMap(spokenChannels).map(({ name }) => name)),
    })
    const { placeOf, clock } = this.#options
    const now = Math.floor(clock() / 1000)
    return records.map((record) => ({
      record,
      open: openJson(presentUser(record, { names, placeOf, now })),
    }))
  }

  #keepUser(user: ReadyUser, since: number): void {
    if (this.#options.maxEntries === 0) return
    const { record } = user
    const apps = record.authAddresses.map(({ app }) => app.fid)
    const spoken = spokenUsernames(record.bio ?? '').map(({ name }) => `name:${name}`)
    const channels = spokenChannels(record.bio ?? '').map(({ name }) => `channel:${name}`)
    const tags = [...unique([record.fid, ...apps]).map((fid) => `user:${fid}`), ...spoken, ...channels]
    this.#users.put(String(record.fid), user, tags, since)
  }

  async #readyCasts(hashes: readonly string[], atHand: UsersAtHand): Promise<Map<string, ReadyCast>> {
    const { ready, missing } = split(hashes, (hash) => this.#casts.get(hash))
    if (missing.length === 0) return ready
    const since = this.#casts.begin()
    const records = await loadCasts(this.#options.db, missing)
    const wanted = missing.flatMap((hash) => records.get(hash) ?? [])
    for (const [hash, cast] of await this.#presentCasts(wanted, records, atHand)) {
      ready.set(hash, cast)
      this.#keepCast(cast, records, since)
    }
    return ready
  }

  async #presentCasts(
    wanted: readonly CastRecord[],
    casts: ReadonlyMap<string, CastRecord>,
    atHand: UsersAtHand,
  ): Promise<Map<string, ReadyCast>> {
    const [users, names] = await Promise.all([
      this.#readyUsers(
        wanted.flatMap((record) => fidsIn(record, casts)),
        atHand,
      ),
      loadNames(this.#options.db, {
        usernames: [],
        channelIds: unique(wanted.flatMap(({ text }) => spokenChannels(text)).map(({ name }) => name)),
      }),
    ])
    const records = new Map([...users].map(([fid, { record }]) => [fid, record]))
    return new Map(
      wanted.map((record) => {
        const { body, ...rest } = presentCast(record, { casts, users: records, names })
        return [record.hash, { ...rest, record, open: openJson(body) }]
      }),
    )
  }

  #keepCast(cast: ReadyCast, casts: ReadonlyMap<string, CastRecord>, since: number): void {
    if (this.#options.maxEntries === 0) return
    const { record } = cast
    const inner = embeddedIn(record, casts)
    const deepest = inner.flatMap((each) => embeddedIn(each, casts))
    // Of casts that are not here (yet), too: they are named by the embeds.
    const named = [record, ...inner].flatMap((each) =>
      each.embeds.flatMap((embed) => ('url' in embed ? [] : [embed.hash.slice(2)])),
    )
    const urls = [record, ...inner].flatMap((each) =>
      each.embeds.flatMap((embed) => ('url' in embed ? [embed.url] : [])),
    )
    const hashes = [record, ...inner, ...deepest].map((each) => each.hash)
    this.#casts.put(
      record.hash,
      cast,
      [
        ...unique([...hashes, ...named]).map((hash) => `cast:${hash}`),
        ...unique([record, ...inner].map((each) => each.threadHash)).map((hash) => `thread:${hash}`),
        ...unique(fidsIn(record, casts)).map((fid) => `user:${fid}`),
        ...unique([record, ...inner].flatMap((each) => each.rootParentUrl ?? [])).map(
          (url) => `channelUrl:${url}`,
        ),
        ...unique(spokenChannels(record.text).map(({ name }) => name)).map((id) => `channel:${id}`),
        ...unique(urls).map((url) => `url:${url}`),
      ],
      since,
    )
  }

  async #readyChannels(ids: readonly string[], atHand: UsersAtHand): Promise<Map<string, ReadyChannel>> {
    const { ready, missing } = split(ids, (id) => this.#channels.get(id))
    if (missing.length === 0) return ready
    const since = this.#channels.begin()
    const records = await loadChannels(this.#options.db, missing)
    const mentioned = [...records.values()].flatMap((record) => record.descriptionMentions)
    const users = await this.#readyUsers(mentioned, atHand)
    const userRecords = new Map([...users].map(([fid, { record }]) => [fid, record]))
    for (const record of records.values()) {
      const channel = {
        id: record.id,
        leadFid: record.leadFid,
        open: openJson(presentChannel(record, userRecords)),
      }
      ready.set(record.id, channel)
      if (this.#options.maxEntries === 0) continue
      const tags = [`channel:${record.id}`, ...record.descriptionMentions.map((fid) => `user:${fid}`)]
      this.#channels.put(record.id, channel, tags, since)
    }
    return ready
  }
}

/** What is ready, and what has to be loaded, each once. */
function split<Id, Ready>(
  ids: readonly Id[],
  get: (id: Id) => Ready | undefined,
): { ready: Map<Id, Ready>; missing: Id[] } {
  const ready = new Map<Id, Ready>()
  const missing: Id[] = []
  for (const id of new Set(ids)) {
    const value = get(id)
    if (value === undefined) missing.push(id)
    else ready.set(id, value)
  }
  return { ready, missing }
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

/** JSON of an object without the closing brace, so that members can be put behind. */
function openJson(value: object): string {
  return JSON.stringify(value).slice(0, -1)
}

function renderUser({ record, open }: ReadyUser, viewer: ViewerRelations | null): string {
  return userJson(open, viewer && userViewerContext(record.fid, viewer))
}

function renderCast(
  hash: string,
  cast: ReadyCast,
  users: ReadonlyMap<number, ReadyUser>,
  viewer: ViewerRelations | null,
): string | null {
  const author = users.get(cast.authorFid)
  if (!author) return null
  return castJson(cast.open, {
    author: renderUser(author, viewer),
    mentioned: cast.mentionedFids.flatMap((fid) => {
      const user = users.get(fid)
      return user ? [renderUser(user, viewer)] : []
    }),
    channel: cast.channel && channelDehydrated(cast.channel, viewer ?? undefined),
    viewerContext: viewer && castViewerContext(hash, viewer),
  })
}

function renderChannel(
  channel: ReadyChannel,
  users: ReadonlyMap<number, ReadyUser>,
  viewer: ViewerRelations | null,
): string {
  const lead = users.get(channel.leadFid)
  return channelJson(channel.open, {
    lead: lead ? renderUser(lead, viewer) : null,
    viewerContext: viewer && channelUserContext(channel.id, viewer),
  })
}
