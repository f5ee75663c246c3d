import { Type } from '@sinclair/typebox'
import { castHashParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { PostCastResponse } from '../../../graph/view/schema/publishing.js'
import { hexOf } from '../../../protocol/bytes.js'
import { defineOperation } from '../../operation.js'
import { draftCast } from '../../publishing/cast-draft.js'
import { castRefusalError, publishCast, removeCast, signCast } from '../../publishing/casts.js'
import { publishOnce, RETENTION_HOURS } from '../../publishing/idempotency.js'
import {
  actAs,
  idemConflict,
  idemMember,
  mayNotAct,
  signerUuidMember,
} from '../../publishing/routes/acting.js'

/** The protocol allows 10,000 bytes and says so itself; here is where nobody looks at more. */
const MAX_TEXT_LENGTH = 16_384
const MAX_EMBEDS = 2

const castIdMember = Type.Object({
  fid: fidParameter({ description: 'The author of the cast.' }),
  hash: castHashParameter({ description: 'The hash of the cast.' }),
})

const embed = Type.Union(
  [
    Type.Object({ url: textParameter({ description: 'An address, of 256 bytes at most.' }) }),
    Type.Object({ cast_id: castIdMember }),
    Type.Object({ castId: castIdMember }),
  ],
  { patternText: 'an object with one of url, cast_id {fid, hash} and castId {fid, hash}' },
)

/** What is cast, as the published client sends it. */
export const PostCastReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  text: Type.Optional(
    Type.String({
      minLength: 0,
      maxLength: MAX_TEXT_LENGTH,
      description:
        'Up to 320 bytes of UTF-8, for a long cast 1,024, for a pro account 10,000; without names of mentioned users.',
    }),
  ),
  embeds: Type.Optional(Type.Array(embed, { maxItems: MAX_EMBEDS, minItems: 0 })),
  parent: Type.Optional(
    textParameter({ description: 'What is replied to: the hash of a cast, or a URL, such as a channel’s.' }),
  ),
  parent_author_fid: Type.Optional(
    fidParameter({ description: 'The author of the parent. Needed for a cast that is not here.' }),
  ),
  channel_id: Type.Optional(textParameter({ description: 'The channel to cast in.', maxLength: 64 })),
  idem: idemMember,
})

/** `POST cast` */
export const postCast = defineOperation({
  method: 'POST',
  path: 'cast',
  tag: 'Cast',
  summary: 'Publish a cast',
  description: [
    '`@name` in the text mentions the user who is shown by that name, outside of code and URLs; at most ten.',
    'A channel is the same as its URL as `parent`. `channel_id` beside `parent` must agree with it.',
    `With \`idem\`, a repeat within ${RETENTION_HOURS} hours returns the first answer.`,
  ].join(' '),
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
      const replyTo = (hash: Buffer): PostCastResponse => ({
        success: true,
        cast: { hash: hexOf(hash), author: { fid: author.fid }, text },
      })
      if (idem === undefined) {
        return replyTo((await publishCast(context, author, await draft())).hash)
      }
      const request = { operation: 'POST cast', signer_uuid: signerUuid, ...body }
      const prepare = async (attempt: number) => {
        const message = signCast(context, author, await draft(), attempt)
        return { message, replyFor: JSON.stringify(replyTo(message.hash)) }
      }
      return await publishOnce(
        context,
        { appId: caller.appId, idem, content: request },
        prepare,
        castRefusalError,
      )
    })
  },
})

type EmbedInput = NonNullable<(typeof PostCastReqBody)['static']['embeds']>[number]

function toMessageEmbed(embedInput: EmbedInput) {
  if ('url' in embedInput) return embedInput
  return 'cast_id' in embedInput ? embedInput.cast_id : embedInput.castId
}

/** What is deleted, as the published client sends it. */
export const DeleteCastReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  target_hash: castHashParameter({ description: 'The hash of the cast.' }),
})

/** `DELETE cast` */
export const deleteCast = defineOperation({
  method: 'DELETE',
  path: 'cast',
  tag: 'Cast',
  summary: 'Delete a cast',
  description:
    'One of the signer’s user. What is deleted already stays deleted; it cannot be published again.',
  body: DeleteCastReqBody,
  reply: OperationResponse,
  forbidden: `${mayNotAct} Or the cast is somebody else’s.`,
  notFound: 'There is no such signer or cast.',

  async handle(context, { signer_uuid: signerUuid, target_hash: hash }, caller) {
    const targetHash = Buffer.from(hash.replace(/^0x/, ''), 'hex')
    return await actAs(context, { signerUuid, caller, permission: 'DELETE_CAST' }, async (author) => {
      await removeCast(context, author, targetHash)
      return { success: true, message: 'the cast is deleted' }
    })
  },
})
