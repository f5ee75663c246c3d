import type { CastRecord } from '../load/cast-record.js'
import type { ChannelRecord } from '../load/channel-record.js'
import type { UserRecord } from '../load/user-record.js'
import type { ViewerRelations } from '../load/viewer.js'
import { type CastViewInput, castViewerContext, presentCast } from './cast.js'
import { channelDehydrated, channelUserContext, type DescribedUsers, presentChannel } from './channel.js'
import { Json, joined, json, keptJson, noJson } from './json.js'
import type { CastViewerContext } from './schema/cast.js'
import type { ChannelUserContext } from './schema/channel-dehydrated.js'
import type { UserViewerContext } from './schema/user.js'
import { presentUser, type UserViewInput, userViewerContext } from './user.js'

// A view is rendered in two steps. A template is the part that is the same for every viewer: caches keep it. The second
// step joins templates and adds what depends on the viewer.

/** A user without its viewer context. */
export interface UserTemplate {
  readonly fid: number
  /** Users whose dehydrated form the bio contains. */
  readonly mentionedFids: readonly number[]
  /** JSON without the closing brace. */
  readonly jsonPrefix: Buffer
}

/** A cast without its users and its viewer context. */
export interface CastTemplate {
  /** Hex without 0x. */
  readonly hash: string
  readonly authorFid: number
  readonly mentionedFids: readonly number[]
  readonly channelId: string | null
  /** JSON up to the author. */
  readonly untilAuthor: Buffer
  /** JSON from the end of the mentioned users on, with the channel, without the closing braces of channel and cast. */
  readonly afterMentioned: Buffer
}

/** A channel without its lead and its viewer context. */
export interface ChannelTemplate {
  readonly id: string
  readonly leadFid: number
  /** JSON without the closing brace. */
  readonly jsonPrefix: Buffer
}

/** Makes the template of a user. */
export function userTemplate(record: UserRecord, input: UserViewInput): UserTemplate {
  const user = presentUser(record, input)
  const mentionedFids = (user.profile.bio.mentioned_profiles ?? []).map(({ fid }) => fid)
  return { fid: record.fid, mentionedFids, jsonPrefix: keptJson(openObject(user))[0] }
}

/** Makes the template of a cast. */
export function castTemplate(record: CastRecord, input: CastViewInput): CastTemplate {
  const { body, channel, authorFid, mentionedFids } = presentCast(record, input)
  const [untilAuthor, afterMentioned] = keptJson(
    `${openObject(body)},"author":`,
    `],"channel":${channel === null ? 'null' : openObject(channelDehydrated(channel))}`,
  )
  const channelId = channel?.id ?? null
  return { hash: record.hash, authorFid, mentionedFids, channelId, untilAuthor, afterMentioned }
}

/** Makes the template of a channel. */
export function channelTemplate(record: ChannelRecord, described: DescribedUsers): ChannelTemplate {
  const [jsonPrefix] = keptJson(openObject(presentChannel(record, described)))
  return { id: record.id, leadFid: record.leadFid, jsonPrefix }
}

/** The JSON of an object without its closing brace. */
function openObject(value: object): string {
  return JSON.stringify(value).slice(0, -1)
}

/** Null renders without a viewer context. */
type RenderedViewer = ViewerRelations | null

/** Renders a user. */
export function renderUser({ fid, jsonPrefix }: UserTemplate, viewer: RenderedViewer): Json {
  return new Json([jsonPrefix, objectEnd(viewer && userViewerContext(fid, viewer))])
}

/** Renders a cast; null when its author is not among the users. */
export function renderCast(
  { hash, authorFid, mentionedFids, channelId, untilAuthor, afterMentioned }: CastTemplate,
  users: ReadonlyMap<number, UserTemplate>,
  viewer: RenderedViewer,
): Json | null {
  const author = users.get(authorFid)
  if (!author) return null
  const mentioned = mentionedFids.flatMap((fid) => {
    const user = users.get(fid)
    return user ? [renderUser(user, viewer)] : []
  })
  return new Json([
    untilAuthor,
    renderUser(author, viewer),
    mentionedStart,
    joined(mentioned),
    afterMentioned,
    channelId === null ? noJson : objectEnd(viewer && channelUserContext(channelId, viewer)),
    objectEnd(viewer && castViewerContext({ hash, authorFid }, viewer)),
  ])
}

const mentionedStart = Buffer.from(',"mentioned_profiles":[')

/** Renders a channel, with its lead in every member that the schema has for it. */
export function renderChannel(
  channel: ChannelTemplate,
  users: ReadonlyMap<number, UserTemplate>,
  viewer: RenderedViewer,
): Json {
  const leadTemplate = users.get(channel.leadFid)
  const lead = leadTemplate && renderUser(leadTemplate, viewer)
  return new Json([
    channel.jsonPrefix,
    lead ? json`,"lead":${lead},"moderator":${lead},"hosts":[${lead}]` : json`,"hosts":[]`,
    objectEnd(viewer && channelUserContext(channel.id, viewer)),
  ])
}

type ViewerContext = UserViewerContext | CastViewerContext | ChannelUserContext

/** There are few viewer contexts, and views reuse the objects: each is serialized once. */
const contextEnds = new WeakMap<ViewerContext, Buffer>()
const closingBrace = Buffer.from('}')

/** The end of an object, with its viewer context. */
function objectEnd(viewerContext: ViewerContext | null): Buffer {
  if (!viewerContext) return closingBrace
  let end = contextEnds.get(viewerContext)
  if (end === undefined) {
    end = Buffer.from(`,"viewer_context":${JSON.stringify(viewerContext)}}`)
    contextEnds.set(viewerContext, end)
  }
  return end
}
