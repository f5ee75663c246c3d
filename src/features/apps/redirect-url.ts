import { invalidField } from '../../api/invalid-field.js'
import { parseUrl } from '../../platform/text/parse-url.js'

/** Longest accepted URL: the limit that every browser supports. */
export const MAX_REDIRECT_LENGTH = 2_048

/**
 * Schemes that a browser handles itself, that read files, or that start no app.
 *
 * Custom schemes such as `myapp://signed-in` are accepted, since phones open apps by them.
 */
const refusedSchemes: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'chrome:',
  'chrome-extension:',
  'content:',
  'data:',
  'edge:',
  'file:',
  'filesystem:',
  'ftp:',
  'intent:',
  'jar:',
  'javascript:',
  'moz-extension:',
  'ms-settings:',
  'resource:',
  'search-ms:',
  'shell:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
])

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Validates the URL that an app's user continues to after approval.
 *
 * Accepts `https`, `http` on loopback, and custom schemes followed by `//`.
 *
 * @param property The parameter, for the error.
 * @returns The canonical form of the URL.
 * @throws PlazaError That names `property`.
 */
export function checkRedirectUrl(text: string, property = 'redirect_url'): string {
  const url = parseUrl(text)
  if (url === null || url.href.length > MAX_REDIRECT_LENGTH || url.username !== '' || url.password !== '') {
    throw invalidField(property, 'must be a URL of at most 2048 characters without credentials')
  }
  if (url.protocol === 'http:' && !loopback.has(url.hostname)) {
    throw invalidField(property, 'may use http only on localhost: use https')
  }
  if (!refusedSchemes.has(url.protocol) && url.href.startsWith(`${url.protocol}//`)) return url.href
  const problem = "must begin with https:// or with a custom scheme such as 'myapp://signed-in'"
  throw invalidField(property, problem)
}
