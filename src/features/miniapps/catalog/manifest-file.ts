import type { NetRequest } from '../../../platform/outbound/net-client.js'
import type { MiniAppSite } from '../hosts/host-tokens.js'

/** Path of a mini app's manifest (docs/protocol.md §8.2). */
const MANIFEST_PATH = '/.well-known/farcaster.json'
/** Redirects to follow: a manifest may be hosted elsewhere. */
const MANIFEST_REDIRECTS = 3
const MANIFEST_DEADLINE_MS = 5_000
export const MAX_MANIFEST_BYTES = 256 * 1024

/** The request for the manifest of a domain. */
export function manifestRequest({ origin }: MiniAppSite): NetRequest {
  return {
    url: `${origin}${MANIFEST_PATH}`,
    headers: { accept: 'application/json' },
    maxRedirects: MANIFEST_REDIRECTS,
    deadlineMs: MANIFEST_DEADLINE_MS,
    maxBytes: MAX_MANIFEST_BYTES,
  }
}
