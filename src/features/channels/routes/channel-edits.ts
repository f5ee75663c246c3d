import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { invalidField } from '../../../api/invalid-field.js'
import { castHashParameter } from '../../../api/parameters.js'
import { type Json, json } from '../../../graph/view/json.js'
import { nullable } from '../../../graph/view/schema/primitives.js'
import { parseUrl } from '../../../platform/text/parse-url.js'
import { castHashBytes } from '../../../protocol/bytes.js'
import { channelParentUrls } from '../../../protocol/channel-uri.js'
import { cacheWriterOf, defineOperation, type Operation, type OperationContext } from '../../operation.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import {
  CHANNEL_ID_PATTERN,
  MAX_DESCRIPTION_LENGTH,
  MAX_NAME_LENGTH,
  parentUrlProblem,
} from '../channel-document.js'
import { readEdits } from '../channel-edits.js'
import { requireLead, saveChannel } from '../channels.js'
import {
  findProtocolChannel,
  type ProtocolChannel,
  publishMetadata,
  publishPin,
} from '../protocol-channels.js'
import { ChannelResponse } from '../schema/channel.js'

const MAX_URL_LENGTH = 1_024

function webAddress(description: string, example: string) {
  return Type.String({
    maxLength: MAX_URL_LENGTH,
    pattern: '^https?://[^\\s/?#]\\S*$',
    patternText: 'a URL: https://…',
    description,
    examples: [example],
  })
}

/** A parent URL may have the scheme `chain`. */
const parentUrlMember = Type.Optional(
  Type.String({
    maxLength: MAX_URL_LENGTH,
    pattern: '^[a-z][a-z0-9+.-]*://\\S+$',
    patternText: 'a URL: https://… or chain://…',
    description:
      'Parent URL of its casts, `https://farcaster.xyz/~/channel/ID` by default. It cannot change.',
    examples: ['https://farcaster.xyz/~/channel/gardening'],
  }),
)

/** The id of a channel. */
const channelIdMember = Type.String({
  pattern: CHANNEL_ID_PATTERN,
  patternText: '1 to 16 lowercase letters, digits and hyphens',
  description: 'Id of the channel. It cannot change.',
  examples: ['gardening'],
})

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(nullable(schema))

/** Members that the lead may set. */
const editMembers = {
  signer_uuid: signerUuidMember,
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      // An empty text clears the members below, but a channel has a name.
      refusesEmpty: true,
      description: 'Display name of the channel.',
      examples: ['Gardening'],
    }),
  ),
  description: Type.Optional(
    Type.String({
      minLength: 0,
      maxLength: MAX_DESCRIPTION_LENGTH,
      description: 'Description of the channel; `@name` mentions a user.',
      examples: ['Everything that grows.'],
    }),
  ),
  url: Type.Optional({
    ...webAddress('Page of the channel, the parent URL by default.', 'https://example.com/garden'),
    // It cannot be cleared: without it, it stays as it is.
    refusesEmpty: true,
  }),
  image_url: optional(webAddress('Image of the channel.', 'https://example.com/images/garden.png')),
  external_link: optional(
    Type.Object({
      title: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, examples: ['Website'] }),
      url: webAddress('Target of the link.', 'https://example.com/garden'),
    }),
  ),
  pinned_cast_hash: optional(
    castHashParameter({
      description: 'Hash of a cast in the channel.',
      examples: ['0x71d5225f77e0164388b1d4c120825f3a2c1f131c'],
    }),
  ),
}

/** Publishes what messages decide of a channel of the protocol, and saves the rest for its owner. */
async function editProtocolChannel(
  context: OperationContext,
  caller: Caller,
  channel: ProtocolChannel,
  { signer_uuid: signerUuid, channel_id: id, ...edits }: Static<typeof editBody>,
): Promise<Json> {
  const { name, description, image_url: imageUrl, pinned_cast_hash: pinned, ...local } = edits
  return await actAs(context, { signerUuid, caller, permission: 'WRITE_ALL' }, async (author) => {
    const writer = cacheWriterOf(context)
    const pin = pinned === undefined ? {} : { pinned_cast_hash: pinned }
    // Refuses before it publishes: a message cannot be taken back.
    const checked = await readEdits(writer.db, id, { ...local, ...pin }, null)
    const savesLocal = Object.values(local).some((value) => value !== undefined)
    if (savesLocal) await requireLead(writer.db, id, author.fid)
    if (name !== undefined || description !== undefined || imageUrl !== undefined) {
      await publishMetadata(context, author, channel, { name, description, imageUrl })
    }
    if (pinned !== undefined) {
      await publishPin(context, author, channel, pinned === null ? null : castHashBytes(pinned))
    }
    if (savesLocal) {
      const { pinned_cast_hash: _, ...document } = checked
      await saveChannel(writer, document, writer.nowUnix, { mode: 'edit', editorFid: author.fid })
    }
    return json`{"channel":${(await context.hydrator.channels([id], author.fid)).get(id)!}}`
  })
}

/** Saves a channel for the user of the signer and renders it as that user sees it. */
async function saveAsLead(
  context: OperationContext,
  { appId }: Caller,
  { signer_uuid: signerUuid, channel_id: id }: { signer_uuid: string; channel_id: string },
  save: (writer: ReturnType<typeof cacheWriterOf>, fid: number) => Promise<void>,
): Promise<Json> {
  const { fid } = await context.signers.findFresh({ signerUuid, appId, permission: 'WRITE_ALL' })
  await save(cacheWriterOf(context), fid)
  return json`{"channel":${(await context.hydrator.channels([id], fid)).get(id)!}}`
}

const editBody = Type.Object({ ...editMembers, channel_id: channelIdMember })

/** URLs that name a channel by its id; another channel cannot use them. */
const channelUrlPattern = /^https:\/\/(?:www\.)?(?:farcaster\.xyz|warpcast\.com)\/~\/channel\/([^/?#]*)/i

/** `POST channel` */
const channelCreate = defineOperation({
  method: 'POST',
  path: 'channel',
  tag: 'Channels',
  summary: 'Create a channel',
  description:
    'The user of the signer leads the channel. This operation is Plaza’s own; the hosted API has none. A ' +
    'parent URL that names another channel by its id is refused.',
  body: Type.Object({ ...editMembers, channel_id: channelIdMember, parent_url: parentUrlMember }),
  reply: ChannelResponse,
  notFound: 'There is no such signer.',
  forbidden: mayNotAct,
  conflict: 'Another channel has the id or the parent URL.',

  async handle(context, body, caller) {
    const { signer_uuid: _, channel_id: id, parent_url: parentUrl, ...edits } = body
    return await saveAsLead(context, caller, body, async (writer, fid) => {
      if (parentUrl !== undefined && parseUrl(parentUrl) === null)
        throw invalidField('parent_url', 'is not a URL')
      const problem = parentUrlProblem(parentUrl ?? '')
      if (problem !== null) throw invalidField('parent_url', problem)
      const [, urlChannelId = id] = channelUrlPattern.exec(parentUrl ?? '') ?? []
      if (urlChannelId !== id)
        throw invalidField('parent_url', `is a URL of another channel, ${urlChannelId}`)
      const edited = await readEdits(writer.db, id, edits, parentUrl ?? channelParentUrls(id)[0])
      const parent = parentUrl === undefined ? {} : { parent_url: parentUrl }
      await saveChannel(writer, { ...edited, ...parent, lead_fid: fid }, writer.nowUnix, { mode: 'create' })
    })
  },
})

/** `PATCH channel` */
const channelEdit = defineOperation({
  method: 'PATCH',
  path: 'channel',
  tag: 'Channels',
  summary: 'Update a channel',
  description:
    'Requires the signer of the channel’s lead. Absent members stay as they are; null removes one. The ' +
    'lead and further parent URLs are set by the operator. In a channel of the protocol the signer publishes ' +
    'name, description, image and pinned cast as messages, and a moderator may pin. This operation is ' +
    'Plaza’s own; the hosted API has none.',
  body: editBody,
  reply: ChannelResponse,
  notFound: 'There is no such signer or channel.',
  forbidden: 'The signer may not act, or its user does not lead the channel.',

  async handle(context, body, caller) {
    const { signer_uuid: _, channel_id: id, ...edits } = body
    const channel = await findProtocolChannel(context, id)
    if (channel !== null) return await editProtocolChannel(context, caller, channel, body)
    return await saveAsLead(context, caller, body, async (writer, fid) => {
      const document = await readEdits(writer.db, id, edits, null)
      await saveChannel(writer, document, writer.nowUnix, { mode: 'edit', editorFid: fid })
    })
  },
})

/** Operations of a channel's lead. */
export const channelEditOperations: readonly Operation[] = [channelCreate, channelEdit]
