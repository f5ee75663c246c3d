import { type TSchema, Type } from '@sinclair/typebox'
import { castHashParameter } from '../../../api/parameters.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { nullable } from '../../../graph/view/schema/schema-type.js'
import { PlazaError } from '../../../platform/errors.js'
import { signerUuidMember } from '../../publishing/routes/acting.js'
import type { ChannelRefusal, ChannelSaved } from '../channels.js'

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
export const parentUrlMember = Type.Optional(
  Type.String({
    maxLength: MAX_URL_LENGTH,
    pattern: '^[a-z][a-z0-9+.-]*://\\S+$',
    patternText: 'an address: https://… or chain://…',
    description: 'Where its casts stand below; `https://farcaster.xyz/~/channel/ID` unless given. For good.',
  }),
)

/** A channel's id. */
export const channelIdMember = Type.String({
  pattern: '^[a-z0-9-]{1,16}$',
  patternText: '1 to 16 small letters, digits and hyphens',
  description: 'The channel’s id. For good.',
})

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(nullable(schema))

/** What a lead may set, and by whose signer. */
export const editMembers = {
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
export async function savedChannelJson(
  outcome: ChannelSaved | ChannelRefusal,
  { hydrator, id, fid }: { readonly hydrator: Hydrator; readonly id: string; readonly fid: number },
): Promise<string> {
  if ('code' in outcome) {
    throw new PlazaError(outcome.code, outcome.message, { property: outcome.property })
  }
  return `{"channel":${(await hydrator.channels([id], fid)).get(id)}}`
}
