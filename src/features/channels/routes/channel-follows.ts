import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { listJson, userItems } from '../../../api/list-json.js'
import { fidParameter, pagingParameters, textParameter, viewerFidParameter } from '../../../api/parameters.js'
import { hiddenFidsFor } from '../../../api/viewer.js'
import { json, jsonArray } from '../../../graph/view/json.js'
import { RelevantFollowersResponse } from '../../../graph/view/schema/follower.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { UsersResponse } from '../../../graph/view/schema/user.js'
import { priceOfItems } from '../../../platform/limits/work-prices.js'
import { cacheWriterOf, defineOperation, type OperationContext } from '../../operation.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import { setChannelFollow } from '../channel-follows.js'
import { channelFollowers, relevantChannelFollowers } from '../channel-lists.js'
import { noSuchChannel, requireChannel } from '../find-channel.js'
import { findProtocolChannel, publishChannelFollow } from '../protocol-channels.js'

/** The body of both operations, as published clients send it. */
export const ChannelFollowReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  channel_id: textParameter({ description: 'Id of the channel.', examples: ['gardening'], maxLength: 64 }),
})

const actions = {
  follow: { permission: 'FOLLOW_CHANNEL', message: 'the channel is followed' },
  unfollow: { permission: 'UNFOLLOW_CHANNEL', message: 'the channel is unfollowed' },
} as const

/**
 * Follows or unfollows a channel; one of the protocol by a message. Otherwise no hub checks the signer, so its
 * state is read afresh.
 */
async function changeChannelFollow(
  context: OperationContext,
  action: 'follow' | 'unfollow',
  { signer_uuid: signerUuid, channel_id: channelId }: (typeof ChannelFollowReqBody)['static'],
  caller: Caller,
) {
  const { permission, message } = actions[action]
  const channel = await findProtocolChannel(context, channelId)
  const isPublished =
    channel !== null &&
    (await actAs(context, { signerUuid, caller, permission }, (author) =>
      publishChannelFollow(context, author, channel, action),
    ))
  // A follow that was imported before ends as well.
  if (isPublished && action === 'follow') return { success: true, message }
  const { fid } = await context.signers.findFresh({ signerUuid, appId: caller.appId, permission })
  const writer = cacheWriterOf(context)
  const followedAt = action === 'follow' ? writer.nowUnix : null
  if (await setChannelFollow(writer, { channelId, fid, followedAt })) return { success: true, message }
  throw noSuchChannel('channel_id')
}

/** `POST channel/follow` */
export const followChannelOperation = defineOperation({
  method: 'POST',
  path: 'channel/follow',
  tag: 'Channels',
  summary: 'Follow a channel',
  description:
    'The user of the signer follows the channel. Following a followed channel succeeds. In a channel of the ' +
    'protocol the signer likes the token of the channel; other follows are stored by this server.',
  example: { reply: { success: true, message: 'the channel is followed' } },
  body: ChannelFollowReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer or channel.',

  handle: (context, body, caller) => changeChannelFollow(context, 'follow', body, caller),
})

/** `DELETE channel/follow` */
export const unfollowChannelOperation = defineOperation({
  method: 'DELETE',
  path: 'channel/follow',
  tag: 'Channels',
  summary: 'Unfollow a channel',
  description:
    'Ends the follow of a channel. Unfollowing a channel that is not followed succeeds. In a channel of the ' +
    'protocol the signer takes its like back.',
  example: { reply: { success: true, message: 'the channel is unfollowed' } },
  body: ChannelFollowReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer or channel.',

  handle: (context, body, caller) => changeChannelFollow(context, 'unfollow', body, caller),
})

const cursors = cursorKind('channel followers', keyPart.integer, keyPart.integer)

/** `GET channel/followers` */
export const channelFollowersOperation = defineOperation({
  method: 'GET',
  path: 'channel/followers',
  price: ({ limit }) => priceOfItems(Number(limit)),
  isPublic: true,
  tag: 'Channels',
  summary: 'Fetch followers of a channel',
  description: 'Most recent follow first.',
  query: Type.Object({
    id: textParameter({ maxLength: 256, description: 'Id of the channel.', examples: ['gardening'] }),
    viewer_fid: viewerFidParameter,
    ...pagingParameters(1000, 25),
  }),
  reply: UsersResponse,
  notFound: 'There is no such channel.',

  async handle({ db, hydrator }, { id, viewer_fid, limit, cursor }, caller) {
    const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
    const keys = await channelFollowers(db, id, limit + 1, cursors.decode(cursor), hidden)
    if (keys.length === 0) await requireChannel(db, id, 'id')
    const { page, next } = cursors.page(keys, limit, (last) => [last.followedAt, last.fid])
    return listJson('users', await userItems(hydrator, page, viewer_fid), next)
  },
})

/** Followers shown as full users. */
const MAX_TOP = 3

/** `GET channel/followers/relevant` */
export const channelFollowersRelevant = defineOperation({
  method: 'GET',
  path: 'channel/followers/relevant',
  isPublic: true,
  tag: 'Channels',
  summary: 'Fetch relevant followers of a channel',
  description:
    'Followers of the channel whom the viewer follows, best known first: the first three as full users, ' +
    'and up to 200 as dehydrated ones.',
  query: Type.Object({
    id: textParameter({ maxLength: 256, description: 'Id of the channel.', examples: ['gardening'] }),
    viewer_fid: fidParameter({ description: 'Fid of the viewer, whose follows count.', examples: [191] }),
  }),
  reply: RelevantFollowersResponse,
  notFound: 'There is no such channel.',

  async handle({ db, hydrator }, { id, viewer_fid }, caller) {
    const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
    const fids = await relevantChannelFollowers(db, id, viewer_fid, hidden)
    if (fids.length === 0) await requireChannel(db, id, 'id')
    const dehydratedUsers = await hydrator.dehydratedUsers(fids)
    const top = await userItems(
      hydrator,
      fids.slice(0, MAX_TOP).map((fid) => ({ fid })),
      viewer_fid,
      (user) => json`{"object":"follower","user":${user}}`,
    )
    const all = fids.flatMap((fid) => {
      const user = dehydratedUsers.get(fid)
      return user ? [{ object: 'follower_dehydrated', user }] : []
    })
    const list = jsonArray(top)
    return json`{"top_relevant_followers_hydrated":${list},"all_relevant_followers_dehydrated":${all}}`
  },
})
