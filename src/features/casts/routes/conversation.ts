import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import {
  choiceParameter,
  flagParameter,
  pagingParameters,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { type ConversationRow, readConversation } from '../../../graph/query/casts-in-conversation.js'
import { type Json, json, jsonArray } from '../../../graph/view/json.js'
import { PlazaError } from '../../../platform/errors.js'
import { workPrices } from '../../../platform/limits/work-prices.js'
import { defineOperation } from '../../operation.js'
import { Conversation } from '../schema/cast.js'
import { castIdentifier, castIdentifierNote, castIdentifierParameters, unknownCast } from './cast-lookups.js'
import { sharedConversation } from './shared-conversation.js'

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
  // Up to a thousand replies are read to find the first.
  price: ({ sort_type, fold }) =>
    sort_type === 'algorithmic' || fold !== undefined ? workPrices.search : workPrices.largeReply,
  isPublic: true,
  tag: 'Casts',
  summary: 'Lookup conversation for a cast',
  description:
    `${castIdentifierNote} Pages hold direct replies. Each reply has up to \`limit\` replies of its own, ` +
    'down to `reply_depth`, at most 500 casts on a page. `sort_type=algorithmic` puts casts with the most ' +
    'likes, recasts and replies first, of the latest 1,000 replies to each, counted as of each page: a reply that rises over the ' +
    'cursor meanwhile is missing from the next pages. Above the fold are replies by the author of the cast, by users ' +
    'whom the viewer follows, and by users whose score is unknown or at least 0.5. `fold=below` selects ' +
    'direct replies only and shows all replies to them. With `fold`, a page in order of time looks at 1,000 direct replies: it may have ' +
    'fewer than `limit`, or none, and a cursor.',
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
    const request = {
      cast: castIdentifier(query),
      depth: query.reply_depth,
      order,
      fold: query.fold ?? null,
      ancestors,
      after: key && { rank: key[0], ts: key[1], hash: key[2] },
      count: limit + 1,
      ...(await viewerOf({ hydrator }, caller, viewerFid)),
    }
    const { rows, scanLimit } =
      (await sharedConversation(hydrator, request)) ?? (await readConversation(db, request))
    const direct = sorted(
      rows.filter(({ level }) => level === 1),
      order,
    )
    const last = direct.length > limit ? direct[limit - 1] : scanLimit
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
