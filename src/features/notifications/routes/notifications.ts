import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import {
  fidParameter,
  listParameter,
  pagingParameters,
  textParameter,
  uuidParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { dehydrateCast } from '../../../graph/view/cast.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { Json, json, jsonArray, noJson } from '../../../graph/view/json.js'
import type { Cast } from '../../../graph/view/schema/cast.js'
import type { Notification } from '../../../graph/view/schema/notification.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { bearerHeaders } from '../../bearer/bearer-header.js'
import { parentUrl } from '../../feeds/routes/feed-parameters.js'
import { defineOperation, type Operation, type OperationContext } from '../../operation.js'
import { consentHeaders, fidNotApproved } from '../../signers/fid-consent.js'
import { castKinds, type NotificationKind, notificationKinds } from '../kinds.js'
import type { InboxSelection } from '../notification-list.js'
import {
  type InboxMember,
  type InboxRow,
  MAX_UNSEEN,
  markSeen,
  readInboxWithUnseen,
  SHOWN_MEMBERS,
} from '../pages.js'
import { NotificationsResponse, NotificationType } from '../schema/notification.js'

/** Parameters of all notification lists. */
const notificationPaging = {
  fid: fidParameter({ description: 'Fid of the user whose notifications are listed.' }),
  ...pagingParameters(25, 15),
}

/** The page of a list, and the bearer token of its user, if there is one. */
interface InboxPage {
  readonly limit: number
  readonly cursor?: string
  readonly authorization?: string | undefined
}

/** The hash of a cast; empty for follows. */
const hashPart = Type.String({ pattern: '^([0-9a-f]{2}){0,64}$' })

/**
 * Creates the function that renders pages of one notification list, with cursors of its own.
 *
 * @param name Of the list; part of its cursors.
 */
function notificationPages(name: string) {
  const cursors = cursorKind(name, keyPart.integer, keyPart.integer, hashPart)

  return async (
    { db, hydrator, fidConsent }: Pick<OperationContext, 'db' | 'hydrator' | 'fidConsent'>,
    caller: Caller,
    { limit, cursor, authorization }: InboxPage,
    inboxSelection: InboxSelection,
  ): Promise<Json> => {
    await fidConsent.require({ appId: caller.appId, fid: inboxSelection.fid, use: 'read', authorization })
    const { banningAppId } = await viewerOf({ hydrator }, caller)
    const selection = { ...inboxSelection, banningAppId }
    const key = cursors.decode(cursor)
    const before = key ? { ts: key[0], kind: key[1], hash: key[2] } : undefined
    const { rows, unseen } = await readInboxWithUnseen(db, selection, { before, limit: limit + 1 })
    const { page: pageRows, next } = cursors.page(rows, limit, (last) => [last.ts, last.kind, last.hash])
    const notifications = await notificationJsons(hydrator, pageRows, selection.fid)
    const list = jsonArray(notifications)
    return json`{"notifications":${list},"unseen_notifications_count":${unseen},"next":${next}}`
  }
}

/** Renders notifications as their user sees them. One without a visible cast or member is left out. */
async function notificationJsons(
  hydrator: Hydrator,
  rows: readonly InboxRow[],
  viewerFid: number,
): Promise<Json[]> {
  const hashes = new Set(rows.flatMap(({ hash }) => (hash === '' ? [] : [hash])))
  const fids = new Set(rows.flatMap(({ members }) => members?.map(({ fid }) => fid) ?? []))
  const { casts, users } = await hydrator.castsAndUsers([...hashes], [...fids], viewerFid)
  return rows.flatMap((row) => notificationJson(row, casts.get(row.hash), users) ?? [])
}

/** Adds the type of a mention or a reply to its rendered cast; the description has no other types. */
function typedCast(cast: Json, kind: NotificationKind): Json {
  if (kind !== 'mentions' && kind !== 'replies') return cast
  return cast.withMembers(json`,"type":${kind === 'mentions' ? 'cast-mention' : 'cast-reply'}`)
}

/** Renders a notification; null if its cast, or every member of its group, is not visible. */
export function notificationJson(
  row: Omit<InboxRow, 'hash' | 'kind'>,
  cast: Json | undefined,
  users: ReadonlyMap<number, Json>,
): Json | null {
  if (row.name !== 'follows' && cast === undefined) return null
  const castMember = cast === undefined ? noJson : json`,"cast":${typedCast(cast, row.name)}`
  const group = row.members && groupJson(row, row.members, cast, users)
  if (group === null && row.members) return null
  const time = dateTimeOf(unixSecondsFromFarcasterSeconds(row.ts))
  const type = singularTypes[row.name] ?? row.name
  const head = json`{"object":"notification","type":${type},"seen":${row.isSeen},"most_recent_timestamp":${time}`
  return json`${head}${group ?? noJson}${castMember}}`
}

/** Renders the shown members of a group, and its count. */
function groupJson(
  { name, count }: Pick<InboxRow, 'name' | 'count'>,
  members: readonly InboxMember[],
  cast: Json | undefined,
  users: ReadonlyMap<number, Json>,
): Json | null {
  const known = members.flatMap(({ fid, app }) => {
    const user = users.get(fid)
    return user === undefined ? [] : [{ user, app }]
  })
  if (known.length === 0) return null
  if (cast === undefined) {
    const follows = known.map(({ user, app }) => {
      const appMember = app ? json`,"app":${userDehydrated(app)}` : noJson
      return json`{"object":"follower","user":${user}${appMember}}`
    })
    return json`,"count":${count},"follows":${jsonArray(follows)}`
  }
  const dehydrated = Json.of(dehydrateCast(cast.parse<Cast>()))
  const reactions = known.map(({ user }) => json`{"object":${name},"user":${user},"cast":${dehydrated}}`)
  return json`,"count":${count},"reactions":${jsonArray(reactions)}`
}

/** The type of one notification is singular, unlike its filter. */
const singularTypes: Readonly<Partial<Record<NotificationKind, Notification['type']>>> = {
  mentions: 'mention',
  replies: 'reply',
  quotes: 'quote',
}

const allPages = notificationPages('notifications')

/** `GET notifications` */
const notifications = defineOperation({
  method: 'GET',
  path: 'notifications',
  tag: 'Notifications',
  summary: 'Fetch notifications for user',
  description:
    'Newest first. All follows form one notification, likes and recasts one for each cast; such a group ' +
    `is placed at its newest entry, \`count\` is its size, and the newest ${SHOWN_MEMBERS} entries are ` +
    'shown. A cast that replies to, quotes and mentions the user is one notification, of the first of ' +
    'these types that is requested. A group that gets an entry while paging may be missing from the next pages, and one whose ' +
    'newest entry is undone may come again. Undone actions disappear, and so do users whom this user blocks or ' +
    `mutes or who block it. \`unseen_notifications_count\` counts the same selection, up to ${MAX_UNSEEN}.`,
  query: Type.Object({
    ...notificationPaging,
    type: Type.Optional(
      listParameter(NotificationType, {
        maxItems: notificationKinds.length,
        description: 'Types of notifications. Without it, all types.',
      }),
    ),
  }),
  reply: NotificationsResponse,
  headers: consentHeaders,
  forbidden: fidNotApproved,

  async handle(context, { fid, type, ...page }, caller, headers) {
    return allPages(context, caller, { ...page, ...headers }, { fid, kinds: type ?? notificationKinds })
  },
})

const channelPages = notificationPages('notifications/channel')
/** Channels or URLs of a list: each takes one index scan for each kind. */
const MAX_PARENTS = 100

/** `GET notifications/channel` */
const notificationsInChannels = defineOperation({
  method: 'GET',
  path: 'notifications/channel',
  tag: 'Notifications',
  summary: 'Fetch notifications for user by channel',
  description:
    'The same as `notifications`, limited to casts in these channels and their threads. Follows are left ' +
    'out.',
  query: Type.Object({
    ...notificationPaging,
    channel_ids: listParameter(textParameter({ description: 'Id of a channel.', examples: ['gardening'] }), {
      maxItems: MAX_PARENTS,
      description: 'Ids of channels.',
    }),
  }),
  reply: NotificationsResponse,
  headers: consentHeaders,
  forbidden: fidNotApproved,

  async handle(context, { fid, channel_ids: channelIds, ...page }, caller, headers) {
    return channelPages(
      context,
      caller,
      { ...page, ...headers },
      { fid, kinds: castKinds, below: { channelIds } },
    )
  },
})

const urlPages = notificationPages('notifications/parent_url')

/** `GET notifications/parent_url` */
const notificationsBelowUrls = defineOperation({
  method: 'GET',
  path: 'notifications/parent_url',
  tag: 'Notifications',
  summary: 'Fetch notifications for user by parent URLs',
  description:
    'The same as `notifications`, limited to casts below these URLs and their threads. Follows are left ' +
    'out.',
  query: Type.Object({
    ...notificationPaging,
    parent_urls: listParameter(parentUrl('URL.'), {
      maxItems: MAX_PARENTS,
      description: 'Parent URLs.',
    }),
  }),
  reply: NotificationsResponse,
  headers: consentHeaders,
  forbidden: fidNotApproved,

  async handle(context, { fid, parent_urls: urls, ...page }, caller, headers) {
    return urlPages(context, caller, { ...page, ...headers }, { fid, kinds: castKinds, below: { urls } })
  },
})

/** `POST notifications/seen` */
const notificationsSeen = defineOperation({
  method: 'POST',
  path: 'notifications/seen',
  tag: 'Notifications',
  summary: 'Mark notifications as seen',
  description:
    'Marks all notifications that the user has now, or all of one type. The user is the one of ' +
    '`signer_uuid`, a signer with a write permission, or of a bearer token. If both are given, they must ' +
    'belong to the same user.',
  example: { reply: { success: true, message: 'all follows are marked as seen' } },
  headers: bearerHeaders('Bearer token of the user, instead of `signer_uuid`: `Bearer <token>`.'),
  body: Type.Object({
    signer_uuid: Type.Optional(
      uuidParameter({ description: 'Signer of the user. Not required with a bearer token.' }),
    ),
    // A client that forgot to fill it in would mark all types.
    type: Type.Optional({ ...NotificationType, refusesEmpty: true }),
  }),
  reply: OperationResponse,
  notFound: 'There is no such signer.',
  forbidden: 'The signer belongs to another app, is not approved, is revoked, or may not write.',

  async handle(context, { signer_uuid: signerUuid, type }, caller, { authorization }) {
    const fid = await actingUser(context, caller, { signerUuid, authorization })
    const { writerDb, clock } = context
    await markSeen(writerDb, fid, type ? [type] : notificationKinds, clock())
    return {
      success: true,
      message: type ? `all ${type} are marked as seen` : 'all notifications are marked as seen',
    }
  },
})

/** Checks both credentials if both are given, and returns their user. */
async function actingUser(
  { signers, bearer }: OperationContext,
  { appId }: Caller,
  credentials: { readonly signerUuid: string | undefined; readonly authorization: string | undefined },
): Promise<number> {
  const { signerUuid, authorization } = credentials
  const [signer, token] = await Promise.all([
    signerUuid === undefined ? null : signers.findFresh({ signerUuid, appId, permission: 'any write' }),
    authorization === undefined ? null : bearer.verify(authorization),
  ])
  const fid = signer?.fid ?? token?.fid
  if (fid === undefined) {
    throw invalidField('signer_uuid', 'is required, unless the header authorization has a bearer token')
  }
  if (token && token.fid !== fid) {
    throw invalidField('signer_uuid', 'belongs to another user than the bearer token')
  }
  return fid
}

/** Operations on the inbox. */
export const notificationOperations: readonly Operation[] = [
  notifications,
  notificationsInChannels,
  notificationsBelowUrls,
  notificationsSeen,
]
