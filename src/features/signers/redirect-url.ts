import { PlazaError } from '../../platform/errors.js'

/** The longest address that is sure to work everywhere. */
export const MAX_REDIRECT_LENGTH = 2_048

/**
 * Schemes that do something in a browser itself, reach for files, or start what is no app of its own. An app's own
 * scheme, as `myapp://signed-in`, is what phones open apps by.
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
 * Checks where an app wants its user to go on to after the approval: `https`, `http` on the user's own machine, or the
 * scheme of an app with `//` behind it.
 *
 * @returns The address in its one canonical form.
 * @throws PlazaError that names `redirect_url`.
 */
export function checkRedirectUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.href.length > MAX_REDIRECT_LENGTH || url.username !== '' || url.password !== '') {
    throw invalidRedirectUrl('must be an address of at most 2048 characters without a user or a password')
  }
  if (url.protocol === 'http:' && !loopback.has(url.hostname)) {
    throw invalidRedirectUrl('may begin with http only on localhost: use https')
  }
  if (refusedSchemes.has(url.protocol) || !url.href.startsWith(`${url.protocol}//`)) {
    throw invalidRedirectUrl(
      "must begin with https:// or with the scheme of an app, as in 'myapp://signed-in'",
    )
  }
  return url.href
}

function invalidRedirectUrl(problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `redirect_url ${problem}`, { property: 'redirect_url' })
}
