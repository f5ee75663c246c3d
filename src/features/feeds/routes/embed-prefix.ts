import { invalidField } from '../../../api/invalid-field.js'
import type { EmbedSelection } from '../../../graph/query/feeds-by-embed.js'

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i

/**
 * The beginning that embedded URLs must have: with a scheme and with the host in lower case, as nearly all casts have
 * them. The host alone stands for everything on it, with a slash behind it or not.
 */
export function embedPrefix(embedUrl: string): Extract<EmbedSelection, { prefix: string }> {
  const text = scheme.test(embedUrl) ? embedUrl : `https://${embedUrl}`
  if (!URL.canParse(text)) throw invalidField('embed_url', 'must be a URL, or the beginning of one')
  const url = new URL(text)
  const isHost = url.pathname === '/' && url.search === '' && url.hash === '' && !text.endsWith('/')
  return { prefix: isHost ? url.href.replace(/\/$/, '') : url.href, isHost }
}
