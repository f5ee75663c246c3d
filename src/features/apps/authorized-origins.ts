import { isIP } from 'node:net'
import { invalidField } from '../../api/invalid-field.js'
import { checkRedirectUrl } from './redirect-url.js'

/** Most authorized origins of an app: the login page posts its result to each of them. */
export const MAX_AUTHORIZED_ORIGINS = 20
export const MAX_ORIGIN_LENGTH = 300

/** Permissions that a browser sign-in may request from users. */
export const signInPermissions = ['read_only', 'read_and_write'] as const
export type SignInPermission = (typeof signInPermissions)[number]

const webProtocols: ReadonlySet<string> = new Set(['https:', 'http:'])
const loopbackAddresses: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]'])
/** ASCII: `URL` has encoded other letters. Excludes wildcards, which `URL` accepts. */
const hostPattern = /^[a-z\d.-]+$/

/**
 * Normalizes the origins that may receive the result of a sign-in, without repetitions.
 *
 * An entry is `https://app.example.com`, `http://localhost:3000`, or the scheme of deep links, `myapp://`.
 *
 * @throws PlazaError `bad_request.invalid_param` for a path, a wildcard, an IP address or a scheme that
 * browsers handle themselves.
 */
export function normalizeAuthorizedOrigins(origins: readonly string[]): string[] {
  if (origins.length > MAX_AUTHORIZED_ORIGINS) throw invalidOrigins(`at most ${MAX_AUTHORIZED_ORIGINS}`)
  return [...new Set(origins.map(normalizeOrigin))]
}

function normalizeOrigin(text: string): string {
  const url = new URL(checkRedirectUrl(text.trim(), 'authorized_origins'))
  const origin = originOf(url)
  const isBare = url.href === origin || url.href === `${origin}/`
  if (!isBare) throw invalidOrigins('origins without a path, such as https://app.example.com')
  if (!webProtocols.has(url.protocol) || loopbackAddresses.has(url.hostname)) return origin
  if (!hostPattern.test(url.hostname) || isIP(url.hostname) !== 0) {
    throw invalidOrigins('host names, without wildcards and IP addresses')
  }
  return origin
}

/**
 * Validates a URL to which a user returns after a sign-in.
 *
 * @param origins The authorized origins of the app.
 * @param property The parameter, for the error.
 * @returns The canonical form of the URL.
 * @throws PlazaError `bad_request.invalid_param` unless its origin is authorized.
 */
export function checkReturnUrl(text: string, origins: readonly string[], property: string): string {
  const href = checkRedirectUrl(text, property)
  const origin = originOf(new URL(href))
  if (origins.includes(origin)) return href
  throw invalidField(property, `must be on an authorized origin of the app: ${origin} is none`)
}

/** The origin of a web page, or the scheme of a deep link, whose URL has no origin. */
function originOf(url: URL): string {
  return webProtocols.has(url.protocol) ? url.origin : `${url.protocol}//`
}

function invalidOrigins(expected: string): Error {
  return invalidField('authorized_origins', `must be ${expected}`)
}
