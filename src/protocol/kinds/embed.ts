import type { Embed } from '@farcaster/core'
import { validateCastId } from './cast-id.js'
import { validateUrl } from './url.js'

/** The rule that an embed breaks (docs/protocol.md §3.3.3), or null: one URL or one cast id. */
export function validateEmbed(embed: Embed): string | null {
  if (embed.url !== undefined && embed.castId !== undefined) return 'cannot use both url and castId'
  if (embed.url !== undefined) return validateUrl(embed.url)
  return embed.castId === undefined ? 'embed is missing' : validateCastId(embed.castId)
}
