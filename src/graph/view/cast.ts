import { unixSecondsFromFarcasterSeconds } from '../../protocol/time.js'
import type { CastEmbed } from '../cast-row.js'
import type { CastRecord, ChannelName } from '../load/cast-record.js'
import type { TextNames } from '../load/mentioned-names.js'
import type { UserRecord } from '../load/user-record.js'
import type { ViewedCast, ViewerRelations } from '../load/viewer.js'
import { channelContext, channelDehydrated } from './channel.js'
import { dateTimeOf } from './formats.js'
import type {
  Cast,
  CastDehydrated,
  CastEmbedded,
  CastViewerContext,
  Embed,
  EmbedDeep,
} from './schema/cast.js'
import { MAX_INT32, type TextRange } from './schema/primitives.js'
import { type EmbedUrlMetadata, emptyMetadata } from './schema/url-metadata.js'
import { channelMentions, insertMentions } from './text-ranges.js'
import { userDehydrated, usernameOrPlaceholder } from './user-dehydrated.js'

/** Data that the view of a cast needs besides its record. */
export interface CastViewInput {
  /** The embedded casts. */
  readonly casts: ReadonlyMap<string, CastRecord>
  /** Authors, apps and mentioned users. */
  readonly users: ReadonlyMap<number, UserRecord>
  /** The channels that the text mentions. */
  readonly names: TextNames
}

/** The part of a cast that `presentCast` makes: without whole users and viewer contexts. */
export type CastBody = Omit<Cast, 'author' | 'mentioned_profiles' | 'channel' | 'viewer_context'>

/** The part of a cast that is the same for every viewer, and the users and channel to add. */
export interface PresentedCast {
  readonly body: CastBody
  readonly authorFid: number
  readonly mentionedFids: readonly number[]
  readonly channel: ChannelName | null
}

/** Makes the part of a cast that is the same for every viewer. */
export function presentCast(cast: CastRecord, input: CastViewInput): PresentedCast {
  const { text, mentions } = textOf(cast, input.users)
  const channels = channelsIn(text, input.names)
  return {
    authorFid: cast.fid,
    mentionedFids: mentions.map(({ fid }) => fid),
    channel: cast.channel,
    body: {
      object: 'cast',
      hash: `0x${cast.hash}`,
      parent_hash: prefixed(cast.parentHash),
      parent_url: cast.parentUrl,
      root_parent_url: cast.rootParentUrl,
      thread_hash: `0x${cast.threadHash}`,
      parent_author: parentAuthor(cast.parentFid),
      app: appOf(cast, input.users),
      text,
      timestamp: timestampOf(cast),
      embeds: cast.embeds.flatMap((embed) => presentEmbed(embed, cast, input) ?? []),
      frames: [],
      reactions: { likes_count: cast.likes, recasts_count: cast.recasts, likes: [], recasts: [] },
      replies: { count: cast.replies },
      mentioned_profiles_ranges: mentions.map(({ range }) => range),
      mentioned_channels: channels.map(({ channel }) => channelDehydrated(channel)),
      mentioned_channels_ranges: channels.map(({ range }) => range),
      ...(cast.authorInChannel
        ? {
            author_channel_context: channelContext(cast.authorInChannel.following, cast.authorInChannel.role),
          }
        : {}),
    },
  }
}

/** All viewer contexts of a cast. Their JSON is cached by identity: see `render.ts`. */
const viewerContexts: readonly CastViewerContext[] = Array.from({ length: 4 }, (_, bits) => ({
  liked: (bits & 1) !== 0,
  recasted: (bits & 2) !== 0,
}))

/** The viewer context of a cast. */
export function castViewerContext(
  { hash, authorFid }: ViewedCast,
  { liked, recasted }: ViewerRelations,
): CastViewerContext {
  return viewerContexts[(liked.has(hash, authorFid) ? 1 : 0) | (recasted.has(hash, authorFid) ? 2 : 0)]!
}

/** The dehydrated form of a cast. */
function castDehydrated(cast: CastRecord, users: ReadonlyMap<number, UserRecord>): CastDehydrated {
  const author = users.get(cast.fid)
  return {
    object: 'cast_dehydrated',
    hash: `0x${cast.hash}`,
    ...(author ? { author: userDehydrated(author) } : {}),
    app: appOf(cast, users),
  }
}

/** The fids of all users that the view of a cast shows, including embedded casts. */
export function fidsIn(cast: CastRecord, casts: ReadonlyMap<string, CastRecord>, level = 0): number[] {
  const participantFids = [cast.fid, ...cast.mentions, ...(cast.appFid === null ? [] : [cast.appFid])]
  if (level >= 2) return participantFids
  return [
    ...participantFids,
    ...embeddedIn(cast, casts).flatMap((embeddedCast) => fidsIn(embeddedCast, casts, level + 1)),
  ]
}

/** The embedded casts of a cast that are stored. */
export function embeddedIn(cast: CastRecord, casts: ReadonlyMap<string, CastRecord>): CastRecord[] {
  return cast.embeds.flatMap((embed) => {
    const embeddedCast = 'url' in embed ? undefined : findCast(embed, casts)
    return embeddedCast ? [embeddedCast] : []
  })
}

/** An embed names a cast by author and hash: with the wrong author it names no cast. */
function findCast(
  { fid, hash }: Extract<CastEmbed, { hash: string }>,
  casts: ReadonlyMap<string, CastRecord>,
): CastRecord | undefined {
  const cast = casts.get(hash.slice(2))
  return cast?.fid === fid ? cast : undefined
}

function textOf(cast: CastRecord, users: ReadonlyMap<number, UserRecord>) {
  return insertMentions(cast.text, cast.mentions, cast.mentionPositions, (fid) => {
    const user = users.get(fid)
    return user && usernameOrPlaceholder(user)
  })
}

function channelsIn(text: string, names: TextNames): { channel: ChannelName; range: TextRange }[] {
  return channelMentions(text).flatMap(({ name, range }) => {
    const channel = names.channels.get(name)
    return channel ? [{ channel, range }] : []
  })
}

function prefixed(hash: string | null): string | null {
  return hash === null ? null : `0x${hash}`
}

/** The author of a parent cast. A message names any fid, but clients decode an int32 and no user has another. */
function parentAuthor(fid: number | null): Cast['parent_author'] {
  return { fid: fid !== null && fid <= MAX_INT32 ? fid : null }
}

function timestampOf(cast: CastRecord): string {
  return dateTimeOf(unixSecondsFromFarcasterSeconds(cast.ts))
}

function appOf(cast: CastRecord, users: ReadonlyMap<number, UserRecord>) {
  const app = cast.appFid === null ? undefined : users.get(cast.appFid)
  return app ? userDehydrated(app) : null
}

/** Null for a cast that is not stored: the schema has no form for a cast of which only the name is known. */
function presentEmbed(embed: CastEmbed, cast: CastRecord, input: CastViewInput): Embed | null {
  if ('url' in embed) return urlEmbed(embed.url, cast)
  const embeddedCast = findCast(embed, input.casts)
  const author = embeddedCast && input.users.get(embeddedCast.fid)
  if (!embeddedCast || !author) return null
  return {
    cast_id: { fid: embed.fid, hash: embed.hash },
    cast: castEmbedded(embeddedCast, author, input),
  }
}

function urlEmbed(url: string, cast: CastRecord): Extract<Embed, { url: string }> {
  // A URL is any text, also the name of a property that every object has.
  if (!Object.hasOwn(cast.urlMetadata, url)) return { url }
  const metadata = cast.urlMetadata[url] as EmbedUrlMetadata | null
  return { url, metadata: metadata ?? emptyMetadata('PENDING') }
}

function castEmbedded(cast: CastRecord, author: UserRecord, input: CastViewInput): CastEmbedded {
  return {
    hash: `0x${cast.hash}`,
    parent_hash: prefixed(cast.parentHash),
    parent_url: cast.parentUrl,
    root_parent_url: cast.rootParentUrl,
    parent_author: parentAuthor(cast.parentFid),
    author: userDehydrated(author),
    app: appOf(cast, input.users),
    text: textOf(cast, input.users).text,
    timestamp: timestampOf(cast),
    embeds: cast.embeds.map((embed) => presentDeepEmbed(embed, cast, input)),
    channel: cast.channel && channelDehydrated(cast.channel),
  }
}

function presentDeepEmbed(embed: CastEmbed, cast: CastRecord, input: CastViewInput): EmbedDeep {
  if ('url' in embed) return urlEmbed(embed.url, cast)
  const embeddedCast = findCast(embed, input.casts)
  return {
    ...(embed.fid <= MAX_INT32 ? { cast_id: { fid: embed.fid, hash: embed.hash } } : {}),
    cast: embeddedCast
      ? castDehydrated(embeddedCast, input.users)
      : { object: 'cast_dehydrated', hash: embed.hash, app: null },
  }
}

/** Returns the dehydrated form of a cast whose whole form is loaded. */
export function dehydrateCast({ hash, author, app }: Cast): CastDehydrated {
  return {
    object: 'cast_dehydrated',
    hash,
    author: {
      object: 'user_dehydrated',
      fid: author.fid,
      username: author.username,
      display_name: author.display_name ?? null,
      pfp_url: author.pfp_url ?? null,
      custody_address: author.custody_address,
      score: author.score ?? 0,
    },
    app: app ?? null,
  }
}
