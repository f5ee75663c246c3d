/**
 * Price of heavy requests, in milliseconds of a core as they were measured on 2 cores of 2.5 GHz (`npm run bench:hostile`). A
 * request is heavy if it takes longer than about 5 ms; others are free.
 */
export interface WorkPrice {
  /** Reads share one gate, bulk writes another: they need other connections and threads. */
  readonly lane: 'reads' | 'writes'
  readonly msPerRequest: number
  /** For each 1,000 bytes of the request's body and of the reply. */
  readonly msPerKb: number
}

export const workPrices = {
  /** A page of the hub over HTTP: 1,000 events are 704 kB and take 8 ms, 5 from the cache. */
  jsonPage: { lane: 'reads', msPerRequest: 1, msPerKb: 0.01 },
  /** A page of the hub over gRPC: 1,000 events are 450 kB with the bytes that were signed twice, and take 7 ms. */
  grpcPage: { lane: 'reads', msPerRequest: 1, msPerKb: 0.015 },
  /** Messages in bulk: one of 250 bytes takes 0.18 ms, of which 0.05 are on the main thread. Its reply costs about as much. */
  bulkMessages: { lane: 'writes', msPerRequest: 1, msPerKb: 0.1 },
  /** Search in texts: PostgreSQL takes 20 to 200 ms for a frequent word. Feeds by embed read all matches likewise. */
  search: { lane: 'reads', msPerRequest: 30, msPerKb: 0.01 },
  /** 100 users, or a whole conversation: mostly its JSON. */
  largeReply: { lane: 'reads', msPerRequest: 1, msPerKb: 0.02 },
  /** Filters of a webhook against up to 100,000 past events, for at most three seconds. */
  preview: { lane: 'reads', msPerRequest: 1_000, msPerKb: 0.01 },
} as const satisfies Record<string, WorkPrice>

/** Users or casts in a reply that takes a few milliseconds. */
const MAX_LIGHT_ITEMS = 50

/** Returns the price of a reply with so many users or casts; null for a light one. */
export function priceOfItems(count: number): WorkPrice | null {
  return count > MAX_LIGHT_ITEMS ? workPrices.largeReply : null
}
