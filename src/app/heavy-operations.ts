import type { PriceOf } from '../api/register-api.js'
import { workPrices } from '../platform/limits/work-prices.js'

/** Fewer take a few milliseconds. */
const MAX_LIGHT_USERS = 50

/**
 * The operations of the main API that take longest, and what their requests cost (`npm run bench:hostile -- --survey`). Requests
 * without a price are light.
 */
export const heavyOperations: ReadonlyMap<string, PriceOf> = new Map<string, PriceOf>([
  ['GET cast/search', () => workPrices.search],
  ['GET cast/conversation', () => workPrices.largeReply],
  ['GET user/bulk', ({ fids }) => (count(fids) > MAX_LIGHT_USERS ? workPrices.largeReply : null)],
  ['POST webhook/preview', () => workPrices.preview],
])

/** Values of a list, given between commas, as repeated parameters, or both. */
function count(list: unknown): number {
  return String(list ?? '').split(',').length
}
