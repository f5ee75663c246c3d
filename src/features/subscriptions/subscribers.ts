import type { Hex } from 'viem'
import { type Viewer, visibilityFilter } from '../../graph/query/visibility-filter.js'
import type { ChainName } from '../../hub/chain/chains.js'
import type { Database, Queryable, Transaction } from '../../platform/db/connection.js'
import { bytesOfHex } from '../../protocol/bytes.js'
import type { FollowedContract } from './settings.js'

/** An account that has subscribed at a contract. `address` is the contract. */
export interface SubscriberRow extends FollowedContract {
  /** Lowercase hex with 0x. */
  readonly account: Hex
  /** Unix seconds. */
  readonly subscribedAt: number
}

/** Records accounts that received a token; the first time counts. */
export async function saveSubscribers(
  db: Transaction,
  rows: readonly (SubscriberRow & { readonly block: number })[],
): Promise<void> {
  if (rows.length === 0) return
  await db`
    insert into subscriptions.subscribers (network, contract, account, subscribed_at, block)
    select network, contract, account, subscribed_at, block
    from unnest(
      ${db.types.texts(rows.map(({ network }) => network))}::text[],
      ${db.types.byteas(rows.map(({ address }) => bytesOfHex(address)))}::bytea[],
      ${db.types.byteas(rows.map(({ account }) => bytesOfHex(account)))}::bytea[],
      ${rows.map(({ subscribedAt }) => subscribedAt)}::bigint[],
      ${rows.map(({ block }) => block)}::bigint[]
    ) as received (network, contract, account, subscribed_at, block)
    on conflict do nothing`
}

/** Deletes what blocks from this one on have recorded. */
export async function deleteSubscribersFrom(db: Queryable, network: ChainName, block: number): Promise<void> {
  await db`delete from subscriptions.subscribers where network = ${network} and block >= ${block}::bigint`
}

/** SQL columns of `SubscriberRow` from subscriptions.subscribers `s`. */
function subscriberColumns(db: Queryable) {
  return db`
    s.network, '0x' || encode(s.contract, 'hex') as address, '0x' || encode(s.account, 'hex') as account,
    s.subscribed_at as "subscribedAt"`
}

/** Lists where the addresses of a user have subscribed, latest first. */
export async function readSubscriptionsOf(
  db: Database,
  fid: number,
  limit: number,
): Promise<SubscriberRow[]> {
  return await db<SubscriberRow[]>`
    with addresses as (
      select custody_address as address from social.users where fid = ${fid}::bigint
      union
      select address from social.verifications where fid = ${fid}::bigint and protocol = 0
    )
    select ${subscriberColumns(db)}
    from subscriptions.subscribers s
    join addresses a on a.address = s.account
    order by s.subscribed_at desc, s.block desc, s.network, s.contract, s.account
    limit ${limit}`
}

/** Reads when accounts have subscribed at one contract; accounts that never did are left out. */
export async function readSubscriptionTimes(
  db: Database,
  { network, address }: FollowedContract,
  accounts: readonly Hex[],
): Promise<SubscriberRow[]> {
  return await db<SubscriberRow[]>`
    select ${subscriberColumns(db)}
    from subscriptions.subscribers s
    where s.network = ${network} and s.contract = ${bytesOfHex(address)}
      and s.account = any (${db.types.byteas(accounts.map(bytesOfHex))}::bytea[])`
}

/**
 * Lists users who have subscribed at contracts, latest first. The user of an account is the holder of that custody
 * address, else the oldest account that has verified it. Users hidden from the viewer are left out.
 */
export async function readSubscribers(
  db: Database,
  contracts: readonly FollowedContract[],
  { viewer, limit }: { readonly viewer: Viewer; readonly limit: number },
): Promise<(SubscriberRow & { readonly fid: number })[]> {
  return await db<(SubscriberRow & { readonly fid: number })[]>`
    select ${subscriberColumns(db)}, s.fid
    from unnest(
      ${db.types.texts(contracts.map(({ network }) => network))}::text[],
      ${db.types.byteas(contracts.map(({ address }) => bytesOfHex(address)))}::bytea[]
    ) as c (network, contract)
    -- The latest of each by index: a contract may have a million.
    cross join lateral (
      select s.*, u.fid
      from subscriptions.subscribers s
      cross join lateral (
        select fid from (
          select fid, 0 as rank from social.users where custody_address = s.account
          union all
          select fid, 1 from social.verifications where address = s.account and protocol = 0
        ) holders
        order by rank, fid
        limit 1
      ) u
      where s.network = c.network and s.contract = c.contract and ${visibilityFilter(db, viewer, 'u.fid')}
      order by s.subscribed_at desc, s.block desc, s.account
      limit ${limit}
    ) s
    order by s.subscribed_at desc, s.block desc, s.network, s.contract, s.account
    limit ${limit}`
}
