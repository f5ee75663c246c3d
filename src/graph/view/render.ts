import type { CastRecord } from '../load/cast-record.js'
import type { ChannelRecord } from '../load/channel-record.js'
import type { UserRecord } from '../load/user-record.js'
import type { ViewerRelations } from '../load/viewer.js'
import { type CastSurroundings, castViewerContext, presentCast } from './cast.js'
import { channelDehydrated, channelUserContext, presentChannel } from './channel.js'
import { castJson, channelJson, viewedJson } from './json.js'
import { presentUser, type UserSurroundings, userViewerContext } from './user.js'

// A view is rendered in two steps. A template is the part that is the same for every viewer: caches keep it. The second
// step joins templates and adds what depends on the viewer.

/** A user without its viewer context. */
export interface UserTemplate {
  readonly fid: number
  /** Users whose dehydrated form the bio contains. */
  readonly mentionedFids: readonly number[]
  /** JSON without the closing brace. */
  readonly jsonPrefix: string
}

/** A cast without its users and its viewer context. */
export interface CastTemplate {
  /** Hex without 0x. */
  readonly hash: string
  readonly authorFid: number
  readonly mentionedFids: readonly number[]
  readonly channel: { readonly id: string; readonly jsonPrefix: string } | null
  /** JSON without the closing brace. */
  readonly jsonPrefix: string
}

/** A channel without its lead and its viewer context. */
export interface ChannelTemplate {
  readonly id: string
  readonly leadFid: number
  /** JSON without the closing brace. */
  readonly jsonPrefix: string
}

/** Makes the template of a user. */
export function userTemplate(record: UserRecord, surroundings: UserSurroundings): UserTemplate {
  const user = presentUser(record, surroundings)
  const mentionedFids = (user.profile.bio.mentioned_profiles ?? []).map(({ fid }) => fid)
  return { fid: record.fid, mentionedFids, jsonPrefix: toJsonPrefix(user) }
}

/** Makes the template of a cast. */
export function castTemplate(record: CastRecord, surroundings: CastSurroundings): CastTemplate {
  const { body, channel, ...participants } = presentCast(record, surroundings)
  return {
    ...participants,
    hash: record.hash,
    channel: channel && { id: channel.id, jsonPrefix: toJsonPrefix(channelDehydrated(channel)) },
    jsonPrefix: toJsonPrefix(body),
  }
}

/** Makes the template of a channel. */
export function channelTemplate(
  record: ChannelRecord,
  users: ReadonlyMap<number, UserRecord>,
): ChannelTemplate {
  return {
    id: record.id,
    leadFid: record.leadFid,
    jsonPrefix: toJsonPrefix(presentChannel(record, users)),
  }
}

function toJsonPrefix(value: object): string {
  return JSON.stringify(value).slice(0, -1)
}

/** Null renders without a viewer context. */
type RenderedViewer = ViewerRelations | null

/** Renders a user as JSON. */
export function renderUser({ fid, jsonPrefix }: UserTemplate, viewer: RenderedViewer): string {
  return viewedJson(jsonPrefix, viewer && userViewerContext(fid, viewer))
}

/** Renders a cast as JSON; null when its author is not among the users. */
export function renderCast(
  { hash, jsonPrefix, authorFid, mentionedFids, channel }: CastTemplate,
  users: ReadonlyMap<number, UserTemplate>,
  viewer: RenderedViewer,
): string | null {
  const author = users.get(authorFid)
  if (!author) return null
  return castJson(jsonPrefix, {
    author: renderUser(author, viewer),
    mentioned: mentionedFids.flatMap((fid) => {
      const user = users.get(fid)
      return user ? [renderUser(user, viewer)] : []
    }),
    channel: channel && viewedJson(channel.jsonPrefix, viewer && channelUserContext(channel.id, viewer)),
    viewerContext: viewer && castViewerContext(hash, viewer),
  })
}

/** Renders a channel as JSON. */
export function renderChannel(
  channel: ChannelTemplate,
  users: ReadonlyMap<number, UserTemplate>,
  viewer: RenderedViewer,
): string {
  const lead = users.get(channel.leadFid)
  return channelJson(channel.jsonPrefix, {
    lead: lead ? renderUser(lead, viewer) : null,
    viewerContext: viewer && channelUserContext(channel.id, viewer),
  })
}
