import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import { expect, it } from 'vitest'
import { operations } from '../../src/app/operations.js'
import { RegisterUserReqBody } from '../../src/features/accounts/routes/check-registration.js'
import { RegisterUserOnChainReqBody } from '../../src/features/accounts/routes/register-direct.js'
import { DeleteCastReqBody, PostCastReqBody } from '../../src/features/casts/routes/publish-cast.js'
import { ChannelFollowReqBody } from '../../src/features/channels/routes/channel-follows.js'
import {
  ChannelMemberReqBody,
  RespondChannelInviteReqBody,
} from '../../src/features/channels/routes/channel-members.js'
import { FollowReqBody } from '../../src/features/follows/routes/follows.js'
import { AppHostPostEventReqBody } from '../../src/features/miniapps/routes/host/host-events.js'
import { SendFrameNotificationsReqBody } from '../../src/features/miniapps/routes/notification-body.js'
import { BlockReqBody } from '../../src/features/moderation/routes/blocks.js'
import { BanReqBody, MuteReqBody } from '../../src/features/moderation/routes/relations.js'
import { PublishMessageReqBody } from '../../src/features/publishing/routes/publish-message.js'
import { ActionReqBody } from '../../src/features/publishing/routes/send-action.js'
import { ReactionReqBody } from '../../src/features/reactions/routes/reactions.js'
import { BuyStorageReqBody } from '../../src/features/storage/routes/storage.js'
import {
  AddVerificationReqBody,
  RemoveVerificationReqBody,
  UpdateUserReqBody,
} from '../../src/features/users/routes/update-user.js'
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
