import { accountOperations, fnameAvailability } from '../features/accounts/routes/account-operations.js'
import { cast, casts } from '../features/casts/routes/cast-lookups.js'
import { castMetrics, castSearchOperation } from '../features/casts/routes/cast-search.js'
import { castConversation } from '../features/casts/routes/conversation.js'
import { castEmbedCrawl } from '../features/casts/routes/embed-crawl.js'
import { castQuotes } from '../features/casts/routes/quotes.js'
import {
  channelFollowersOperation,
  channelFollowersRelevant,
} from '../features/channels/routes/channel-followers.js'
import {
  channelList,
  channelSearch,
  channelTrending,
  channelUser,
} from '../features/channels/routes/channel-lists.js'
import { channelBulk, channelLookup } from '../features/channels/routes/channel-lookups.js'
import { membershipOperations } from '../features/channels/routes/channel-operations.js'
import { feed } from '../features/feeds/routes/feed.js'
import { feedFollowing } from '../features/feeds/routes/following.js'
import { feedForYou } from '../features/feeds/routes/for-you.js'
import { feedChannels, feedParentUrls } from '../features/feeds/routes/parent-feeds.js'
import { feedTrending } from '../features/feeds/routes/trending.js'
import {
  feedUserCasts,
  feedUserPopular,
  feedUserRepliesAndRecasts,
} from '../features/feeds/routes/user-feeds.js'
import { followersOperation, followingOperation } from '../features/follows/routes/followers.js'
import { reciprocalFollowers } from '../features/follows/routes/reciprocal.js'
import { relevantFollowers } from '../features/follows/routes/relevant.js'
import { suggestedFollowing } from '../features/follows/routes/suggested.js'
import { frameOperations } from '../features/miniapps/routes/frame-operations.js'
import { appHostOperations } from '../features/miniapps/routes/host/app-host-operations.js'
import { relationOperations } from '../features/moderation/routes/relation-operations.js'
import { notificationOperations } from '../features/notifications/routes/notification-operations.js'
import type { Operation } from '../features/operation.js'
import { publishingOperations } from '../features/publishing/routes/publishing-operations.js'
import { reactionsCast, reactionsUser } from '../features/reactions/routes/reaction-lists.js'
import { signerOperations } from '../features/signers/routes/signer-operations.js'
import { buyStorage, storageAllocations, storageUsage } from '../features/storage/routes/storage.js'
import { fungibleOperations } from '../features/tokens/routes/fungible-operations.js'
import { userBestFriends } from '../features/users/routes/best-friends.js'
import { usersByAddress } from '../features/users/routes/bulk-by-address.js'
import { usersByLocation } from '../features/users/routes/by-location.js'
import { userChannels } from '../features/users/routes/channels.js'
import { userInteractions } from '../features/users/routes/interactions.js'
import { userSearch } from '../features/users/routes/search.js'
import {
  userBulk,
  userByCustodyAddress,
  userByUsername,
  usersByXUsername,
} from '../features/users/routes/user-lookups.js'
import { userVerifications } from '../features/users/routes/verifications.js'
import { webhookOperations } from '../features/webhooks/routes/webhook-operations.js'

/** Every operation of the API. What is not listed here is not served. */
export const operations: readonly Operation[] = [
  cast,
  castEmbedCrawl,
  castMetrics,
  castSearchOperation,
  castConversation,
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
  feedTrending,
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
  ...publishingOperations,
  ...relationOperations,
  ...notificationOperations,
  ...membershipOperations,
  ...webhookOperations,
  ...frameOperations,
  ...fungibleOperations,
  ...appHostOperations,
]
