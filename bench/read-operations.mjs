import { seeded, zipf } from './chance.mjs'
import { channels, viewerOf } from './read-network.mjs'

/** What people ask for: each operation as a path for a viewer. */

/** Users who look. */
const MAX_VIEWERS = 10_000
const BULK_USERS = 50
const BULK_CASTS = 25

/**
 * @typedef {object} Draws What a request is about, drawn by Zipf's law where nothing else is said.
 * @property {() => number} author
 * @property {() => number} channel
 * @property {(of: 'threads' | 'names') => string} subject
 * @property {() => string} anyCast All alike.
 * @property {(most: number) => number} below All alike.
 */

/** @type {Record<string, (viewer: number, draws: Draws) => string>} */
const paths = {
  following: (viewer) => `feed/following?fid=${viewer}&viewer_fid=${viewer}&limit=25`,
  channel: (viewer, { channel }) =>
    `feed?feed_type=filter&filter_type=channel_id&channel_id=c${channel()}&viewer_fid=${viewer}&limit=25`,
  author: (viewer, { author }) => `feed/user/casts?fid=${author()}&viewer_fid=${viewer}&limit=25`,
  for_you: (viewer) => `feed/for_you?fid=${viewer}&viewer_fid=${viewer}&limit=25`,
  trending: (viewer) => `feed/trending?limit=10&viewer_fid=${viewer}`,
  users: (viewer, { author }) =>
    `user/bulk?fids=${Array.from({ length: BULK_USERS }, author).join(',')}&viewer_fid=${viewer}`,
  casts: (viewer, { anyCast }) =>
    `casts?casts=${Array.from({ length: BULK_CASTS }, anyCast).join(',')}&viewer_fid=${viewer}`,
  conversation: (viewer, { subject }) =>
    `cast/conversation?identifier=${subject('threads')}&type=hash&reply_depth=2&limit=25&viewer_fid=${viewer}`,
  popular: (viewer, { author }) => `feed/user/popular?fid=${author()}&viewer_fid=${viewer}`,
  notifications: (viewer) => `notifications?fid=${viewer}&limit=25`,
  search: (viewer, { subject, below }) =>
    `user/search?q=${subject('names').slice(0, 1 + below(5))}&limit=5&viewer_fid=${viewer}`,
}

/** What each operation is called in the tables. */
export const titles = {
  following: 'following feed',
  channel: 'channel feed with viewer',
  author: "a user's casts with viewer",
  for_you: 'feed for a user',
  trending: 'trending with viewer',
  users: '50 users with viewer',
  casts: '25 casts of all times with viewer',
  conversation: 'conversation with viewer',
  popular: "a user's popular casts with viewer",
  notifications: 'notifications',
  search: 'user search with viewer',
}

/**
 * The requests of each connection: endless, and the same in every run. No two connections share a viewer.
 *
 * @param {string} operation
 * @param {{ network: import('./read-servers.mjs').Network, connections: number, seed: number }} options
 * @returns {(() => string)[]}
 */
export function drawPaths(operation, { network, connections, seed }) {
  const { users } = network.sizes
  const viewers = Math.min(MAX_VIEWERS, users - 3)
  const random = seeded(seed)
  const author = zipf(users, random)
  const channel = zipf(channels, random)
  const drawSubject = {
    threads: zipf(network.threads.length, random),
    names: zipf(network.names.length, random),
  }
  const below = (/** @type {number} */ most) => Math.floor(random() * most)
  const draws = {
    below,
    author: () => 1 + author(),
    channel,
    subject: (/** @type {'threads' | 'names'} */ of) => network[of][drawSubject[of]()],
    anyCast: () => network.casts[below(network.casts.length)],
  }
  return Array.from({ length: connections }, (_, connection) => {
    const rank = zipf(Math.floor((viewers - connection - 1) / connections) + 1, random)
    return () =>
      `/v2/farcaster/${paths[operation](viewerOf(connection + connections * rank(), users), draws)}`
  })
}
