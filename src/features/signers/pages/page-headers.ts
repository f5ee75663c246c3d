import type { FastifyReply } from 'fastify'

/** Content security policy: only own resources, no inline script, no framing. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Sets the headers of a page that talks to a wallet. They keep secrets of its URL from referrers and caches.
 * To be called before the route, which may send other ones.
 *
 * @param openerPolicy The Cross-Origin-Opener-Policy: which windows may hold each other.
 */
export function protectPage(
  reply: FastifyReply,
  openerPolicy: 'same-origin-allow-popups' | 'unsafe-none',
): void {
  reply.headers({
    'content-security-policy': pagePolicy,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': openerPolicy,
  })
}
