import { type TSchema, Type } from '@sinclair/typebox'
import { castHashParameter } from '../../../api/parameters.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { ChannelResponse } from '../../../graph/view/schema/channel.js'
import { nullable } from '../../../graph/view/schema/schema-type.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import type { ChannelRefusal, ChannelSaved } from '../channels.js'
import { createChannel, editChannel } from '../lead-edits.js'

const MAX_URL_LENGTH = 1_024
const MAX_NAME_LENGTH = 256
const MAX_DESCRIPTION_LENGTH = 4_096

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
  pattern: '^[a-z0-9-]{1,16}$',
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
  url: Type.Optional(
    webAddress('Page of the channel, the parent URL by default.', 'https://example.com/garden'),
  ),
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

/** Renders the saved channel as its lead sees it, or throws the refusal. */
async function savedChannelJson(
  outcome: ChannelSaved | ChannelRefusal,
  { hydrator, id, fid }: { readonly hydrator: Hydrator; readonly id: string; readonly fid: number },
): Promise<string> {
  if ('code' in outcome) {
    throw new PlazaError(outcome.code, outcome.message, { property: outcome.property })
  }
  return `{"channel":${(await hydrator.channels([id], fid)).get(id)}}`
}

/** `POST channel` */
export const channelCreate = defineOperation({
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

  async handle({ signers, writerDb, hydrator, clock }, body, { appId }) {
    const { signer_uuid: signerUuid, channel_id: id, parent_url: parentUrl, ...edits } = body
    const { fid } = await signers.findFresh({ signerUuid, appId, permission: 'any write' })
    const now = Math.floor(clock() / 1000)
    const outcome = await createChannel(
      { db: writerDb, invalidation: hydrator.invalidation },
      fid,
      { id, parentUrl, edits },
      now,
    )
    return await savedChannelJson(outcome, { hydrator, id, fid })
  },
})

/** `PATCH channel` */
export const channelEdit = defineOperation({
  method: 'PATCH',
  path: 'channel',
  tag: 'Channels',
  summary: 'Update a channel',
  description:
    'Requires the signer of the channel’s lead. Absent members stay as they are; null removes one. The ' +
    'lead and further parent URLs are set by the operator. This operation is Plaza’s own; the hosted API ' +
    'has none.',
  body: Type.Object({ ...editMembers, channel_id: channelIdMember }),
  reply: ChannelResponse,
  notFound: 'There is no such signer or channel.',
  forbidden: 'The signer may not act, or its user does not lead the channel.',

  async handle({ signers, writerDb, hydrator, clock }, body, { appId }) {
    const { signer_uuid: signerUuid, channel_id: id, ...edits } = body
    const { fid } = await signers.findFresh({ signerUuid, appId, permission: 'any write' })
    const outcome = await editChannel(
      { db: writerDb, invalidation: hydrator.invalidation },
      fid,
      { id, edits },
      Math.floor(clock() / 1000),
    )
    return await savedChannelJson(outcome, { hydrator, id, fid })
  },
})
