import { storableText } from '../platform/text/storable-text.js'
import { bytesOfHex, hexOf } from '../protocol/bytes.js'
import type { CastAddBody } from '../protocol/definitions.js'
import type { SignedMessage } from '../protocol/message.js'

/** The columns of a cast as they are inserted. */
export interface CastRow {
  readonly hash: Buffer
  readonly fid: number
  readonly ts: number
  readonly text: string
  readonly parentFid: number | null
  readonly parentHash: Buffer | null
  readonly parentUrl: string | null
  readonly embeds: readonly CastEmbed[]
  readonly mentions: readonly number[]
  readonly mentionPositions: readonly number[]
  readonly signer: Buffer
}

/** An embed as stored in `casts.embeds`. */
export type CastEmbed = { readonly url: string } | { readonly fid: number; readonly hash: `0x${string}` }

/** Returns the columns of a message that adds a cast. */
export function castRow({ data, hash, signer }: SignedMessage): CastRow {
  const body = data.castAddBody!
  return {
    hash,
    fid: data.fid,
    ts: data.timestamp,
    text: storableText(body.text),
    parentFid: body.parentCastId?.fid ?? null,
    parentHash: body.parentCastId ? Buffer.from(body.parentCastId.hash) : null,
    parentUrl: body.parentUrl === undefined ? null : storableText(body.parentUrl),
    embeds: embedsOf(body),
    mentions: body.mentions,
    mentionPositions: body.mentionsPositions,
    signer,
  }
}

/**
 * The embeds of a cast. Old casts list URLs in `embedsDeprecated`; a cast never has both (docs/protocol.md
 * §3.3.2).
 */
function embedsOf(body: CastAddBody): CastEmbed[] {
  const urls = body.embedsDeprecated.map((url) => ({ url: storableText(url) }))
  const embeds = body.embeds.flatMap(({ url, castId }): CastEmbed[] => {
    if (castId) return [{ fid: castId.fid, hash: hexOf(castId.hash) }]
    return url === undefined ? [] : [{ url: storableText(url) }]
  })
  return [...urls, ...embeds]
}

/** Returns the casts that a cast embeds, each once. */
export function quotedBy(cast: Pick<CastRow, 'embeds'>): { fid: number; hash: Buffer }[] {
  const quoted = new Map<string, { fid: number; hash: Buffer }>()
  for (const embed of cast.embeds) {
    if ('url' in embed) continue
    quoted.set(`${embed.fid}/${embed.hash}`, {
      fid: embed.fid,
      hash: bytesOfHex(embed.hash),
    })
  }
  return [...quoted.values()]
}
