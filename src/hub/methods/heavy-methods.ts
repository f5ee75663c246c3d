import { type WorkPrice, workPrices } from '../../platform/limits/work-prices.js'
import type { GrpcRequest } from './grpc/request.js'
import type { Parameters } from './http/parameters.js'
import type { HubMethod } from './hub-method.js'

/** 100 messages take a millisecond. */
const MAX_LIGHT_PAGE = 100
/** The largest message has 64 kB; most bodies above it are bulk. */
const MAX_LIGHT_BODY_BYTES = 16 * 1024

/** The price of a read over HTTP: a long page is heavy, and a count of all. Null for a light one. */
export function priceOfQuery(method: HubMethod, query: Parameters): WorkPrice | null {
  if (method.kind !== 'read') return null
  if (!method.isPaged) return method.countsAll ? workPrices.count : null
  return isLightPage(pageSizeOf(query)) ? null : workPrices.jsonPage
}

/** The price of a read over gRPC. */
export function priceOfRequest(method: HubMethod, { pageSize }: GrpcRequest): WorkPrice | null {
  if (method.kind !== 'read') return null
  if (!method.isPaged) return method.countsAll ? workPrices.count : null
  return isLightPage(pageSize) ? null : workPrices.grpcPage
}

/** The price of messages that are submitted or validated. */
export function priceOfBody({ length }: Buffer): WorkPrice | null {
  return length <= MAX_LIGHT_BODY_BYTES ? null : workPrices.bulkMessages
}

function isLightPage(size: number | undefined): boolean {
  return size !== undefined && size <= MAX_LIGHT_PAGE
}

/** Returns the page size; a value that is no number is refused later, and costs nothing. */
function pageSizeOf(query: Parameters): number | undefined {
  const name = ['page_size', 'pageSize'].find((each) => query.has(each))
  return name === undefined ? undefined : Number(query.list(name)?.values[0] ?? 0) || 0
}
