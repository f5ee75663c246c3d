import type { WebhookEventKind } from '../../graph/view/schema/webhook-filters.js'

const dehydratedUser = {
  object: 'user_dehydrated',
  fid: 1,
  username: 'alice',
  display_name: 'Alice',
  pfp_url: null,
  custody_address: `0x${'11'.repeat(20)}`,
  score: 0.9,
}

const user = {
  object: 'user',
  fid: 1,
  username: 'alice',
  display_name: 'Alice',
  pfp_url: null,
  custody_address: `0x${'11'.repeat(20)}`,
  registered_at: '2024-01-01T00:00:00.000Z',
  profile: { bio: { text: 'A sample.', mentioned_profiles: [], mentioned_profiles_ranges: [] } },
  follower_count: 1,
  following_count: 1,
  verifications: [],
  auth_addresses: [],
  verified_addresses: {
    eth_addresses: [],
    sol_addresses: [],
    primary: { eth_address: null, sol_address: null },
  },
  verified_accounts: [],
  score: 0.9,
}

const hash = `0x${'ab'.repeat(20)}`

const cast = {
  object: 'cast',
  hash,
  parent_hash: null,
  parent_url: null,
  root_parent_url: null,
  thread_hash: hash,
  parent_author: { fid: null },
  author: user,
  app: null,
  text: 'A sample.',
  timestamp: '2024-01-01T00:00:00.000Z',
  embeds: [],
  channel: null,
  reactions: { likes_count: 0, recasts_count: 0, likes: [], recasts: [] },
  replies: { count: 0 },
  mentioned_profiles: [],
  mentioned_profiles_ranges: [],
  mentioned_channels: [],
  mentioned_channels_ranges: [],
}

const token = (symbol: string) => ({
  object: 'fungible_balance',
  token: {
    object: 'fungible',
    address: `0x${'22'.repeat(20)}`,
    decimals: 18,
    symbol,
    name: symbol,
  },
  balance: { in_usd: 100, in_token: '100' },
})

/** Returns the member `data` of a sample delivery of a kind. */
export function sampleData(kind: WebhookEventKind, now: string): object {
  const times = { event_timestamp: now, timestamp: now }
  switch (kind) {
    case 'cast.created':
    case 'cast.deleted':
      return cast
    case 'follow.created':
    case 'follow.deleted':
      return {
        object: kind === 'follow.created' ? 'follow' : 'unfollow',
        ...times,
        user: dehydratedUser,
        target_user: { ...dehydratedUser, fid: 2, username: 'bob', display_name: 'Bob' },
      }
    case 'reaction.created':
    case 'reaction.deleted':
      return {
        object: 'reaction',
        ...times,
        reaction_type: 1,
        user: dehydratedUser,
        cast: { object: 'cast_dehydrated', hash, author: dehydratedUser, app: null },
      }
    case 'user.created':
    case 'user.updated':
      return user
    case 'trade.created':
      return {
        object: 'trade',
        trader: dehydratedUser,
        pool: { object: 'pool', address: `0x${'33'.repeat(20)}` },
        transaction: {
          hash: `0x${'44'.repeat(32)}`,
          network: { object: 'network', name: 'base' },
          net_transfer: {
            object: 'net_transfer',
            receiving_fungible: token('AAA'),
            sending_fungible: token('USDC'),
          },
        },
      }
  }
}
