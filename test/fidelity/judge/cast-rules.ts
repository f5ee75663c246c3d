import type { Context } from './context.js'
import type { Data } from './message.js'
import type { Decoded } from './schema.js'
import { type Fault, invalid } from './verdict.js'

/** Casts, reactions and frame actions. */

const DEPRECATED_EMBEDS_UNTIL = 73_612_800
const MAX_EMBEDS = 4
const MAX_MENTIONS = 10

const byteLength = (text: string) => Buffer.byteLength(text, 'utf8')

/** Returns the first fault of the body of a cast; null without one. */
export function validateCast(cast: Decoded, { timestamp }: Data, { isPro }: Context): Fault | null {
  const text = cast.text as string
  const embeds = cast.embeds as Decoded[]
  const deprecated = cast.embedsDeprecated as string[]
  const mentions = cast.mentions as bigint[]
  return (
    validateText(byteLength(text), cast.type as number, isPro) ??
    validateEmbeds(embeds, deprecated, timestamp) ??
    validateMentions(mentions, cast.mentionsPositions as number[], byteLength(text)) ??
    validateParent(cast) ??
    (text === '' && embeds.length === 0 && deprecated.length === 0 && mentions.length === 0
      ? invalid('cast is empty')
      : null)
  )
}

/** The texts of the two limits of 10k casts are swapped in the reference node. */
function validateText(length: number, type: number, isPro: boolean): Fault | null {
  switch (type) {
    case 0:
      return length > 320 ? invalid('text > 320 bytes') : null
    case 1:
      if (length > 1024) return invalid('text > 1024 bytes for long cast')
      return length <= 320 ? invalid('text too short for long cast') : null
    case 2:
      if (!isPro) return invalid('Pro subscription required')
      if (length > 10_000) return invalid('text too short for 10k cast')
      return length <= 1024 ? invalid('text > 10,000 bytes for 10k cast') : null
    default:
      return invalid('invalid cast type')
  }
}

function validateEmbeds(embeds: Decoded[], deprecated: string[], timestamp: number): Fault | null {
  if (embeds.length > MAX_EMBEDS) return invalid('embeds > 4')
  if (deprecated.length > 0) {
    if (timestamp >= DEPRECATED_EMBEDS_UNTIL) return invalid('string embeds have been deprecated')
    if (embeds.length > 0) return invalid('cannot use both embeds and string embeds')
    if (deprecated.length > 2) return invalid('string embeds > 2')
    for (const url of deprecated) {
      const wrong = validateUrl(url)
      if (wrong) return wrong
    }
  }
  for (const embed of embeds) {
    const wrong = validateEmbed(embed)
    if (wrong) return wrong
  }
  return null
}

function validateEmbed(embed: Decoded): Fault | null {
  if (embed.url !== undefined) return validateUrl(embed.url as string)
  if (embed.castId !== undefined) return validateCastId(embed.castId as Decoded)
  return invalid('embed is missing')
}

function validateUrl(url: string): Fault | null {
  if (url.length === 0) return invalid('url < 1 byte')
  return byteLength(url) > 256 ? invalid('url > 256 bytes') : null
}

/** A cast id: the documents give the text of a missing hash, and none for a hash of another length. */
function validateCastId(id: Decoded): Fault | null {
  if (id.fid === 0n) return invalid('fid is missing')
  const { length } = id.hash as Uint8Array
  if (length === 0) return invalid('hash is missing')
  return length === 20 ? null : invalid(null)
}

function validateMentions(mentions: bigint[], positions: number[], textLength: number): Fault | null {
  if (mentions.length > MAX_MENTIONS) return invalid('mentions > 10')
  if (mentions.length !== positions.length) return invalid('mentions and mentionsPositions must match')
  for (const [index, fid] of mentions.entries()) {
    if (fid === 0n) return invalid('fid is missing')
    const position = positions[index]!
    if (position > textLength) return invalid('mentionsPositions must be a position in text')
    if (index > 0 && position < positions[index - 1]!)
      return invalid('mentionsPositions must be sorted in ascending order')
  }
  return null
}

function validateParent(cast: Decoded): Fault | null {
  if (cast.parentCastId !== undefined) return validateCastId(cast.parentCastId as Decoded)
  return cast.parentUrl === undefined ? null : validateUrl(cast.parentUrl as string)
}

/** Returns the fault of the body that removes a cast; null without one. */
export function validateCastRemove(body: Decoded): Fault | null {
  const { length } = body.targetHash as Uint8Array
  if (length === 0) return invalid('hash is missing')
  return length === 20 ? null : invalid(null)
}

/** A reaction of type 0 passes here, and its store refuses it. */
export function validateReaction(body: Decoded): Fault | null {
  const type = body.type as number
  if (type < 0 || type > 2) return invalid('invalid reaction type')
  if (body.targetCastId !== undefined) return validateCastId(body.targetCastId as Decoded)
  return body.targetUrl === undefined ? invalid('target is missing') : validateUrl(body.targetUrl as string)
}

/** Returns the first fault of the body of a frame action; null without one. */
export function validateFrameAction(body: Decoded): Fault | null {
  const lengthOf = (name: string) => (body[name] as Uint8Array).length
  if ((body.buttonIndex as number) > 5) return invalid('Invalid button index')
  if (lengthOf('url') < 1 || lengthOf('url') > 1024) return invalid(null)
  if (lengthOf('inputText') > 256) return invalid(null)
  if (lengthOf('state') > 4096) return invalid(null)
  if (lengthOf('transactionId') > 256) return invalid(null)
  if (lengthOf('address') > 64) return invalid(null)
  return body.castId === undefined ? null : validateCastId(body.castId as Decoded)
}
