import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { cursorParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { jsonArray } from '../../../graph/view/json.js'
import type { Cast } from '../../../graph/view/schema/cast.js'
import type { Notification } from '../../../graph/view/schema/notification.js'
import { shortCast } from '../../../graph/view/short-cast.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import type { Database } from '../../../platform/db/connection.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import type { InboxSelection } from '../notification-list.js'
import { countUnseen, type InboxMember, type InboxRow, readInbox } from '../pages.js'

/** Parameters of all notification lists. */
export const notificationPaging = {
  fid: fidParameter({ description: 'Fid of the user whose notifications are listed.' }),
  limit: limitParameter({ maximum: 25, default: 15 }),
  cursor: cursorParameter,
}

/** The hash of a cast; empty for follows. */
const hashPart = Type.String({ pattern: '^([0-9a-f]{2}){0,64}$' })

/**
 * Creates the function that renders pages of one notification list, with cursors of its own.
 *
 * @param name Of the list; part of its cursors.
 */
export function notificationPages(name: string) {
  const cursors = cursorKind(name, keyPart.integer, keyPart.integer, hashPart)

  return async (
    { db, hydrator }: { readonly db: Database; readonly hydrator: Hydrator },
    caller: Caller,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string },
    inboxSelection: InboxSelection,
  ): Promise<string> => {
    const { banningAppId } = await viewerOf({ db, hydrator }, caller)
    const selection = { ...inboxSelection, banningAppId }
    const key = cursors.decode(cursor)
    const before = key ? { ts: key[0], kind: key[1], hash: key[2] } : undefined
    const [rows, unseen] = await Promise.all([
      readInbox(db, selection, { before, limit: limit + 1 }),
      countUnseen(db, selection),
    ])
    const { page: pageRows, next } = cursors.page(rows, limit, (last) => [last.ts, last.kind, last.hash])
    const notifications = await notificationJsons(hydrator, pageRows, selection.fid)
    return (
      `{"notifications":${jsonArray(notifications)},"unseen_notifications_count":${unseen},` +
      `"next":${JSON.stringify(next)}}`
    )
  }
}

/** Renders notifications as their user sees them. One without a visible cast or member is left out. */
async function notificationJsons(
  hydrator: Hydrator,
  rows: readonly InboxRow[],
  viewerFid: number,
): Promise<string[]> {
  const hashes = new Set(rows.flatMap(({ hash }) => (hash === '' ? [] : [hash])))
  const fids = new Set(rows.flatMap(({ members }) => members?.map(({ fid }) => fid) ?? []))
  const { casts, users } = await hydrator.castsAndUsers([...hashes], [...fids], viewerFid)
  return rows.flatMap((row) => notificationJson(row, casts.get(row.hash), users) ?? [])
}

function notificationJson(
  row: InboxRow,
  cast: string | undefined,
  users: ReadonlyMap<number, string>,
): string | null {
  if (row.name !== 'follows' && cast === undefined) return null
  const castMember = cast === undefined ? '' : `,"cast":${cast}`
  const group = row.members && groupJson(row, row.members, cast, users)
  if (group === null && row.members) return null
  const time = dateTimeOf(unixSecondsFromFarcasterSeconds(row.ts))
  return (
    `{"object":"notification","type":"${typeOf(row)}","seen":${row.isSeen},"most_recent_timestamp":"${time}"` +
    `${group ?? ''}${castMember}}`
  )
}

/** Renders the shown members of a group, and its count. */
function groupJson(
  { name, count }: InboxRow,
  members: readonly InboxMember[],
  cast: string | undefined,
  users: ReadonlyMap<number, string>,
): string | null {
  const known = members.flatMap(({ fid, app }) => {
    const user = users.get(fid)
    return user === undefined ? [] : [{ user, app }]
  })
  if (known.length === 0) return null
  if (cast === undefined) {
    const follows = known.map(({ user, app }) => {
      const appMember = app ? `,"app":${JSON.stringify(userDehydrated(app))}` : ''
      return `{"object":"follower","user":${user}${appMember}}`
    })
    return `,"count":${count},"follows":${jsonArray(follows)}`
  }
  const short = JSON.stringify(shortCast(JSON.parse(cast) as Cast))
  const reactions = known.map(({ user }) => `{"object":"${name}","user":${user},"cast":${short}}`)
  return `,"count":${count},"reactions":${jsonArray(reactions)}`
}

/** The type of one notification is singular, unlike its filter. */
function typeOf({ name }: InboxRow): Notification['type'] {
  switch (name) {
    case 'mentions':
      return 'mention'
    case 'replies':
      return 'reply'
    case 'quotes':
      return 'quote'
    default:
      return name
  }
}
