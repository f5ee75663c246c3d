import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import {
  castHashParameter,
  choiceParameter,
  listLength,
  listParameter,
  lookupViewerFidParameter,
  textParameter,
} from '../../../api/parameters.js'
import { type CastIdentifier, findCastHash } from '../../../graph/query/cast-identifier.js'
import { readQuotes } from '../../../graph/query/feeds-by-embed.js'
import { sortCasts } from '../../../graph/query/feeds-ranked.js'
import { json, jsonArray } from '../../../graph/view/json.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { isRefusal, PlazaError, refusalError } from '../../../platform/errors.js'
import { callerOfKey } from '../../../platform/limits/caller-name.js'
import { priceOfItems } from '../../../platform/limits/work-prices.js'
import { parseUrl } from '../../../platform/text/parse-url.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { feedPages, type ReadFeed } from '../../feeds/routes/feed-page.js'
import { feedPaging, parentUrl } from '../../feeds/routes/feed-parameters.js'
import { defineOperation } from '../../operation.js'
import { CastEmbedCrawlResponse, CastResponse, CastsResponse } from '../schema/cast.js'

/** The two parameters that identify one cast. */
export const castIdentifierParameters = {
  identifier: textParameter({
    description: 'Hash of a cast, or URL of its page in a client; see `type`.',
    examples: ['https://farcaster.xyz/dwr/0x71d5225f'],
  }),
  type: choiceParameter(['url', 'hash'], { description: 'Type of `identifier`.' }),
}

/** The part of a description that explains the two parameters. */
export const castIdentifierNote = [
  'A URL is a cast’s page in a client, on any host: `https://…/<username>/0x<hash>` or `https://…/~/conversations/0x<hash>`.',
  'Its hash may be shortened to 8 digits or more, beside a username to 6; of several matching casts, the newest is used.',
].join(' ')

/** The error text of 404. */
export const unknownCast = 'there is no such cast'

const wholeHash = /^(?:0x)?([0-9a-f]{40})$/i
const conversationPath = /^\/~\/conversations\/0x([0-9a-f]{8,40})\/?$/i
/** Clients of 2023 shortened hashes to six digits. */
const authorPath = /^\/([^/]+)\/0x([0-9a-f]{6,40})\/?$/i

/** Parses the identifier; a 400 if it is not what `type` says. */
export function castIdentifier(query: { identifier: string; type: 'url' | 'hash' }): CastIdentifier {
  const { identifier, type } = query
  return type === 'hash' ? byHash(identifier) : byUrl(identifier)
}

function byHash(text: string): CastIdentifier {
  const hash = wholeHash.exec(text)?.[1]
  if (!hash) throw invalidField('identifier', 'must be the hash of a cast: 40 hex digits, with 0x or without')
  return { hashPrefix: hash.toLowerCase(), username: null }
}

function byUrl(text: string): CastIdentifier {
  const path = parseUrl(text)?.pathname ?? ''
  const conversation = conversationPath.exec(path)
  if (conversation) return { hashPrefix: conversation[1]!.toLowerCase(), username: null }
  const [, author, hash] = authorPath.exec(path) ?? []
  if (author === undefined || hash === undefined) {
    throw invalidField(
      'identifier',
      'must be the URL of a cast in a client, such as https://…/<username>/0x<hash>',
    )
  }
  return { hashPrefix: hash.toLowerCase(), username: author.toLowerCase() }
}

/** `GET cast` */
export const cast = defineOperation({
  method: 'GET',
  path: 'cast',
  isPublic: true,
  tag: 'Casts',
  summary: 'Lookup cast by hash or URL',
  description: `${castIdentifierNote} The cast is returned even if the viewer blocks or mutes its author.`,
  query: Type.Object({ ...castIdentifierParameters, viewer_fid: lookupViewerFidParameter }),
  reply: CastResponse,
  notFound: unknownCast,

  async handle({ db, hydrator }, { viewer_fid, ...named }) {
    const hash = await findCastHash(db, castIdentifier(named))
    const cast = hash === null ? undefined : (await hydrator.casts([hash], viewer_fid)).get(hash)
    if (cast === undefined) throw new PlazaError('not_found', unknownCast, { property: 'identifier' })
    return json`{"cast":${cast}}`
  },
})

/** `GET casts` */
export const casts = defineOperation({
  method: 'GET',
  path: 'casts',
  price: ({ casts }) => priceOfItems(listLength(casts)),
  isPublic: true,
  tag: 'Casts',
  summary: 'Bulk fetch casts by hashes',
  description:
    'Unknown casts are left out. `sort_type=trending` ranks by reactions and replies that decay with age, ' +
    'as `feed/trending` does. Equal ranks are ordered newest first.',
  query: Type.Object({
    casts: listParameter(castHashParameter({ description: 'Hash of a cast.' }), {
      maxItems: 100,
      description: 'Hashes of casts.',
    }),
    sort_type: Type.Optional(
      choiceParameter(['trending', 'likes', 'recasts', 'replies', 'recent'], {
        description: 'Order of the casts. Without it, the order of the request.',
      }),
    ),
    viewer_fid: lookupViewerFidParameter,
  }),
  reply: CastsResponse,

  async handle({ db, hydrator, clock }, { casts: identifiers, sort_type, viewer_fid }) {
    const identifiedHashes = [...new Set(identifiers.map((hash) => hash.replace(/^0x/i, '').toLowerCase()))]
    const hashes = sort_type
      ? await sortCasts(db, identifiedHashes, sort_type, farcasterSecondsFromUnixMs(clock()))
      : identifiedHashes
    const rendered = await hydrator.casts(hashes, viewer_fid)
    return json`{"result":{"casts":${jsonArray(hashes.flatMap((hash) => rendered.get(hash) ?? []))}}}`
  },
})

const quotePages = feedPages('cast/quotes', false)

/** `GET cast/quotes` */
export const castQuotes = defineOperation({
  method: 'GET',
  path: 'cast/quotes',
  isPublic: true,
  tag: 'Casts',
  summary: 'Fetch casts that quote a cast',
  description: `Newest first. ${castIdentifierNote}`,
  query: Type.Object({ ...castIdentifierParameters, ...feedPaging }),
  reply: FeedResponse,
  notFound: unknownCast,

  async handle({ db, hydrator }, { identifier, type, ...page }, caller) {
    const cast = castIdentifier({ identifier, type })
    const read: ReadFeed = async (pageRequest) => {
      const quotes = await readQuotes(db, cast, pageRequest)
      if (!quotes) throw new PlazaError('not_found', unknownCast, { property: 'identifier' })
      return quotes
    }
    return quotePages({ hydrator }, caller, page, { read })
  },
})

/** `GET cast/embed/crawl` */
export const castEmbedCrawl = defineOperation({
  method: 'GET',
  usesPrimary: true,
  path: 'cast/embed/crawl',
  tag: 'Casts',
  summary: 'Fetch embedded URL metadata',
  description:
    'Fetches the URL now and returns its metadata; casts that embed the URL show it from then on. ' +
    'Addresses outside the public internet, ports other than 80 and 443, and URLs without content are errors.',
  query: Type.Object({
    url: { ...parentUrl('http or https URL.'), examples: ['https://example.com/garden'] },
  }),
  longWait: { limitMs: 40_000, reason: 'the server of the URL' },
  reply: CastEmbedCrawlResponse,

  async handle({ crawler }, { url }, { keyId }, _headers, charge) {
    const result = await crawler.crawlNow(url, callerOfKey(keyId), charge)
    if (isRefusal(result)) throw refusalError(result, 'url')
    return { metadata: result.metadata }
  },
})
