import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { PlazaError } from '../../platform/errors.js'

/** In UTF-16 code units. */
export const MAX_NAME_LENGTH = 100
/** Longest host name without a trailing dot (RFC 1035 §2.3.4). */
export const MAX_DOMAIN_LENGTH = 253

/** Control characters, separators and lone surrogates, which would break lists. */
const unprintableCharacters = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
/** Characters that end the host part of a URL. */
const invalidHostCharacters = /[\s/\\:?#@[\]%]/
/** A host name: labels of letters, digits and inner hyphens (RFC 1123 §2.1). */
const hostName = /^(?!-)[a-z\d-]{1,63}(?<!-)(\.(?!-)[a-z\d-]{1,63}(?<!-))*$/

/** Whether a text has the form of an app or developer id. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/**
 * Normalizes the name of an app: trimmed, NFC.
 *
 * @throws PlazaError `bad_request.invalid_param` for an invalid name.
 */
export function normalizeAppName(text: string): string {
  const name = text.normalize('NFC').trim()
  if (name === '' || name.length > MAX_NAME_LENGTH || unprintableCharacters.test(name)) {
    throw invalidField('name', `must be a text of 1 to ${MAX_NAME_LENGTH} characters without line breaks`)
  }
  // Commands accept a name or an id.
  if (isUuid(name)) throw invalidField('name', 'must not look like an id')
  return name
}

/**
 * Normalizes the host of a mini app to lowercase ASCII: `Müller.example` becomes `xn--mller-kva.example`.
 *
 * @throws PlazaError `bad_request.invalid_param` for an invalid host.
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
 * Normalizes a developer id.
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
