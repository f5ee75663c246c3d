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

interface DocumentedPrice extends WorkPrice {
  /** The requests that have it, in Markdown: `npm run docs:operations` writes them to `docs/api.md`. */
  readonly requests: string
}

export const workPrices = {
  /** A page of the hub over HTTP: 1,000 events are 704 kB and take 8 ms, 5 from the cache. */
  jsonPage: {
    requests: 'a page of the hub with more than 100 entries, over HTTP',
    lane: 'reads',
    msPerRequest: 1,
    msPerKb: 0.01,
  },
  /** A page of the hub over gRPC: 1,000 events are 450 kB with the bytes that were signed twice, and take 7 ms. */
  grpcPage: {
    requests: 'the same over gRPC',
    lane: 'reads',
    msPerRequest: 1,
    msPerKb: 0.015,
  },
  /** A count that reads each entry: 100,000 followers take 10 ms of PostgreSQL. */
  count: {
    requests: '`channelFollowerCount` of the hub, over HTTP and gRPC',
    lane: 'reads',
    msPerRequest: 10,
    msPerKb: 0.01,
  },
  /** Messages in bulk: one of 250 bytes takes 0.18 ms, of which 0.05 are on the main thread. Its reply costs about as much. */
  bulkMessages: {
    requests: 'a body of messages for the hub of more than 16 kB',
    lane: 'writes',
    msPerRequest: 1,
    msPerKb: 0.1,
  },
  /** Search in texts: PostgreSQL takes 20 to 200 ms for a frequent word. Feeds by embed read all matches likewise. */
  search: {
    requests:
      '`cast/search`; `cast/metrics`; `feed` by `embed_url` or `embed_types`; `feed/frames`; `feed/user/casts` with a ' +
      'filter, `feed/user/replies_and_recasts` (also with the fid in its path) except with `filter=recasts`, ' +
      '`feed/channels` with `fids`, of version 1 `casts` with `parent_url` and `all-casts-in-thread`; `frame/validate/analytics`; `channel/users`; ' +
      '`cast/conversation` with `sort_type=algorithmic` or `fold`; `fungible/owner/relevant` and, for each token, ' +
      '`fungible/owner/relevant/bulk`; later pages of `feed/trending`, `channel/trending` ' +
      'and of `feed` by `global_trending`',
    lane: 'reads',
    msPerRequest: 30,
    msPerKb: 0.01,
  },
  /** 100 users, or a whole conversation: mostly its JSON. */
  largeReply: {
    requests:
      '`cast/conversation`; `user/bulk`, `user/bulk-by-address`, `casts` and `channel/followers` with more than 50 ' +
      'entries; `user/bulk-by-address` with more than 50 users at its addresses; of version 1 `recent-users` with more than 50',
    lane: 'reads',
    msPerRequest: 1,
    msPerKb: 0.02,
  },
  /**
   * The page of another server, or its answer about a conversation: 1 MiB takes 20 to 50 ms of the main thread (`<p>` without end the most, of 38 kinds of HTML), an
   * image up to 3, an ordinary page 5 to 15.
   */
  otherPage: {
    requests:
      '`cast/embed/crawl`, `frame/crawl`, `frame/action` and `frame/developer_managed/action`; `cast/conversation/summary`',
    lane: 'reads',
    msPerRequest: 30,
    msPerKb: 0,
  },
  /** Filters of a webhook against up to 100,000 past events, for at most three seconds. */
  preview: {
    requests: '`webhook/preview`',
    lane: 'reads',
    msPerRequest: 1_000,
    msPerKb: 0.01,
  },
} as const satisfies Record<string, DocumentedPrice>

/** Users or casts in a reply that takes a few milliseconds. */
const MAX_LIGHT_ITEMS = 50

/** A full user in a reply has 1 to 2 kB. */
const KB_PER_USER = 1.5

/** Returns the price of users whose number is known before they are rendered; null for few. */
export function priceOfUsers(count: number): WorkPrice | null {
  const price = priceOfItems(count)
  return price && { ...price, msPerRequest: price.msPerRequest + count * KB_PER_USER * price.msPerKb }
}

/** Returns the price of a reply with so many users or casts; null for a light one. */
export function priceOfItems(count: number): WorkPrice | null {
  return count > MAX_LIGHT_ITEMS ? workPrices.largeReply : null
}
