import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import {
  BanListResponse,
  BanResponse,
  BlockListResponse,
  MuteListResponse,
  MuteResponse,
} from '../../src/features/moderation/schema/relation.js'
import { OperationResponse } from '../../src/graph/view/schema/operation-response.js'
import { published } from './conformance.js'

/** Blocks, mutes and bans. */
export const relationReplies: Readonly<Record<string, TSchema>> = {
  'ban/list': published<Client.BanListResponse>()(BanListResponse),
  'POST ban': published<Client.BanResponse>()(BanResponse),
  'DELETE ban': published<Client.BanResponse>()(BanResponse),
  'block/list': published<Client.BlockListResponse>()(BlockListResponse),
  'POST block': published<Client.OperationResponse>()(OperationResponse),
  'DELETE block': published<Client.OperationResponse>()(OperationResponse),
  'mute/list': published<Client.MuteListResponse>()(MuteListResponse),
  'POST mute': published<Client.MuteResponse>()(MuteResponse),
  'DELETE mute': published<Client.MuteResponse>()(MuteResponse),
}
