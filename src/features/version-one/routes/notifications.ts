import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { limitParameter } from '../../../api/parameters.js'
import { hiddenFidsFor, viewerOf } from '../../../api/viewer.js'
import type { NotificationKind } from '../../notifications/kinds.js'
import { readInbox } from '../../notifications/pages.js'
import type { Operation, OperationContext } from '../../operation.js'
import { consentHeaders, fidNotApproved } from '../../signers/fid-consent.js'
import { loadCasts, loadUsers, loadVersionOneCasts } from '../loaders.js'
import { CastWithReactors, pageOf, VersionOneCast } from '../schema.js'
import { castBodyOf, userOf } from '../views.js'
import { fid, paging, versionOne } from './version-one-operation.js'

interface InboxQuery {
  readonly fid: number
  readonly viewerFid?: number
  readonly limit: number
  readonly cursor?: string
  readonly authorization: string | undefined
}

const cursors = cursorKind('v1 notifications', keyPart.integer, keyPart.integer, keyPart.hex)

async function inboxPage(
  context: OperationContext,
  { fid, limit, cursor, authorization }: InboxQuery,
  caller: Caller,
  kinds: readonly NotificationKind[],
) {
  await context.fidConsent.require({ appId: caller.appId, fid, use: 'read', authorization })
  const { banningAppId } = await viewerOf(context, caller)
  const key = cursors.decode(cursor)
  const before = key ? { ts: key[0], kind: key[1], hash: key[2] } : undefined
  const rows = await readInbox(context.db, { fid, kinds, banningAppId }, { before, limit: limit + 1 })
  return cursors.page(rows, limit, (last) => [last.ts, last.kind, last.hash])
}

const mentionsAndReplies = versionOne({
  tag: 'Notifications',
  path: 'mentions-and-replies',
  summary: 'Get mentions of a user and replies to it',
  query: Type.Object({ fid, ...paging, limit: limitParameter({ maximum: 150, default: 15 }) }),
  result: pageOf('notifications', VersionOneCast),
  headers: consentHeaders,
  forbidden: fidNotApproved,
  handle: async (context, query, caller, { authorization }) => {
    const { page, next } = await inboxPage(context, { ...query, authorization }, caller, [
      'mentions',
      'replies',
    ])
    const viewer = await viewerOf(context, caller, query.viewerFid)
    const hidden = new Set(await hiddenFidsFor(context, caller, query.viewerFid))
    const hashes = page.map(({ hash }) => hash)
    const types = new Map(page.map(({ hash, name }) => [`0x${hash}`, name]))
    const casts = await loadVersionOneCasts(context, hashes, viewer)
    const shown = casts.filter(({ author }) => !hidden.has(author.fid))
    const notifications = shown.map((cast) => ({
      ...cast,
      type: types.get(cast.hash) === 'mentions' ? ('cast-mention' as const) : ('cast-reply' as const),
    }))
    return { notifications, next }
  },
})

const reactionsAndRecasts = versionOne({
  tag: 'Notifications',
  path: 'reactions-and-recasts',
  summary: 'Get likes and recasts of the casts of a user',
  query: Type.Object({ fid, ...paging }),
  result: pageOf('notifications', CastWithReactors),
  headers: consentHeaders,
  forbidden: fidNotApproved,
  handle: async (context, query, caller, { authorization }) => {
    const { page, next } = await inboxPage(context, { ...query, authorization }, caller, ['likes', 'recasts'])
    const hidden = new Set(await hiddenFidsFor(context, caller, query.viewerFid))
    const fids = page.flatMap(({ members }) => members?.map((member) => member.fid) ?? [])
    const [casts, users] = await Promise.all([
      loadCasts(
        context,
        page.map(({ hash }) => hash),
        query.viewerFid,
      ),
      loadUsers(context, [...new Set(fids.filter((each) => !hidden.has(each)))], query.viewerFid),
    ])
    const notifications = page.flatMap(({ hash, name, members }) => {
      const cast = casts.get(hash)
      const reactors = (members ?? []).flatMap((member) => users.get(member.fid) ?? []).map(userOf)
      if (!cast || reactors.length === 0) return []
      const reactionType = name === 'likes' ? ('like' as const) : ('recast' as const)
      return [{ ...castBodyOf(cast), reactors, reactionType }]
    })
    return { notifications, next }
  },
})

/** Operations of version 1 on notifications. */
export const versionOneNotifications: readonly Operation[] = [mentionsAndReplies, reactionsAndRecasts]
