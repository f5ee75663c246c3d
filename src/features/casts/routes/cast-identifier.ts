import { invalidField } from '../../../api/invalid-field.js'
import { choiceParameter, textParameter } from '../../../api/parameters.js'
import type { CastIdentifier } from '../../../graph/query/cast-identifier.js'

/** The two parameters that name one cast. */
export const castIdentifierParameters = {
  identifier: textParameter({
    description: 'The hash of a cast, or the address of its page in a client, as `type` says.',
  }),
  type: choiceParameter(['url', 'hash'], { description: 'What `identifier` is.' }),
}

/** For the description of operations that take them. */
export const castIdentifierNote = [
  'A URL is one of a client, on any host: `https://…/<username>/0x<hash>` or `https://…/~/conversations/0x<hash>`.',
  'Its hash may be cut off after 8 digits or more; of several casts that it could be, the latest is meant.',
].join(' ')

/** What is said with 404. */
export const unknownCast = 'there is no such cast'

const wholeHash = /^(?:0x)?([0-9a-f]{40})$/i
const conversationPath = /^\/~\/conversations\/0x([0-9a-f]{8,40})\/?$/i
const authorPath = /^\/([^/]+)\/0x([0-9a-f]{8,40})\/?$/i

/** Reads them; a 400 that names `identifier` if it is not what `type` says. */
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
