import { Type } from '@sinclair/typebox'
import { castHashParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import { Json } from '../../../graph/view/json.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { castHashBytes, hexOf } from '../../../protocol/bytes.js'
import { defineOperation } from '../../operation.js'
import { draftCast } from '../../publishing/cast-draft.js'
import { castRefusalError, publishCast, removeCast, signCast } from '../../publishing/casts.js'
import { idemConflict, idemMember } from '../../publishing/idem.js'
import { publishOnce, RETENTION_HOURS } from '../../publishing/idempotency.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import { PostCastResponse } from '../schema/cast.js'

/** Above the protocol's limit of 10,000 bytes, which is checked separately. */
const MAX_TEXT_LENGTH = 16_384
const MAX_EMBEDS = 2

const castIdMember = Type.Object({
  fid: fidParameter({ description: 'Fid of the author of the cast.' }),
  hash: castHashParameter({ description: 'Hash of the cast.' }),
})

const embed = Type.Union(
  [
    Type.Object(
      {
        url: textParameter({
          description: 'URL of at most 256 bytes.',
          examples: ['https://example.com/garden'],
        }),
      },
      { additionalProperties: false },
    ),
    Type.Object({ cast_id: castIdMember }, { additionalProperties: false }),
    Type.Object({ castId: castIdMember }, { additionalProperties: false }),
  ],
  { patternText: 'an object with one of url, cast_id {fid, hash} and castId {fid, hash}' },
)

/** The body of `POST cast`, as published clients send it. */
export const PostCastReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  text: Type.Optional(
    Type.String({
      minLength: 0,
      maxLength: MAX_TEXT_LENGTH,
      description:
        'Text in UTF-8, up to 320 bytes; 1,024 for a long cast, 10,000 for a pro account. Mentions do not count.',
      examples: ['The first tomatoes are ripe.'],
    }),
  ),
  embeds: Type.Optional(Type.Array(embed, { maxItems: MAX_EMBEDS, minItems: 0 })),
  parent: Type.Optional(
    textParameter({
      description: 'Parent to reply to: hash of a cast, or a URL such as a channel’s.',
      examples: ['0x71d5225f77e0164388b1d4c120825f3a2c1f131c'],
    }),
  ),
  parent_author_fid: Type.Optional(
    fidParameter({
      minimum: 0,
      description:
        'Fid of the author of the parent cast; 0 is none. Required if this server does not have the cast.',
      examples: [],
    }),
  ),
  channel_id: Type.Optional(
    textParameter({ description: 'Id of the channel to cast in.', examples: [], maxLength: 64 }),
  ),
  idem: idemMember,
})

/** `POST cast` */
export const postCast = defineOperation({
  method: 'POST',
  path: 'cast',
  tag: 'Casts',
  summary: 'Publish a cast',
  description:
    '`@name` in the text mentions the user with that name, except in code and URLs; at most ten mentions. ' +
    '`channel_id` is short for the channel’s URL as `parent`; if both are given they must agree. With ' +
    `\`idem\`, a repeated request within ${RETENTION_HOURS} hours returns the first reply.`,
  body: PostCastReqBody,
  reply: PostCastResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer, channel or parent.',
  conflict: idemConflict,

  async handle(context, { signer_uuid: signerUuid, idem, ...body }, caller) {
    const { text = '', embeds = [] } = body
    return await actAs(context, { signerUuid, caller, permission: 'PUBLISH_CAST' }, async (author) => {
      const draft = () =>
        draftCast(context.writerDb, {
          text,
          embeds: embeds.map(toMessageEmbed),
          parent: body.parent,
          parentAuthorFid: body.parent_author_fid,
          channelId: body.channel_id,
        })
      const { fid } = author
      const user = (await context.hydrator.dehydratedUsers([fid])).get(fid)
      const replyTo = (hash: Buffer): PostCastResponse => ({
        success: true,
        cast: { hash: hexOf(hash), author: user ?? { object: 'user_dehydrated', fid }, text },
      })
      if (idem === undefined) {
        return replyTo((await publishCast(context, author, await draft())).hash)
      }
      const request = { operation: 'POST cast', signer_uuid: signerUuid, ...body }
      const prepare = async (attempt: number) => {
        const message = signCast(context, author, await draft(), attempt)
        return { message, reply: JSON.stringify(replyTo(message.hash)) }
      }
      const idempotent = { appId: caller.appId, idem, content: request }
      return Json.rendered(await publishOnce(context, idempotent, prepare, castRefusalError))
    })
  },
})

type EmbedInput = NonNullable<(typeof PostCastReqBody)['static']['embeds']>[number]

function toMessageEmbed(embedInput: EmbedInput) {
  if ('url' in embedInput) return embedInput
  return 'cast_id' in embedInput ? embedInput.cast_id : embedInput.castId
}

/** The body of `DELETE cast`, as published clients send it. */
export const DeleteCastReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  target_hash: castHashParameter({ description: 'Hash of the cast.' }),
})

/** `DELETE cast` */
export const deleteCast = defineOperation({
  method: 'DELETE',
  path: 'cast',
  tag: 'Casts',
  summary: 'Delete a cast',
  description:
    'The cast must be by the user of the signer. Deleting a deleted cast succeeds. A deleted cast cannot ' +
    'be published again.',
  example: { reply: { success: true, message: 'the cast is deleted' } },
  body: DeleteCastReqBody,
  reply: OperationResponse,
  forbidden: `${mayNotAct} Or another user is the author of the cast.`,
  notFound: 'There is no such signer or cast.',

  async handle(context, { signer_uuid: signerUuid, target_hash: hash }, caller) {
    const targetHash = castHashBytes(hash)
    return await actAs(context, { signerUuid, caller, permission: 'DELETE_CAST' }, async (author) => {
      await removeCast(context, author, targetHash)
      return { success: true, message: 'the cast is deleted' }
    })
  },
})
