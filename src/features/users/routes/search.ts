import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import {
  cursorParameter,
  limitParameter,
  textParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { hiddenFidsFor } from '../../../api/viewer.js'
import {
  type FoundUser,
  searchByPrefix,
  searchBySimilarity,
  supportsSimilarity,
  type UserSearch,
  type UserSearchCursor,
} from '../../../graph/query/users-search.js'
import { jsonArray } from '../../../graph/view/json.js'
import { UserSearchResponse } from '../../../graph/view/schema/user.js'
import type { Database } from '../../../platform/db/connection.js'
import { lowercase } from '../../../platform/text/lowercase.js'
import { defineOperation } from '../../operation.js'

const cursors = cursorKind('users found', keyPart.integer, keyPart.number, keyPart.integer)

/** Before everything that is found. */
const START_CURSOR: UserSearchCursor = [-1, 0, 0]
/** The first place of those that are only like the text. */
const FIRST_SIMILARITY_RANK = 5

/** `GET user/search` */
export const userSearch = defineOperation({
  method: 'GET',
  path: 'user/search',
  tag: 'User',
  summary: 'Users by the beginning of their names',
  description: [
    'First whoever has exactly this username; then usernames that begin with it, then display names that do, then',
    'names, and words of display names, that are like it (from three letters on). Among equals those whom the viewer',
    'follows come first, then the best known and most trusted, by `(1 + ln(1 + followers)) * (0.1 + score)`. Capital',
    'letters count as small ones. Of a beginning that more than 100 names have, the 50 best known are found.',
  ].join(' '),
  query: Type.Object({
    q: textParameter({ description: 'What the name begins with; an `@` before it does not count.' }),
    viewer_fid: viewerFidParameter,
    limit: limitParameter({ maximum: 10, default: 5 }),
    cursor: cursorParameter,
  }),
  reply: UserSearchResponse,

  async handle({ db, hydrator }, { q, viewer_fid, limit, cursor }, caller) {
    const after = cursors.decode(cursor) ?? START_CURSOR
    const text = lowercase(q.trim().replace(/^@/, ''))
    const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
    const search = { text, viewerFid: viewer_fid, hidden, limit: limit + 1 }
    const found = text === '' ? [] : await findUsers(db, search, after)
    const { page, next } = cursors.page(found, limit, (last) => [last.place, last.weight, last.fid])
    const users = await hydrator.users(
      page.map(({ fid }) => fid),
      viewer_fid,
    )
    const foundList = jsonArray(page.flatMap(({ fid }) => users.get(fid) ?? []))
    return `{"result":{"users":${foundList},"next":${JSON.stringify(next)}}}`
  },
})

/** Likeness is the dearest to find, so it is looked for only where the page has room for it. */
async function findUsers(db: Database, search: UserSearch, after: UserSearchCursor): Promise<FoundUser[]> {
  const found = after[0] < FIRST_SIMILARITY_RANK ? await searchByPrefix(db, search, after) : []
  const missing = search.limit - found.length
  if (missing === 0 || !supportsSimilarity(search.text)) return found
  const from = after[0] < FIRST_SIMILARITY_RANK ? START_CURSOR : after
  return [...found, ...(await searchBySimilarity(db, { ...search, limit: missing }, from))]
}
