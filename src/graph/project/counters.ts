import { HOUR_SECONDS } from '../../platform/durations.js'

/** A table of counts of other tables' rows, and how to recount it. */
export interface CounterTable {
  /** Label in the output of the command. */
  readonly name: string
  readonly table: string
  /** The key columns. A recount walks the table in the order of the first. */
  readonly keys: readonly [string, ...string[]]
  readonly firstKeyType: 'bigint' | 'bytea' | 'text'
  readonly counts: readonly string[]
  /** The columns of the counted tables that hold the first key; each leads an index. */
  readonly countedColumns: readonly { readonly table: string; readonly column: string }[]
  /**
   * Selects the keys that have any count, with their counts. `inKeyRange` returns the condition that a column
   * is in the range being checked.
   */
  readonly countQuery: (inKeyRange: (column: string) => string) => string
  /** Lock that keeps the counts unchanged during a check: the merge locks, with that of the threads too, or a lock of the row. */
  readonly lockedBy: 'merges' | 'merges and moved threads' | 'row lock'
  /**
   * The row of a key that counts nothing: none; zeros or none; or imported counts. These include people whom this server
   * cannot name, also beside rows of a few (docs/channels.md): a recount raises them to the rows and never lowers them.
   */
  readonly whenUncounted: 'absent' | 'zero' | 'given'
}

const setCounts: CounterTable = {
  name: 'messages in sets',
  table: 'hub.set_counts',
  keys: ['fid', 'set'],
  firstKeyType: 'bigint',
  counts: ['count'],
  countedColumns: [{ table: 'hub.messages', column: 'fid' }],
  countQuery: (inKeyRange) => `
    select fid, set, count(*)::integer as count
    from hub.messages
    where ${inKeyRange('fid')}
    group by fid, set
  `,
  lockedBy: 'merges',
  whenUncounted: 'zero',
}

const userCounts: CounterTable = {
  name: 'followers and follows',
  table: 'social.user_counts',
  keys: ['fid'],
  firstKeyType: 'bigint',
  counts: ['follower_count', 'following_count'],
  countedColumns: [
    { table: 'social.follows', column: 'fid' },
    { table: 'social.follows', column: 'target_fid' },
  ],
  countQuery: (inKeyRange) => `
    select fid, sum(followers)::integer as follower_count, sum(following)::integer as following_count
    from (
      select target_fid as fid, count(*) as followers, 0 as following
      from social.follows
      where ${inKeyRange('target_fid')}
      group by target_fid
      union all
      select fid, 0, count(*)
      from social.follows
      where ${inKeyRange('fid')}
      group by fid
    ) sides
    group by fid
  `,
  lockedBy: 'merges',
  whenUncounted: 'absent',
}

const castCounts: CounterTable = {
  name: 'likes, recasts, replies and quotes',
  table: 'social.cast_counts',
  keys: ['hash', 'fid'],
  firstKeyType: 'bytea',
  counts: ['likes', 'recasts', 'replies', 'quotes'],
  countedColumns: [
    { table: 'social.reactions', column: 'target_hash' },
    { table: 'social.casts', column: 'parent_hash' },
    { table: 'social.quotes', column: 'quoted_hash' },
  ],
  countQuery: (inKeyRange) => `
    select hash, fid, sum(likes)::integer as likes, sum(recasts)::integer as recasts,
      sum(replies)::integer as replies, sum(quotes)::integer as quotes
    from (
      select target_hash as hash, target_fid as fid, count(*) filter (where type = 1) as likes,
        count(*) filter (where type <> 1) as recasts, 0 as replies, 0 as quotes
      from social.reactions
      where ${inKeyRange('target_hash')}
      group by target_hash, target_fid
      union all
      select parent_hash, parent_fid, 0, 0, count(*), 0
      from social.casts
      where ${inKeyRange('parent_hash')}
      group by parent_hash, parent_fid
      union all
      select quoted_hash, quoted_fid, 0, 0, 0, count(*)
      from social.quotes
      where ${inKeyRange('quoted_hash')}
      group by quoted_hash, quoted_fid
    ) kinds
    group by hash, fid
  `,
  lockedBy: 'merges',
  whenUncounted: 'absent',
}

const urlActivity: CounterTable = {
  name: 'casts per hour below URLs',
  table: 'social.url_activity',
  keys: ['url', 'hour'],
  firstKeyType: 'text',
  counts: ['casts'],
  countedColumns: [{ table: 'social.casts', column: 'root_parent_url' }],
  countQuery: (inKeyRange) => `
    select root_parent_url as url, (ts / ${HOUR_SECONDS})::integer as hour, count(*)::integer as casts
    from social.casts
    where ${inKeyRange('root_parent_url')}
    group by root_parent_url, (ts / ${HOUR_SECONDS})::integer
  `,
  lockedBy: 'merges and moved threads',
  whenUncounted: 'absent',
}

const channelFollowers: CounterTable = {
  name: 'followers of channels',
  table: 'channels.channels',
  keys: ['id'],
  firstKeyType: 'text',
  counts: ['follower_count'],
  countedColumns: [{ table: 'channels.follows', column: 'channel_id' }],
  countQuery: (inKeyRange) => `
    select channel_id as id, count(*)::integer as follower_count
    from channels.follows
    where ${inKeyRange('channel_id')}
    group by channel_id
  `,
  lockedBy: 'row lock',
  whenUncounted: 'given',
}

/** The lead counts as a member, with or without a row; a channel of the protocol may have none. */
const channelMembers: CounterTable = {
  name: 'members of channels',
  table: 'channels.channels',
  keys: ['id'],
  firstKeyType: 'text',
  counts: ['member_count'],
  countedColumns: [{ table: 'channels.members', column: 'channel_id' }],
  countQuery: (inKeyRange) => `
    select c.id,
      (c.lead_fid <> 0)::integer + count(*) filter (where m.fid <> c.lead_fid)::integer as member_count
    from channels.members m
    join channels.channels c on c.id = m.channel_id
    where ${inKeyRange('m.channel_id')}
    group by c.id
  `,
  lockedBy: 'row lock',
  whenUncounted: 'given',
}

/** All counters. */
export const counters: readonly CounterTable[] = [
  setCounts,
  userCounts,
  castCounts,
  urlActivity,
  channelFollowers,
  channelMembers,
]
