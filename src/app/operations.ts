import { accountOperations, fnameAvailability } from '../features/accounts/routes/account-operations.js'
import { cast, castEmbedCrawl, castQuotes, casts } from '../features/casts/routes/cast-lookups.js'
import { castMetrics, castSearchOperation } from '../features/casts/routes/cast-search.js'
import { castConversation } from '../features/casts/routes/conversation.js'
import { castConversationSummary } from '../features/casts/routes/conversation-summary.js'
import { deleteCast, postCast } from '../features/casts/routes/publish-cast.js'
import { channelEditOperations } from '../features/channels/routes/channel-edits.js'
import {
  channelFollowersOperation,
  channelFollowersRelevant,
  followChannelOperation,
  unfollowChannelOperation,
} from '../features/channels/routes/channel-follows.js'
import {
  channelBulk,
  channelList,
  channelLookup,
  channelSearch,
  channelTrending,
  channelUser,
} from '../features/channels/routes/channel-lists.js'
import { membershipOperations } from '../features/channels/routes/channel-members.js'
import { channelModerationOperations } from '../features/channels/routes/channel-moderation.js'
import { feed, feedFrames } from '../features/feeds/routes/feed.js'
import { feedForYou, feedTrending } from '../features/feeds/routes/ranked-feeds.js'
import {
  feedChannels,
  feedFollowing,
  feedParentUrls,
  feedUserCasts,
  feedUserPopular,
  feedUserRepliesAndRecasts,
} from '../features/feeds/routes/user-feeds.js'
import {
  followersOperation,
  followingOperation,
  reciprocalFollowers,
  relevantFollowers,
  suggestedFollowing,
} from '../features/follows/routes/followers.js'
import { followUsers, unfollowUsers } from '../features/follows/routes/follows.js'
import { frameActionOperations } from '../features/frames/routes/action.js'
import { hostedFrames } from '../features/frames/routes/hosted.js'
import { frameOperations } from '../features/miniapps/routes/campaigns.js'
import { catalogOperations } from '../features/miniapps/routes/catalog.js'
import { appHostOperations } from '../features/miniapps/routes/host/host-events.js'
import { blockOperations } from '../features/moderation/routes/blocks.js'
import { relationOperations } from '../features/moderation/routes/relations.js'
import { nftOperations } from '../features/nfts/routes/nft-operations.js'
import { notificationOperations } from '../features/notifications/routes/notifications.js'
import type { Operation } from '../features/operation.js'
import { paymentOperations } from '../features/payments/routes/payment-operations.js'
import { publishMessage } from '../features/publishing/routes/publish-message.js'
import { postAction } from '../features/publishing/routes/send-action.js'
import {
  deleteReaction,
  postReaction,
  reactionsCast,
  reactionsUser,
} from '../features/reactions/routes/reactions.js'
import { removedOperations } from '../features/removed-operations/removed-operations.js'
import { signerOperations } from '../features/signers/routes/signer-operations.js'
import { buyStorage, storageAllocations, storageUsage } from '../features/storage/routes/storage.js'
import { subscriptionOperations } from '../features/subscriptions/routes/subscription-operations.js'
import { fungibleOperations } from '../features/tokens/routes/fungible-operations.js'
import { feedTopic, topicTrending } from '../features/topics/routes/topics.js'
import { userBestFriends, userInteractions } from '../features/users/routes/affinity.js'
import { userSearch, usersByLocation } from '../features/users/routes/search.js'
import {
  addVerification,
  deleteVerification,
  updateUser,
  userVerifications,
} from '../features/users/routes/update-user.js'
import {
  userBulk,
  userByCustodyAddress,
  userByUsername,
  userChannels,
  usersByAddress,
  usersByXUsername,
} from '../features/users/routes/user-lookups.js'
import { deliveryOperations } from '../features/webhooks/routes/webhook-deliveries.js'
import { webhookOperations } from '../features/webhooks/routes/webhooks.js'

/** Every operation of the API. What is not listed here is not served. */
export const operations: readonly Operation[] = [
  cast,
  castEmbedCrawl,
  castMetrics,
  castSearchOperation,
  castConversation,
  castConversationSummary,
  castQuotes,
  casts,
  channelBulk,
  channelFollowersOperation,
  channelFollowersRelevant,
  channelList,
  channelLookup,
  channelSearch,
  channelTrending,
  channelUser,
  feed,
  feedChannels,
  feedFollowing,
  feedParentUrls,
  feedUserCasts,
  feedUserRepliesAndRecasts,
  feedForYou,
  feedFrames,
  feedTopic,
  feedTrending,
  topicTrending,
  feedUserPopular,
  fnameAvailability,
  followersOperation,
  followingOperation,
  reciprocalFollowers,
  relevantFollowers,
  suggestedFollowing,
  reactionsCast,
  reactionsUser,
  storageAllocations,
  storageUsage,
  buyStorage,
  userBestFriends,
  usersByAddress,
  userBulk,
  usersByLocation,
  userByUsername,
  usersByXUsername,
  userChannels,
  userByCustodyAddress,
  userInteractions,
  userSearch,
  userVerifications,
  ...accountOperations,
  ...signerOperations,
  postCast,
  deleteCast,
  postReaction,
  deleteReaction,
  followUsers,
  unfollowUsers,
  updateUser,
  addVerification,
  deleteVerification,
  publishMessage,
  followChannelOperation,
  unfollowChannelOperation,
  postAction,
  ...relationOperations,
  ...blockOperations,
  ...notificationOperations,
  ...channelEditOperations,
  ...membershipOperations,
  ...channelModerationOperations,
  ...webhookOperations,
  ...deliveryOperations,
  ...frameOperations,
  ...catalogOperations,
  ...frameActionOperations,
  ...hostedFrames,
  ...fungibleOperations,
  ...subscriptionOperations,
  ...paymentOperations,
  ...nftOperations,
  ...appHostOperations,
  ...removedOperations,
]
