import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { PlazaError } from '../../platform/errors.js'

/** In UTF-16 code units. */
export const MAX_NAME_LENGTH = 100
/** Of a host name, without a dot at its end (RFC 1035 §2.3.4). */
export const MAX_DOMAIN_LENGTH = 253

/** Characters that would break a line or a column of a list, and halves of characters. */
const unprintableCharacters = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
/** What separates a host name from the rest of a URL. */
const invalidHostCharacters = /[\s/\\:?#@[\]%]/
/** A label of a host name: letters, digits and hyphens, neither first nor last a hyphen (RFC 1123 §2.1). */
const hostName = /^(?!-)[a-z\d-]{1,63}(?<!-)(\.(?!-)[a-z\d-]{1,63}(?<!-))*$/

/** Whether a text has the form of an id of an app or a developer. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/**
 * The name of an app, as it is stored: white space around it is left out, and what looks the same is the same (NFC).
 *
 * @throws PlazaError `bad_request.invalid_param` when it cannot be one.
 */
export function normalizeAppName(text: string): string {
  const name = text.normalize('NFC').trim()
  if (name === '' || name.length > MAX_NAME_LENGTH || unprintableCharacters.test(name)) {
    throw invalidField('name', `must be a text of 1 to ${MAX_NAME_LENGTH} characters without line breaks`)
  }
  // Commands take either.
  if (isUuid(name)) throw invalidField('name', 'must not look like an id')
  return name
}

/**
 * The host that a mini app lives on, in small letters and in ASCII: `Müller.example` is `xn--mller-kva.example`.
 *
 * @throws PlazaError `bad_request.invalid_param` when it is none.
 */
export function normalizeMiniAppDomain(text: string): string {
  const domain = invalidHostCharacters.test(text) ? '' : domainToASCII(text)
  if (domain.length > MAX_DOMAIN_LENGTH || !hostName.test(domain) || isIP(domain) !== 0) {
    throw invalidField(
      'mini_app_domain',
      'must be a host name such as app.example.com, without https:// and without a path',
    )
  }
  return domain
}

/**
 * The id of a developer.
 *
 * @throws PlazaError `bad_request.invalid_param` when it is not a UUID.
 */
export function normalizeDeveloperUuid(text: string): string {
  if (!isUuid(text)) throw invalidField('developer_uuid', 'must be a UUID')
  return text.toLowerCase()
}

function invalidField(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}
