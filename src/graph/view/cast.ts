import { unixSecondsFromFarcasterSeconds } from '../../protocol/time.js'
import type { CastRecord, ChannelName } from '../load/cast-record.js'
import type { TextNames } from '../load/mentioned-names.js'
import type { UserRecord } from '../load/user-record.js'
import type { ViewerRelations } from '../load/viewer.js'
import type { CastEmbed } from '../project/casts.js'
import { channelContext, channelDehydrated } from './channel-dehydrated.js'
import { dateTimeOf } from './formats.js'
import type { Cast, CastViewerContext } from './schema/cast.js'
import type { CastDehydrated, CastEmbedded, Embed, EmbedDeep } from './schema/embed.js'
import type { TextRange } from './schema/primitives.js'
import type { EmbedUrlMetadata } from './schema/url-metadata.js'
import { channelMentions, insertMentions } from './text-ranges.js'
import { userDehydrated, usernameOrPlaceholder } from './user-dehydrated.js'

/** What the view of a cast needs besides its record. */
export interface CastSurroundings {
  /** The casts inside it. */
  readonly casts: ReadonlyMap<string, CastRecord>
  /** Authors, apps and whoever is mentioned. */
  readonly users: ReadonlyMap<number, UserRecord>
  /** Channels that its text speaks of. */
  readonly names: TextNames
}

/** What stays out of `presentCast`: whole users and what depends on who looks. */
export type CastBody = Omit<Cast, 'author' | 'mentioned_profiles' | 'channel' | 'viewer_context'>

/** A cast as far as it is the same for everybody, and whom and what has to be put in. */
export interface PresentedCast {
  readonly body: CastBody
  readonly authorFid: number
  readonly mentionedFids: readonly number[]
  readonly channel: ChannelName | null
}

/** A cast as JSON, but for what differs from reader to reader, and what it was made from. */
export function presentCast(cast: CastRecord, surroundings: CastSurroundings): PresentedCast {
  const { text, mentions } = textOf(cast, surroundings.users)
  const channels = channelsIn(text, surroundings.names)
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
      parent_author: { fid: cast.parentFid },
      app: appOf(cast, surroundings.users),
      text,
      timestamp: timestampOf(cast),
      embeds: cast.embeds.flatMap((embed) => presentEmbed(embed, cast, surroundings) ?? []),
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

/** All that a viewer can have done with a cast. Their JSON is remembered: see `json.ts`. */
const viewerContexts: readonly CastViewerContext[] = Array.from({ length: 4 }, (_, bits) => ({
  liked: (bits & 1) !== 0,
  recasted: (bits & 2) !== 0,
}))

/** What the viewer did with a cast. */
export function castViewerContext(hash: string, viewer: ViewerRelations): CastViewerContext {
  return viewerContexts[(viewer.liked.has(hash) ? 1 : 0) | (viewer.recasted.has(hash) ? 2 : 0)]!
}

/** The shortest form of a cast. */
function castDehydrated(cast: CastRecord, users: ReadonlyMap<number, UserRecord>): CastDehydrated {
  const author = users.get(cast.fid)
  return {
    object: 'cast_dehydrated',
    hash: `0x${cast.hash}`,
    ...(author ? { author: userDehydrated(author) } : {}),
    app: appOf(cast, users),
  }
}

/** Fids of all users that the view of a cast shows, those inside its embedded casts too. */
export function fidsIn(cast: CastRecord, casts: ReadonlyMap<string, CastRecord>, level = 0): number[] {
  const participantFids = [cast.fid, ...cast.mentions, ...(cast.appFid === null ? [] : [cast.appFid])]
  if (level >= 2) return participantFids
  return [
    ...participantFids,
    ...embeddedIn(cast, casts).flatMap((embeddedCast) => fidsIn(embeddedCast, casts, level + 1)),
  ]
}

/** The casts that a cast embeds, of those that are here. */
export function embeddedIn(cast: CastRecord, casts: ReadonlyMap<string, CastRecord>): CastRecord[] {
  return cast.embeds.flatMap((embed) => {
    const embeddedCast = 'url' in embed ? undefined : findCast(embed, casts)
    return embeddedCast ? [embeddedCast] : []
  })
}

/** A cast is named by its author and its hash: another author's name for the hash is nobody's. */
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

function timestampOf(cast: CastRecord): string {
  return dateTimeOf(unixSecondsFromFarcasterSeconds(cast.ts))
}

function appOf(cast: CastRecord, users: ReadonlyMap<number, UserRecord>) {
  const app = cast.appFid === null ? undefined : users.get(cast.appFid)
  return app ? userDehydrated(app) : null
}

/** Null for a cast that is not here: the schema has no form for one of which nothing is known but its name. */
function presentEmbed(embed: CastEmbed, cast: CastRecord, surroundings: CastSurroundings): Embed | null {
  if ('url' in embed) return urlEmbed(embed.url, cast)
  const embeddedCast = findCast(embed, surroundings.casts)
  const author = embeddedCast && surroundings.users.get(embeddedCast.fid)
  if (!embeddedCast || !author) return null
  return {
    cast_id: { fid: embed.fid, hash: embed.hash },
    cast: castEmbedded(embeddedCast, author, surroundings),
  }
}

function urlEmbed(url: string, cast: CastRecord): Extract<Embed, { url: string }> {
  const metadata = cast.urlMetadata[url] as EmbedUrlMetadata | undefined
  return { url, ...(metadata ? { metadata } : {}) }
}

function castEmbedded(cast: CastRecord, author: UserRecord, surroundings: CastSurroundings): CastEmbedded {
  return {
    hash: `0x${cast.hash}`,
    parent_hash: prefixed(cast.parentHash),
    parent_url: cast.parentUrl,
    root_parent_url: cast.rootParentUrl,
    parent_author: { fid: cast.parentFid },
    author: userDehydrated(author),
    app: appOf(cast, surroundings.users),
    text: textOf(cast, surroundings.users).text,
    timestamp: timestampOf(cast),
    embeds: cast.embeds.map((embed) => presentDeepEmbed(embed, cast, surroundings)),
    channel: cast.channel && channelDehydrated(cast.channel),
  }
}

function presentDeepEmbed(embed: CastEmbed, cast: CastRecord, surroundings: CastSurroundings): EmbedDeep {
  if ('url' in embed) return urlEmbed(embed.url, cast)
  const embeddedCast = findCast(embed, surroundings.casts)
  const cast_id = { fid: embed.fid, hash: embed.hash }
  return {
    cast_id,
    cast: embeddedCast
      ? castDehydrated(embeddedCast, surroundings.users)
      : { object: 'cast_dehydrated', hash: embed.hash, app: null },
  }
}
