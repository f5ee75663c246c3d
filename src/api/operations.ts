import type { Operation } from './operation.js'
import { accountOperations } from './operations/account/account-operations.js'
import { appHostOperations } from './operations/app-host/app-host-operations.js'
import { cast } from './operations/cast/cast.js'
import { casts } from './operations/cast/casts.js'
import { castConversation } from './operations/cast/conversation.js'
import { castEmbedCrawl } from './operations/cast/embed-crawl.js'
import { castMetrics } from './operations/cast/metrics.js'
import { castQuotes } from './operations/cast/quotes.js'
import { castSearchOperation } from './operations/cast/search.js'
import { channelBulk } from './operations/channel/bulk.js'
import { channelLookup } from './operations/channel/channel.js'
import { channelFollowersOperation } from './operations/channel/followers.js'
import { channelFollowersRelevant } from './operations/channel/followers-relevant.js'
import { channelList } from './operations/channel/list.js'
import { membershipOperations } from './operations/channel/membership-operations.js'
import { channelSearch } from './operations/channel/search.js'
import { channelTrending } from './operations/channel/trending.js'
import { channelUser } from './operations/channel/user.js'
import { feedChannels } from './operations/feed/channels.js'
import { feed } from './operations/feed/feed.js'
import { feedFollowing } from './operations/feed/following.js'
import { feedForYou } from './operations/feed/for-you.js'
import { feedParentUrls } from './operations/feed/parent-urls.js'
import { feedTrending } from './operations/feed/trending.js'
import { feedUserCasts } from './operations/feed/user-casts.js'
import { feedUserPopular } from './operations/feed/user-popular.js'
import { feedUserRepliesAndRecasts } from './operations/feed/user-replies-and-recasts.js'
import { fnameAvailability } from './operations/fname/availability.js'
import { followersOperation } from './operations/follow/followers.js'
import { followingOperation } from './operations/follow/following.js'
import { reciprocalFollowers } from './operations/follow/reciprocal.js'
import { relevantFollowers } from './operations/follow/relevant.js'
import { suggestedFollowing } from './operations/follow/suggested.js'
import { frameOperations } from './operations/frame/frame-operations.js'
import { fungibleOperations } from './operations/fungible/fungible-operations.js'
import { notificationOperations } from './operations/notification/notification-operations.js'
import { publishingOperations } from './operations/publishing/publishing-operations.js'
import { reactionsCast } from './operations/reaction/cast.js'
import { reactionsUser } from './operations/reaction/user.js'
import { relationOperations } from './operations/relation/relation-operations.js'
import { signerOperations } from './operations/signer/signer-operations.js'
import { storageAllocations } from './operations/storage/allocations.js'
import { buyStorage } from './operations/storage/buy-storage.js'
import { storageUsage } from './operations/storage/usage.js'
import { userBestFriends } from './operations/user/best-friends.js'
import { userBulk } from './operations/user/bulk.js'
import { usersByAddress } from './operations/user/bulk-by-address.js'
import { usersByLocation } from './operations/user/by-location.js'
import { userByUsername } from './operations/user/by-username.js'
import { usersByXUsername } from './operations/user/by-x-username.js'
import { userChannels } from './operations/user/channels.js'
import { userByCustodyAddress } from './operations/user/custody-address.js'
import { userInteractions } from './operations/user/interactions.js'
import { userSearch } from './operations/user/search.js'
import { userVerifications } from './operations/user/verifications.js'
import { webhookOperations } from './operations/webhook/webhook-operations.js'

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
