import { accountOperations } from '../features/accounts/routes/account-operations.js'
import { fnameAvailability } from '../features/accounts/routes/fname/availability.js'
import { cast } from '../features/casts/routes/cast.js'
import { casts } from '../features/casts/routes/casts.js'
import { castConversation } from '../features/casts/routes/conversation.js'
import { castEmbedCrawl } from '../features/casts/routes/embed-crawl.js'
import { castMetrics } from '../features/casts/routes/metrics.js'
import { castQuotes } from '../features/casts/routes/quotes.js'
import { castSearchOperation } from '../features/casts/routes/search.js'
import { channelBulk } from '../features/channels/routes/bulk.js'
import { channelLookup } from '../features/channels/routes/channel.js'
import { channelFollowersOperation } from '../features/channels/routes/followers.js'
import { channelFollowersRelevant } from '../features/channels/routes/followers-relevant.js'
import { channelList } from '../features/channels/routes/list.js'
import { membershipOperations } from '../features/channels/routes/membership-operations.js'
import { channelSearch } from '../features/channels/routes/search.js'
import { channelTrending } from '../features/channels/routes/trending.js'
import { channelUser } from '../features/channels/routes/user.js'
import { feedChannels } from '../features/feeds/routes/channels.js'
import { feed } from '../features/feeds/routes/feed.js'
import { feedFollowing } from '../features/feeds/routes/following.js'
import { feedForYou } from '../features/feeds/routes/for-you.js'
import { feedParentUrls } from '../features/feeds/routes/parent-urls.js'
import { feedTrending } from '../features/feeds/routes/trending.js'
import { feedUserCasts } from '../features/feeds/routes/user-casts.js'
import { feedUserPopular } from '../features/feeds/routes/user-popular.js'
import { feedUserRepliesAndRecasts } from '../features/feeds/routes/user-replies-and-recasts.js'
import { followersOperation } from '../features/follows/routes/followers.js'
import { followingOperation } from '../features/follows/routes/following.js'
import { reciprocalFollowers } from '../features/follows/routes/reciprocal.js'
import { relevantFollowers } from '../features/follows/routes/relevant.js'
import { suggestedFollowing } from '../features/follows/routes/suggested.js'
import { frameOperations } from '../features/miniapps/routes/frame-operations.js'
import { appHostOperations } from '../features/miniapps/routes/host/app-host-operations.js'
import { relationOperations } from '../features/moderation/routes/relation-operations.js'
import { notificationOperations } from '../features/notifications/routes/notification-operations.js'
import type { Operation } from '../features/operation.js'
import { publishingOperations } from '../features/publishing/routes/publishing-operations.js'
import { reactionsCast } from '../features/reactions/routes/cast.js'
import { reactionsUser } from '../features/reactions/routes/user.js'
import { signerOperations } from '../features/signers/routes/signer-operations.js'
import { storageAllocations } from '../features/storage/routes/allocations.js'
import { buyStorage } from '../features/storage/routes/buy-storage.js'
import { storageUsage } from '../features/storage/routes/usage.js'
import { fungibleOperations } from '../features/tokens/routes/fungible-operations.js'
import { userBestFriends } from '../features/users/routes/best-friends.js'
import { userBulk } from '../features/users/routes/bulk.js'
import { usersByAddress } from '../features/users/routes/bulk-by-address.js'
import { usersByLocation } from '../features/users/routes/by-location.js'
import { userByUsername } from '../features/users/routes/by-username.js'
import { usersByXUsername } from '../features/users/routes/by-x-username.js'
import { userChannels } from '../features/users/routes/channels.js'
import { userByCustodyAddress } from '../features/users/routes/custody-address.js'
import { userInteractions } from '../features/users/routes/interactions.js'
import { userSearch } from '../features/users/routes/search.js'
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
