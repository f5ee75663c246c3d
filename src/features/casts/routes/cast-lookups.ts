import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import {
  castHashParameter,
  choiceParameter,
  flagParameter,
  listParameter,
  pagingParameters,
  textParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { type CastIdentifier, findCastHash } from '../../../graph/query/cast-identifier.js'
import { type ConversationRow, readConversation } from '../../../graph/query/casts-in-conversation.js'
import { readQuotes } from '../../../graph/query/feeds-by-embed.js'
import { sortCasts } from '../../../graph/query/feeds-ranked.js'
import { type Json, json, jsonArray } from '../../../graph/view/json.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { PlazaError } from '../../../platform/errors.js'
import { workPrices } from '../../../platform/limits/work-prices.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { feedPages, type ReadFeed } from '../../feeds/routes/feed-page.js'
import { feedPaging, parentUrl } from '../../feeds/routes/feed-parameters.js'
import { defineOperation } from '../../operation.js'
import { CastEmbedCrawlResponse, CastResponse, CastsResponse, Conversation } from '../schema/cast.js'

/** The two parameters that identify one cast. */
const castIdentifierParameters = {
  identifier: textParameter({
    description: 'Hash of a cast, or URL of its page in a client; see `type`.',
    examples: ['https://farcaster.xyz/dwr/0x71d5225f'],
  }),
  type: choiceParameter(['url', 'hash'], { description: 'Type of `identifier`.' }),
}

/** The part of a description that explains the two parameters. */
export const castIdentifierNote = [
  'A URL is a cast’s page in a client, on any host: `https://…/<username>/0x<hash>` or `https://…/~/conversations/0x<hash>`.',
  'Its hash may be shortened to 8 digits or more; of several matching casts, the newest is used.',
].join(' ')

/** The error text of 404. */
export const unknownCast = 'there is no such cast'

const wholeHash = /^(?:0x)?([0-9a-f]{40})$/i
const conversationPath = /^\/~\/conversations\/0x([0-9a-f]{8,40})\/?$/i
const authorPath = /^\/([^/]+)\/0x([0-9a-f]{8,40})\/?$/i

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
  const path = URL.canParse(text) ? new URL(text).pathname : ''
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
  query: Type.Object({ ...castIdentifierParameters, viewer_fid: viewerFidParameter }),
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
    viewer_fid: viewerFidParameter,
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
    'Addresses outside the public internet and URLs without content are errors.',
  query: Type.Object({
    url: { ...parentUrl('http or https URL.'), examples: ['https://example.com/garden'] },
  }),
  longWait: { limitMs: 40_000, reason: 'the server of the URL' },
  reply: CastEmbedCrawlResponse,

  async handle({ crawler }, { url }) {
    const result = await crawler.crawlNow(url)
    if ('code' in result) throw new PlazaError(result.code, result.message, { property: 'url' })
    return { metadata: result.metadata }
  },
})

const orders = ['chron', 'desc_chron', 'algorithmic'] as const

/** Each order has its own cursors. */
const cursors = {
  chron: cursorKind('cast/conversation: chron', keyPart.integer, keyPart.integer, keyPart.hex),
  desc_chron: cursorKind('cast/conversation: desc_chron', keyPart.integer, keyPart.integer, keyPart.hex),
  algorithmic: cursorKind('cast/conversation: algorithmic', keyPart.integer, keyPart.integer, keyPart.hex),
}

/** `GET cast/conversation` */
export const castConversation = defineOperation({
  method: 'GET',
  path: 'cast/conversation',
  price: () => workPrices.largeReply,
  isPublic: true,
  tag: 'Casts',
  summary: 'Lookup conversation for a cast',
  description:
    `${castIdentifierNote} Pages hold direct replies. Each reply has up to \`limit\` replies of its own, ` +
    'down to `reply_depth`, at most 500 casts on a page. `sort_type=algorithmic` puts casts with the most ' +
    'likes, recasts and replies first. Above the fold are replies by the author of the cast, by users ' +
    'whom the viewer follows, and by users whose score is unknown or at least 0.5. `fold=below` selects ' +
    'direct replies only and shows all replies to them.',
  query: Type.Object({
    ...castIdentifierParameters,
    reply_depth: Type.Integer({
      minimum: 0,
      maximum: 5,
      default: 2,
      description: 'Depth of replies: 0 for none, 1 for direct replies.',
    }),
    include_chronological_parent_casts: flagParameter({
      default: false,
      description: 'Add the casts that the cast replies to, oldest first, up to 100.',
    }),
    sort_type: choiceParameter(orders, { default: 'chron', description: 'Order of replies.' }),
    fold: Type.Optional(
      choiceParameter(['above', 'below'], {
        description: 'Only replies above or below the fold. Without it, all replies.',
      }),
    ),
    ...pagingParameters(50, 20),
    viewer_fid: viewerFidParameter,
  }),
  reply: Conversation,
  notFound: unknownCast,

  async handle({ db, hydrator }, query, caller) {
    const { sort_type: order, limit, viewer_fid: viewerFid } = query
    const key = cursors[order].decode(query.cursor)
    const ancestors = query.include_chronological_parent_casts
    const rows = await readConversation(db, {
      cast: castIdentifier(query),
      depth: query.reply_depth,
      order,
      fold: query.fold ?? null,
      ancestors,
      after: key && { rank: key[0], ts: key[1], hash: key[2] },
      count: limit + 1,
      ...(await viewerOf({ hydrator }, caller, viewerFid)),
    })
    const direct = sorted(
      rows.filter(({ level }) => level === 1),
      order,
    )
    const last = direct.length > limit ? direct[limit - 1] : undefined
    const page = withoutCutOffReplies(rows, direct.slice(limit))
    const conversation = await conversationJson(hydrator, page, { order, ancestors, viewerFid })
    if (conversation === null) throw new PlazaError('not_found', unknownCast, { property: 'identifier' })
    const next = { cursor: last ? cursors[order].encode([last.rank, last.ts, last.hash]) : null }
    return json`{"conversation":${conversation},"next":${next}}`
  },
})

type Order = (typeof orders)[number]

/** Drops these direct replies and everything below them. */
function withoutCutOffReplies(
  rows: readonly ConversationRow[],
  replies: readonly ConversationRow[],
): ConversationRow[] {
  const removedHashes = new Set(replies.map(({ hash }) => hash))
  return rows.filter(({ level, hash, parent }) => {
    if (level <= 0) return true
    if (!removedHashes.has(hash) && !(level > 1 && parent !== null && removedHashes.has(parent))) return true
    removedHashes.add(hash)
    return false
  })
}

function sorted(rows: readonly ConversationRow[], order: Order): ConversationRow[] {
  const chron = (a: ConversationRow, b: ConversationRow) => a.ts - b.ts || (a.hash < b.hash ? -1 : 1)
  if (order === 'chron') return [...rows].sort(chron)
  if (order === 'desc_chron') return [...rows].sort((a, b) => chron(b, a))
  return [...rows].sort((a, b) => b.rank - a.rank || chron(b, a))
}

/** Renders the member `conversation`; null if the cast is unknown. */
async function conversationJson(
  hydrator: Hydrator,
  rows: readonly ConversationRow[],
  { order, ancestors, viewerFid }: { order: Order; ancestors: boolean; viewerFid: number | undefined },
): Promise<Json | null> {
  const casts = await hydrator.casts(
    rows.map(({ hash }) => hash),
    viewerFid,
  )
  const focus = rows.find(({ level }) => level === 0)
  if (!focus) return null
  const children = new Map<string | null, ConversationRow[]>()
  for (const row of rows) {
    if (row.level > 0) children.set(row.parent, [...(children.get(row.parent) ?? []), row])
  }

  function threadJson({ hash }: ConversationRow): Json | null {
    const cast = casts.get(hash)
    if (!cast) return null
    const replies = sorted(children.get(hash) ?? [], order).flatMap((reply) => threadJson(reply) ?? [])
    return cast.withMembers(json`,"direct_replies":${jsonArray(replies)}`)
  }
  const thread = threadJson(focus)
  if (thread === null) return null
  if (!ancestors) return json`{"cast":${thread}}`
  const ancestorRows = rows.filter(({ level }) => level < 0).sort((a, b) => a.level - b.level)
  const ancestorCasts = ancestorRows.flatMap(({ hash }) => casts.get(hash) ?? [])
  return json`{"cast":${thread},"chronological_parent_casts":${jsonArray(ancestorCasts)}}`
}
