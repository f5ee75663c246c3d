import type { FastifyRequest } from 'fastify'
import { PlazaError } from '../platform/errors.js'
import { parseUrl } from '../platform/text/parse-url.js'

/**
 * Refuses a request that a page of another site, port or name sends for the user, with the user's cookies. Browsers send
 * `Sec-Fetch-Site` over https and on localhost, and `Origin` with every POST, PATCH and DELETE; no page can set either.
 *
 * @param problem What the sender is told. Throws PlazaError `forbidden`.
 */
export function refuseOtherSites(request: FastifyRequest, problem: string): void {
  const { origin = '', 'sec-fetch-site': site } = request.headers
  const page = parseUrl(origin)
  const isOwnPage = site === undefined ? page !== null && page.host === request.host : site === 'same-origin'
  if (!isOwnPage) throw new PlazaError('forbidden', problem)
}
