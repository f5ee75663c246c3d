import { cacheTag } from '../../graph/cache/cache-tags.js'
import { insertMentions } from '../../graph/view/text-ranges.js'
import type { Database } from '../../platform/db/connection.js'
import { withHeldConnection } from '../../platform/db/held-connection.js'
import { type ErrorCode, PlazaError } from '../../platform/errors.js'
import { channelUrl } from '../../protocol/channel-uri.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import {
  type ChannelMemberAction,
  ChannelUpdateBody,
  MessageType,
  ReactionType,
} from '../../protocol/definitions.js'
import { isV21 } from '../../protocol/engine-version.js'
import type { MessageContent } from '../../protocol/message.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import type { OperationContext } from '../operation.js'
import type { Author } from '../publishing/author.js'
import { publishChange } from '../publishing/changes.js'

/** A channel that messages of the protocol govern. */
export interface ProtocolChannel {
  /** Id of the main API, the key in the registry. */
  readonly id: string
  /** Id in messages, 32 bytes. */
  readonly channelId: Buffer
}

type Context = Pick<OperationContext, 'writerDb' | 'hub' | 'network' | 'clock' | 'hydrator'>

/** Finds a channel of the protocol; null for another, and where the network has no channels today. */
export async function findProtocolChannel(
  { writerDb, network, clock }: Pick<Context, 'writerDb' | 'network' | 'clock'>,
  id: string,
): Promise<ProtocolChannel | null> {
  if (!isV21(network, farcasterSecondsFromUnixMs(clock()))) return null
  const [row] = await writerDb<{ channelId: Buffer }[]>`
    select protocol_id as "channelId" from channels.channels where id = ${id} and protocol_id is not null
  `
  return row ? { id, channelId: row.channelId } : null
}

/** Codes of the protocol's refusals, whose code is the same for all. */
const refusalCodes: Readonly<Record<string, ErrorCode>> = {
  'unauthorized channel action': 'forbidden',
  'channel is parked': 'forbidden',
  'channel member is banned': 'forbidden',
  'channel owner cannot be banned': 'forbidden',
  'invalid channel target state': 'conflict',
  'channel moderator cap reached': 'conflict',
  'channel slot cap exceeded': 'conflict',
}

/**
 * Publishes a message of a channel. This process shows its effect at once.
 *
 * @param members Users whose casts show another role afterwards.
 * @throws PlazaError in the protocol's words; `forbidden` for a role that does not allow it.
 */
export async function publishToChannel(
  context: Context,
  author: Author,
  { id }: ProtocolChannel,
  content: MessageContent,
  members: readonly number[] = [],
): Promise<void> {
  try {
    await publishChange(context, author, content)
  } catch (error) {
    const code = error instanceof PlazaError ? refusalCodes[error.message] : undefined
    throw code === undefined ? error : new PlazaError(code, (error as PlazaError).message)
  }
  const urls = await context.writerDb<
    { url: string }[]
  >`select url from channels.urls where channel_id = ${id}`
  const tags = [cacheTag.channel(id), ...urls.map(({ url }) => cacheTag.channelUrl(url))]
  context.hydrator.invalidation.apply({ tags: [...tags, ...members.map(cacheTag.channelsOf)] })
}

/** Changes a member of a channel. */
export async function publishMember(
  context: Context,
  author: Author,
  channel: ProtocolChannel,
  fid: number,
  action: ChannelMemberAction,
): Promise<void> {
  const channelMemberBody = { channelId: channel.channelId, fid, action }
  const content = { type: MessageType.CHANNEL_MEMBER, channelMemberBody }
  await publishToChannel(context, author, channel, content, [fid])
}

/** Pins a cast; null unpins. */
export async function publishPin(
  context: Context,
  author: Author,
  channel: ProtocolChannel,
  castHash: Buffer | null,
): Promise<void> {
  const channelPinBody = { channelId: channel.channelId, castHash: castHash ?? Buffer.alloc(0) }
  await publishToChannel(context, author, channel, { type: MessageType.CHANNEL_PIN, channelPinBody })
}

/** Metadata to set; undefined leaves it as it is, null removes it. */
export interface ChannelMetadata {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly imageUrl?: string | null | undefined
}

/**
 * Publishes changed metadata. A message replaces all of it, so the rest is taken from the current one. Of two edits at once the
 * second waits for the first: it would undo it.
 */
export async function publishMetadata(
  context: Context,
  author: Author,
  channel: ProtocolChannel,
  { name, description, imageUrl }: ChannelMetadata,
): Promise<void> {
  await withMetadataLock(context.writerDb, channel, async () => {
    const current = await readMetadata(context.writerDb, channel)
    const channelUpdateBody = {
      ...current,
      channelId: channel.channelId,
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(imageUrl === undefined ? {} : { imageUrl: imageUrl ?? undefined }),
    }
    await publishToChannel(context, author, channel, { type: MessageType.CHANNEL_UPDATE, channelUpdateBody })
  })
}

/** Runs `work` while no other process edits the metadata of this channel. */
async function withMetadataLock(
  db: Database,
  { id }: ProtocolChannel,
  work: () => Promise<void>,
): Promise<void> {
  await withHeldConnection(db, async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtextextended(${`metadata of channel ${id}`}, 0))`
    await work()
  })
}

interface MetadataRow {
  message: Buffer | null
  name: string
  description: string
  mentions: number[]
  positions: number[]
  /** Usernames of mentioned users by fid. */
  usernames: Record<string, string>
  imageUrl: string | null
  header: string | null
}

/** Reads the metadata of the last message; of imports, if there is none. Messages have the names of mentioned users in the text. */
async function readMetadata(db: Database, { id, channelId }: ProtocolChannel): Promise<ChannelUpdateBody> {
  const [row] = await db<MetadataRow[]>`
    select m.message, c.name, c.description, c.description_mentions as mentions,
      c.description_mention_positions as positions, c.image_url as "imageUrl", c.header_image_url as header,
      (
        select coalesce(json_object_agg(u.fid, u.username), '{}') from social.users u
        where u.fid = any (c.description_mentions) and u.username is not null
      ) as usernames
    from channels.channels c
    left join hub.channel_messages m on m.channel_id = c.protocol_id
      and m.type = ${MessageType.CHANNEL_UPDATE}::smallint and m.key = ''::bytea
    where c.id = ${id}
  `
  const { message, name, mentions, positions, usernames, imageUrl, header } = row!
  const body = message && decodeStoredMessage(message).data.channelUpdateBody
  if (body) return body
  const description = insertMentions(row!.description, mentions, positions, (fid) => usernames[fid])
  return ChannelUpdateBody.fromPartial({
    channelId,
    name,
    description: description.text,
    imageUrl: imageUrl ?? undefined,
    header: header ?? undefined,
  })
}

/** Follows or unfollows a channel by a like of its token; false on a network without a registrar. */
export async function publishChannelFollow(
  context: Context,
  author: Author,
  channel: ProtocolChannel,
  action: 'follow' | 'unfollow',
): Promise<boolean> {
  const targetUrl = channelUrl(context.network, channel.channelId)
  if (targetUrl === null) return false
  const type = action === 'follow' ? MessageType.REACTION_ADD : MessageType.REACTION_REMOVE
  const reactionBody = { type: ReactionType.LIKE, targetUrl }
  await publishToChannel(context, author, channel, { type, reactionBody })
  return true
}
