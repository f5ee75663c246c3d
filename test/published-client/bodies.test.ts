import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import { expect, it } from 'vitest'
import { RegisterUserOnChainReqBody } from '../../src/api/operations/account/register-direct.js'
import { RegisterUserReqBody } from '../../src/api/operations/account/registration-body.js'
import { ActionReqBody } from '../../src/api/operations/action/send-action.js'
import { AppHostPostEventReqBody } from '../../src/api/operations/app-host/post-event.js'
import { DeleteCastReqBody } from '../../src/api/operations/cast/delete-cast.js'
import { PostCastReqBody } from '../../src/api/operations/cast/post-cast.js'
import { ChannelFollowReqBody } from '../../src/api/operations/channel/change-channel-follow.js'
import {
  ChannelMemberReqBody,
  RespondChannelInviteReqBody,
} from '../../src/api/operations/channel/membership-reply.js'
import { FollowReqBody } from '../../src/api/operations/follow/change-follows.js'
import { SendFrameNotificationsReqBody } from '../../src/api/operations/frame/notification-body.js'
import { PublishMessageReqBody } from '../../src/api/operations/message/publish-message.js'
import { ReactionReqBody } from '../../src/api/operations/reaction/change-reaction.js'
import { BanReqBody } from '../../src/api/operations/relation/ban-body.js'
import { BlockReqBody } from '../../src/api/operations/relation/change-block.js'
import { MuteReqBody } from '../../src/api/operations/relation/mute-body.js'
import { BuyStorageReqBody } from '../../src/api/operations/storage/buy-storage.js'
import { AddVerificationReqBody } from '../../src/api/operations/user/add-verification.js'
import { RemoveVerificationReqBody } from '../../src/api/operations/user/remove-verification.js'
import { UpdateUserReqBody } from '../../src/api/operations/user/update-user.js'
import { operations } from '../../src/api/operations.js'
import { accepted } from './conformance.js'

/** The client's generator has made empty types of the two numbers. */
type AddVerification = Omit<Client.AddVerificationReqBody, 'chain_id' | 'verification_type'> & {
  chain_id?: 0 | 1 | 10
  verification_type?: 0 | 1
}

const bodies = {
  'POST user': accepted<Client.RegisterUserReqBody>()(RegisterUserReqBody),
  'POST user/register': accepted<Client.RegisterUserOnChainReqBody>()(RegisterUserOnChainReqBody),
  'POST storage/buy': accepted<Client.BuyStorageReqBody>()(BuyStorageReqBody),
  'POST ban': accepted<Client.BanReqBody>()(BanReqBody),
  'DELETE ban': accepted<Client.BanReqBody>()(BanReqBody),
  'POST block': accepted<Client.BlockReqBody>()(BlockReqBody),
  'DELETE block': accepted<Client.BlockReqBody>()(BlockReqBody),
  'POST mute': accepted<Client.MuteReqBody>()(MuteReqBody),
  'DELETE mute': accepted<Client.MuteReqBody>()(MuteReqBody),
  'POST action': accepted<Client.FarcasterActionReqBody>()(ActionReqBody),
  'POST app_host/user/event': accepted<Client.AppHostPostEventReqBody>()(AppHostPostEventReqBody),
  'POST cast': accepted<Client.PostCastReqBody>()(PostCastReqBody),
  'DELETE cast': accepted<Client.DeleteCastReqBody>()(DeleteCastReqBody),
  'POST channel/follow': accepted<Client.ChannelFollowReqBody>()(ChannelFollowReqBody),
  'DELETE channel/follow': accepted<Client.ChannelFollowReqBody>()(ChannelFollowReqBody),
  'POST channel/member/invite': accepted<Client.InviteChannelMemberReqBody>()(ChannelMemberReqBody),
  'PUT channel/member/invite': accepted<Client.RespondChannelInviteReqBody>()(RespondChannelInviteReqBody),
  'DELETE channel/member': accepted<Client.RemoveChannelMemberReqBody>()(ChannelMemberReqBody),
  'POST frame/notifications': accepted<Client.SendFrameNotificationsReqBody>()(SendFrameNotificationsReqBody),
  'POST message': accepted<object>()(PublishMessageReqBody),
  'POST reaction': accepted<Client.ReactionReqBody>()(ReactionReqBody),
  'DELETE reaction': accepted<Client.ReactionReqBody>()(ReactionReqBody),
  'PATCH user': accepted<Client.UpdateUserReqBody>()(UpdateUserReqBody),
  'POST user/follow': accepted<Client.FollowReqBody>()(FollowReqBody),
  'DELETE user/follow': accepted<Client.FollowReqBody>()(FollowReqBody),
  'POST user/verification': accepted<AddVerification>()(AddVerificationReqBody),
  'DELETE user/verification': accepted<Client.RemoveVerificationReqBody>()(RemoveVerificationReqBody),
}

it.each(Object.entries(bodies))('%s takes every body that the published client can send', (name, body) => {
  const operation = operations.find(({ method, path }) => `${method} ${path}` === name)
  expect(operation?.body).toBe(body)
})
