import { asBuffer } from '../bytes.js'
import { type CastAddBody, type CastRemoveBody, CastType, MessageType } from '../definitions.js'
import { type MessageKind, MessageSet, PRO_REQUIRED } from '../message-kind.js'
import { castIdSchema, repeatedField, schema, single } from '../wire-schema.js'
import { validateCastHash, validateCastId, validateEmbed, validateUrl } from './target.js'

/** Most bytes of the text of a cast, by its type (docs/protocol.md §3.3.2). */
export const MAX_CAST_BYTES = 320
export const MAX_LONG_CAST_BYTES = 1_024
export const MAX_TEN_K_CAST_BYTES = 10_000
const MAX_PRO_DATA_BYTES = 16_384
const MAX_EMBEDS = 4
const MAX_STRING_EMBEDS = 2
const MAX_MENTIONS = 10
/** Farcaster seconds from which plain strings are no longer valid embeds. */
const STRING_EMBEDS_END = 73_612_800

const embedSchema = schema({ 1: single('string'), 2: single(castIdSchema) }, [[1, 2]])
const bodySchema = schema(
  {
    1: repeatedField('string'),
    2: repeatedField('uint64'),
    3: single(castIdSchema),
    4: single('string'),
    5: repeatedField('uint32'),
    6: repeatedField(embedSchema),
    7: single('string'),
    8: single('int32'),
  },
  [[3, 7]],
)

/** CAST_ADD: a post. Limits: docs/protocol.md §3.3.2, as of engine V20. */
export const castAdd: MessageKind<CastAddBody> = {
  type: MessageType.CAST_ADD,
  set: MessageSet.casts,
  side: 'add',
  bodyName: 'castAddBody',
  wire: { field: 5, schema: bodySchema },
  maxProDataBytes: MAX_PRO_DATA_BYTES,
  validate: (body, data, { isPro }) =>
    validateText(body, isPro) ??
    validateContent(body, data.timestamp < STRING_EMBEDS_END) ??
    validateEmbeds(body) ??
    validateMentions(body) ??
    validateParent(body),
  requiresPro: (body) => body.type === CastType.TEN_K_CAST,
  conflictKey: (_body, message) => message.hash,
}

/** CAST_REMOVE: removes a post. It has the conflict key of the post (docs/protocol.md §4.2). */
export const castRemove: MessageKind<CastRemoveBody> = {
  type: MessageType.CAST_REMOVE,
  set: MessageSet.casts,
  side: 'remove',
  bodyName: 'castRemoveBody',
  wire: { field: 6, schema: schema({ 1: single('bytes') }) },
  validate: (body) => validateCastHash(body.targetHash),
  conflictKey: (body) => asBuffer(body.targetHash),
}

function validateText(body: CastAddBody, isPro: boolean): string | null {
  const sizeBytes = Buffer.byteLength(body.text)
  switch (body.type) {
    case CastType.CAST:
      return sizeBytes > MAX_CAST_BYTES ? 'text > 320 bytes' : null
    case CastType.LONG_CAST:
      if (sizeBytes > MAX_LONG_CAST_BYTES) return 'text > 1024 bytes for long cast'
      return sizeBytes <= MAX_CAST_BYTES ? 'text too short for long cast' : null
    case CastType.TEN_K_CAST:
      if (!isPro) return PRO_REQUIRED
      // The reference node exchanges the texts of the two limits.
      if (sizeBytes > MAX_TEN_K_CAST_BYTES) return 'text too short for 10k cast'
      return sizeBytes <= MAX_LONG_CAST_BYTES ? 'text > 10,000 bytes for 10k cast' : null
    default:
      return 'invalid cast type'
  }
}

function validateContent(body: CastAddBody, stringEmbedsAllowed: boolean): string | null {
  const { embeds, embedsDeprecated, mentions } = body
  if (embeds.length > MAX_EMBEDS) return 'embeds > 4'
  if (!stringEmbedsAllowed && embedsDeprecated.length > 0) return 'string embeds have been deprecated'
  if (embedsDeprecated.length > MAX_STRING_EMBEDS) return 'string embeds > 2'
  if (mentions.length > MAX_MENTIONS) return 'mentions > 10'
  if (mentions.length !== body.mentionsPositions.length) return 'mentions and mentionsPositions must match'
  if (embeds.length > 0 && embedsDeprecated.length > 0) return 'cannot use both embeds and string embeds'
  const isEmpty = body.text === '' && embeds.length + embedsDeprecated.length + mentions.length === 0
  return isEmpty ? 'cast is empty' : null
}

function validateEmbeds(body: CastAddBody): string | null {
  for (const embed of body.embeds) {
    const fault = validateEmbed(embed)
    if (fault !== null) return fault
  }
  for (const url of body.embedsDeprecated) {
    const fault = validateUrl(url)
    if (fault !== null) return fault
  }
  return null
}

/** Mentions are byte offsets into the text, which does not contain the mentioned names. */
function validateMentions(body: CastAddBody): string | null {
  const textBytes = Buffer.byteLength(body.text)
  let previous = 0
  for (const [index, fid] of body.mentions.entries()) {
    if (fid === 0) return 'fid is missing'
    const position = body.mentionsPositions[index]!
    if (position > textBytes) return 'mentionsPositions must be a position in text'
    if (position < previous) return 'mentionsPositions must be sorted in ascending order'
    previous = position
  }
  return null
}

function validateParent(body: CastAddBody): string | null {
  // Decoded data has one of the two: only a message that is built here can have both.
  if (body.parentCastId !== undefined && body.parentUrl !== undefined) {
    return 'cannot use both parentUrl and parentCastId'
  }
  if (body.parentCastId !== undefined) return validateCastId(body.parentCastId)
  return body.parentUrl === undefined ? null : validateUrl(body.parentUrl)
}
