import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { listJson, userItems } from '../../../api/list-json.js'
import { fidParameter, pagingParameters } from '../../../api/parameters.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { type Json, json } from '../../../graph/view/json.js'
import { PlazaError } from '../../../platform/errors.js'
import { cacheWriterOf, defineOperation, type Operation, type OperationContext } from '../../operation.js'
import { consentHeaders, fidNotApproved } from '../../signers/fid-consent.js'
import {
  ban as banUsers,
  listRelations,
  MAX_BANS,
  MAX_MUTES,
  mute as muteUser,
  requireUsers,
  unban as unbanUsers,
  unmute as unmuteUser,
} from '../relations.js'
import { BanListResponse, BanResponse, MuteListResponse, MuteResponse } from '../schema/relation.js'

/** The body of both operations, as published clients send it. */
export const MuteReqBody = Type.Object({
  fid: fidParameter({ minimum: 0, description: 'Fid of the muting user.' }),
  muted_fid: fidParameter({ minimum: 0, description: 'Fid of the muted user.', examples: [191] }),
})

/** The part of a description that states who may call. */
const muteKeyText =
  'No signer is required: any app may call it for any user, unless the server has STRICT_FIDS.'

/** `POST mute` */
const mute = defineOperation({
  method: 'POST',
  path: 'mute',
  tag: 'Moderation',
  summary: 'Mute fid',
  description:
    'Leaves the muted user out of lists that `fid` views. The muted user notices nothing. Muting a muted ' +
    `user succeeds. ${muteKeyText}`,
  body: MuteReqBody,
  reply: MuteResponse,
  notFound: 'One of the two fids is not registered.',
  conflict: `The user would mute more than ${MAX_MUTES} users.`,
  headers: consentHeaders,
  forbidden: fidNotApproved,

  async handle(context, { fid, muted_fid }, { appId }, { authorization }) {
    await context.fidConsent.require({ appId, fid, use: 'write', authorization })
    const writer = cacheWriterOf(context)
    if (fid === muted_fid) throw invalidField('muted_fid', 'must be another user')
    await requireUsers(writer.db, [fid], 'fid')
    await requireUsers(writer.db, [muted_fid], 'muted_fid')
    const isNew = await muteUser(writer, fid, muted_fid, writer.nowUnix)
    if (isNew === null) {
      throw new PlazaError('conflict', `a user mutes at most ${MAX_MUTES} users`, { property: 'muted_fid' })
    }
    return { success: true, message: isNew ? 'muted' : 'already muted' }
  },
})

/** `DELETE mute` */
const unmute = defineOperation({
  method: 'DELETE',
  path: 'mute',
  tag: 'Moderation',
  summary: 'Unmute fid',
  description: `Ends a mute. Unmuting a user who is not muted succeeds. ${muteKeyText}`,
  example: { reply: { success: true, message: 'unmuted' } },
  body: MuteReqBody,
  reply: MuteResponse,
  headers: consentHeaders,
  forbidden: fidNotApproved,

  async handle(context, { fid, muted_fid }, { appId }, { authorization }) {
    await context.fidConsent.require({ appId, fid, use: 'write', authorization })
    const wasMuted = await unmuteUser(cacheWriterOf(context), fid, muted_fid)
    return { success: true, message: wasMuted ? 'unmuted' : 'was not muted' }
  },
})

/** The two lists: their cursors, and the words for an item. */
const lists = {
  mutes: {
    cursors: cursorKind('mutes of a user', keyPart.integer, keyPart.integer),
    object: 'mute',
    member: 'muted',
  },
  bans: {
    cursors: cursorKind('bans of an app', keyPart.integer, keyPart.integer),
    object: 'ban',
    member: 'banned',
  },
} as const

/** Renders a page of the mutes of a user or the bans of an app, newest first. */
async function relationPage(
  { db, hydrator }: OperationContext,
  name: keyof typeof lists,
  owner: number | string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<Json> {
  const { cursors, object, member } = lists[name]
  const found = await listRelations(db, name, owner, limit + 1, cursors.decode(cursor))
  const { page, next } = cursors.page(found, limit, ({ since, fid }) => [since, fid])
  const items = await userItems(
    hydrator,
    page,
    undefined,
    (user, { since }) => json`{"object":${object},${member}:${user},${`${member}_at`}:${dateTimeOf(since)}}`,
  )
  return listJson(name, items, next)
}

/** `GET mute/list` */
const muteList = defineOperation({
  method: 'GET',
  path: 'mute/list',
  tag: 'Moderation',
  summary: 'Fetch muted fids of user',
  description: 'Newest mute first.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the muting user.' }),
    ...pagingParameters(100, 20),
  }),
  reply: MuteListResponse,
  headers: consentHeaders,
  forbidden: fidNotApproved,

  async handle(context, { fid, ...paging }, { appId }, { authorization }) {
    await context.fidConsent.require({ appId, fid, use: 'read', authorization })
    return relationPage(context, 'mutes', fid, paging)
  },
})

/** The body of both operations, as published clients send it. */
export const BanReqBody = Type.Object({
  fids: Type.Array(fidParameter({ minimum: 0, description: 'Fid of a user.', examples: [191] }), {
    minItems: 1,
    maxItems: MAX_BANS,
    description: 'Fids of the users. Duplicates count once.',
  }),
})

/** `POST ban` */
const ban = defineOperation({
  method: 'POST',
  path: 'ban',
  tag: 'Moderation',
  summary: 'Ban fids from app',
  description:
    'Hides the users, their casts and their reactions from all feeds, lists and searches of the app that ' +
    'the API key belongs to. Other apps are not affected. If one fid is not registered, nobody is banned.',
  body: BanReqBody,
  reply: BanResponse,
  notFound: 'One of the fids is not registered.',
  conflict: `The app would ban more than ${MAX_BANS} users.`,

  async handle(context, { fids }, { appId }) {
    const writer = cacheWriterOf(context)
    await requireUsers(writer.db, fids, 'fids')
    const added = await banUsers(writer, appId, fids, writer.nowUnix)
    if (added === null) {
      throw new PlazaError('conflict', `an app bans at most ${MAX_BANS} users`, { property: 'fids' })
    }
    return { success: true, message: `newly banned: ${added}` }
  },
})

/** `DELETE ban` */
const unban = defineOperation({
  method: 'DELETE',
  path: 'ban',
  tag: 'Moderation',
  summary: 'Unban fids from app',
  description:
    'Ends bans of the app that the API key belongs to. Unbanning a user who is not banned succeeds.',
  example: { reply: { success: true, message: 'unbanned: 1' } },
  body: BanReqBody,
  reply: BanResponse,

  async handle(context, { fids }, { appId }) {
    const removed = await unbanUsers(cacheWriterOf(context), appId, fids)
    return { success: true, message: `unbanned: ${removed}` }
  },
})

/** `GET ban/list` */
const banList = defineOperation({
  method: 'GET',
  path: 'ban/list',
  tag: 'Moderation',
  summary: 'Fetch banned fids of app',
  description: 'Users whom the app of the API key bans, newest ban first.',
  query: Type.Object(pagingParameters(100, 20)),
  reply: BanListResponse,

  handle: (context, paging, { appId }) => relationPage(context, 'bans', appId, paging),
})

/** Operations on bans and mutes, which are local to this server. */
export const relationOperations: readonly Operation[] = [ban, unban, banList, mute, unmute, muteList]
