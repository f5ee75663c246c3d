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

function webAddress(description: string) {
  return Type.String({
    maxLength: MAX_URL_LENGTH,
    pattern: '^https?://[^\\s/?#]\\S*$',
    patternText: 'an address: https://…',
    description,
  })
}

/** `chain://…` names a channel, too. */
const parentUrlMember = Type.Optional(
  Type.String({
    maxLength: MAX_URL_LENGTH,
    pattern: '^[a-z][a-z0-9+.-]*://\\S+$',
    patternText: 'an address: https://… or chain://…',
    description: 'Where its casts stand below; `https://farcaster.xyz/~/channel/ID` unless given. For good.',
  }),
)

/** A channel's id. */
const channelIdMember = Type.String({
  pattern: '^[a-z0-9-]{1,16}$',
  patternText: '1 to 16 small letters, digits and hyphens',
  description: 'The channel’s id. For good.',
})

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(nullable(schema))

/** What a lead may set, and by whose signer. */
const editMembers = {
  signer_uuid: signerUuidMember,
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: 'What it is called.' }),
  ),
  description: Type.Optional(
    Type.String({ minLength: 0, maxLength: MAX_DESCRIPTION_LENGTH, description: '`@name` mentions a user.' }),
  ),
  url: Type.Optional(webAddress('Where it is shown; its parent URL unless given.')),
  image_url: optional(webAddress('Its picture.')),
  external_link: optional(
    Type.Object({
      title: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
      url: webAddress('Where it leads.'),
    }),
  ),
  pinned_cast_hash: optional(castHashParameter({ description: 'A cast of the channel.' })),
}

/** The channel as it is now, seen by its lead: JSON of a ChannelResponse. */
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
  tag: 'Channel',
  summary: 'Makes a channel',
  description: [
    'Led by the user of the signer. An operation of this server; the published descriptions have none for it. An id or',
    'a parent URL that is another channel’s is refused, and so is a parent URL that names another channel by its id.',
  ].join(' '),
  body: Type.Object({ ...editMembers, channel_id: channelIdMember, parent_url: parentUrlMember }),
  reply: ChannelResponse,
  notFound: 'There is no such signer.',
  forbidden: mayNotAct,
  conflict: 'The id or the parent URL is taken.',

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
  tag: 'Channel',
  summary: 'Changes a channel',
  description: [
    'By the signer of its lead. What is not given stays as it is; null takes away. An operation of this server; the',
    'published descriptions have none for it. Who leads, and other parent URLs, are the server’s to set.',
  ].join(' '),
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
