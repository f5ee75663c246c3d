import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import {
  ChannelMemberInviteListResponse,
  ChannelMemberListResponse,
  ChannelResponse,
} from '../../src/features/channels/schema/channel.js'
import { OperationResponse } from '../../src/graph/view/schema/operation-response.js'
import { published } from './conformance.js'

/** Channels: who makes them and who belongs to them. */
export const membershipReplies: Readonly<Record<string, TSchema>> = {
  'channel/member/invite/list': published<Client.ChannelMemberInviteListResponse>()(
    ChannelMemberInviteListResponse,
  ),
  'channel/member/list': published<Client.ChannelMemberListResponse>()(ChannelMemberListResponse),
  'user/memberships/list': published<Client.ChannelMemberListResponse>()(ChannelMemberListResponse),
  'POST channel': published<Client.ChannelResponse>()(ChannelResponse),
  'PATCH channel': published<Client.ChannelResponse>()(ChannelResponse),
  'POST channel/member/invite': published<Client.OperationResponse>()(OperationResponse),
  'PUT channel/member/invite': published<Client.OperationResponse>()(OperationResponse),
  'DELETE channel/member': published<Client.OperationResponse>()(OperationResponse),
  'POST channel/ban': published<Client.OperationResponse>()(OperationResponse),
  'DELETE channel/ban': published<Client.OperationResponse>()(OperationResponse),
  'POST channel/hide': published<Client.OperationResponse>()(OperationResponse),
  'DELETE channel/hide': published<Client.OperationResponse>()(OperationResponse),
}
