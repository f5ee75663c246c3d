import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import { BulkCastsResponse } from '../../src/features/feeds/schema/feed.js'
import { RelevantMintsResponse } from '../../src/features/nfts/schema/nft.js'
import { ComposerActions, PowerUserFids } from '../../src/features/removed-operations/removed-operations.js'
import { FeedResponse } from '../../src/graph/view/schema/cast.js'
import { UsersResponse } from '../../src/graph/view/schema/user.js'
import { published } from './conformance.js'

/** Operations that only older clients know; most have a shape that newer ones know, too. */
export const removedReplies: Readonly<Record<string, TSchema>> = {
  'user/active': published<Client.UsersResponse>()(UsersResponse),
  'user/power': published<Client.UsersResponse>()(UsersResponse),
  'user/power_lite': PowerUserFids,
  'channel/users': published<Client.UsersResponse>()(UsersResponse),
  'cast/composer_actions/list': ComposerActions,
  '/nft/relevant_mints': RelevantMintsResponse,
  'feed/user/:fid/popular': published<Client.BulkCastsResponse>()(BulkCastsResponse),
  'feed/user/:fid/replies_and_recasts': published<Client.FeedResponse>()(FeedResponse),
}
