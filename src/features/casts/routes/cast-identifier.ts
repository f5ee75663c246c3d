import { invalidField } from '../../../api/invalid-field.js'
import { choiceParameter, textParameter } from '../../../api/parameters.js'
import type { CastIdentifier } from '../../../graph/query/cast-identifier.js'

/** The two parameters that identify one cast. */
export const castIdentifierParameters = {
  identifier: textParameter({
    description: 'Hash of a cast, or URL of its page in a client; see `type`.',
    examples: ['https://farcaster.xyz/dwr/0x71d5225f'],
  }),
  type: choiceParameter(['url', 'hash'], { description: 'Type of `identifier`.' }),
}

/** The part of a description that explains the two parameters. */
export const castIdentifierNote = [
  'A URL is a cast’s page in a client, on any host: `https://…/<username>/0x<hash>` or `https://…/~/conversations/0x<hash>`.',
  'Its hash may be shortened to 8 digits or more; of several matching casts, the newest is used.',
].join(' ')

/** The error text of 404. */
export const unknownCast = 'there is no such cast'

const wholeHash = /^(?:0x)?([0-9a-f]{40})$/i
const conversationPath = /^\/~\/conversations\/0x([0-9a-f]{8,40})\/?$/i
const authorPath = /^\/([^/]+)\/0x([0-9a-f]{8,40})\/?$/i

/** Parses the identifier; a 400 if it is not what `type` says. */
export function castIdentifier(query: { identifier: string; type: 'url' | 'hash' }): CastIdentifier {
  const { identifier, type } = query
  return type === 'hash' ? byHash(identifier) : byUrl(identifier)
}

function byHash(text: string): CastIdentifier {
  const hash = wholeHash.exec(text)?.[1]
  if (!hash) throw invalidField('identifier', 'must be the hash of a cast: 40 hex digits, with 0x or without')
  return { hashPrefix: hash.toLowerCase(), username: null }
}

function byUrl(text: string): CastIdentifier {
  const path = URL.canParse(text) ? new URL(text).pathname : ''
  const conversation = conversationPath.exec(path)
  if (conversation) return { hashPrefix: conversation[1]!.toLowerCase(), username: null }
  const [, author, hash] = authorPath.exec(path) ?? []
  if (author === undefined || hash === undefined) {
    throw invalidField(
      'identifier',
      'must be the URL of a cast in a client, such as https://…/<username>/0x<hash>',
    )
  }
  return { hashPrefix: hash.toLowerCase(), username: author.toLowerCase() }
}
