import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import { FnameAvailabilityResponse } from '../../src/features/accounts/schema/account.js'
import {
  CastEmbedCrawlResponse,
  CastResponse,
  CastsMetricsResponse,
  CastsResponse,
  CastsSearchResponse,
  Conversation,
} from '../../src/features/casts/schema/cast.js'
import { ConversationSummary } from '../../src/features/casts/schema/conversation-summary.js'
import {
  ChannelResponse,
  ChannelResponseBulk,
  ChannelSearchResponse,
  TrendingChannelResponse,
  UsersActiveChannelsResponse,
} from '../../src/features/channels/schema/channel.js'
import { BulkCastsResponse } from '../../src/features/feeds/schema/feed.js'
import { FollowersResponse, ReciprocalFollowersResponse } from '../../src/features/follows/schema/follow.js'
import { ReactionsCastResponse, ReactionsResponse } from '../../src/features/reactions/schema/reaction.js'
import {
  StorageAllocationsResponse,
  StorageUsageResponse,
} from '../../src/features/storage/schema/storage.js'
import { TrendingTopicsResponse } from '../../src/features/topics/schema/topic.js'
import {
  BestFriendsResponse,
  BulkUsersByAddressResponse,
  BulkUsersResponse,
  UserInteractionsResponse,
  UserResponse,
  UserSearchResponse,
  VerificationsResponse,
} from '../../src/features/users/schema/user.js'
import { FeedResponse } from '../../src/graph/view/schema/cast.js'
import { ChannelListResponse } from '../../src/graph/view/schema/channel.js'
import { RelevantFollowersResponse } from '../../src/graph/view/schema/follower.js'
import { UsersResponse } from '../../src/graph/view/schema/user.js'
import { published } from './conformance.js'

/** The reply of each operation that reads, held against the client's type by the compiler. */
export const readingReplies: Readonly<Record<string, TSchema>> = {
  cast: published<Client.CastResponse>()(CastResponse),
  'cast/conversation': published<Client.Conversation>()(Conversation),
  'cast/conversation/summary': published<Client.ConversationSummary>()(ConversationSummary),
  'cast/embed/crawl': published<Client.CastEmbedCrawlResponse>()(CastEmbedCrawlResponse),
  'cast/metrics': published<Client.CastsMetricsResponse>()(CastsMetricsResponse),
  'cast/quotes': published<Client.FetchCastQuotes200Response>()(FeedResponse),
  'cast/search': published<Client.CastsSearchResponse>()(CastsSearchResponse),
  casts: published<Client.CastsResponse>()(CastsResponse),
  channel: published<Client.ChannelResponse>()(ChannelResponse),
  'channel/bulk': published<Client.ChannelResponseBulk>()(ChannelResponseBulk),
  'channel/followers': published<Client.UsersResponse>()(UsersResponse),
  'channel/followers/relevant': published<Client.RelevantFollowersResponse>()(RelevantFollowersResponse),
  'channel/list': published<Client.ChannelListResponse>()(ChannelListResponse),
  'channel/search': published<Client.ChannelSearchResponse>()(ChannelSearchResponse),
  'channel/trending': published<Client.TrendingChannelResponse>()(TrendingChannelResponse),
  'channel/user': published<Client.UsersActiveChannelsResponse>()(UsersActiveChannelsResponse),
  feed: published<Client.FeedResponse>()(FeedResponse),
  'feed/channels': published<Client.FeedResponse>()(FeedResponse),
  'feed/following': published<Client.FeedResponse>()(FeedResponse),
  'feed/for_you': published<Client.FeedResponse>()(FeedResponse),
  'feed/parent_urls': published<Client.FeedResponse>()(FeedResponse),
  'feed/topic': published<Client.FeedResponse>()(FeedResponse),
  'feed/trending': published<Client.FeedResponse>()(FeedResponse),
  'feed/user/casts': published<Client.FeedResponse>()(FeedResponse),
  'feed/user/popular': published<Client.BulkCastsResponse>()(BulkCastsResponse),
  'feed/user/replies_and_recasts': published<Client.FeedResponse>()(FeedResponse),
  'fname/availability': published<Client.FnameAvailabilityResponse>()(FnameAvailabilityResponse),
  followers: published<Client.FollowersResponse>()(FollowersResponse),
  'followers/reciprocal':
    published<Client.FetchUserReciprocalFollowers200Response>()(ReciprocalFollowersResponse),
  'followers/relevant': published<Client.RelevantFollowersResponse>()(RelevantFollowersResponse),
  following: published<Client.FollowersResponse>()(FollowersResponse),
  'following/suggested': published<Client.UsersResponse>()(UsersResponse),
  'reactions/cast': published<Client.ReactionsCastResponse>()(ReactionsCastResponse),
  'reactions/user': published<Client.ReactionsResponse>()(ReactionsResponse),
  'storage/allocations': published<Client.StorageAllocationsResponse>()(StorageAllocationsResponse),
  'storage/usage': published<Client.StorageUsageResponse>()(StorageUsageResponse),
  'topic/trending': published<Client.TrendingTopicsResponse>()(TrendingTopicsResponse),
  'user/best_friends': published<Client.BestFriendsResponse>()(BestFriendsResponse),
  'user/bulk': published<Client.BulkUsersResponse>()(BulkUsersResponse),
  'user/bulk-by-address': published<Client.BulkUsersByAddressResponse>()(BulkUsersByAddressResponse),
  'user/by_location': published<Client.UsersResponse>()(UsersResponse),
  'user/by_username': published<Client.UserResponse>()(UserResponse),
  'user/by_x_username': published<Client.BulkUsersResponse>()(BulkUsersResponse),
  'user/channels': published<Client.ChannelListResponse>()(ChannelListResponse),
  'user/custody-address': published<Client.UserResponse>()(UserResponse),
  'user/interactions': published<Client.FetchUserInteractions200Response>()(UserInteractionsResponse),
  'user/search': published<Client.UserSearchResponse>()(UserSearchResponse),
  'user/verifications': published<Client.FetchVerifications200Response>()(VerificationsResponse),
}
