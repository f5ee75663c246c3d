import type { Fragment } from '#postgres'
import type { Database, Queryable } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { MessageType } from '../../protocol/definitions.js'
import { MessageSet } from '../../protocol/message-kind.js'
import type { PageOptions } from './page.js'

/** A channel of the registry, and the user who owns it. */
export interface ChannelRow {
  readonly channelKey: string
  /** 0: no user has verified the address of the owner. */
  readonly fid: number
  readonly ownerAddress: Buffer
  /** Unix seconds. */
  readonly expiry: number
}

/** SQL for the user who has verified an address last; of equal messages the lower fid (docs/protocol.md §7.1.3). */
export const selectVerifier = (db: Queryable, address: Fragment) => db`
  select v.fid
  from hub.messages v
  where v.set = ${literal(db, MessageSet.verifications)} and v.key = ${address}
    and v.type = ${MessageType.VERIFICATION_ADD_ETH_ADDRESS}
  order by v.ts desc, v.hash desc, v.fid
  limit 1
`

const joinOwner = (db: Database) =>
  db`left join lateral (${selectVerifier(db, db`c.owner_address`)}) o on true`

const channelColumns = (db: Database) => db`
  c.channel_key as "channelKey", coalesce(o.fid, 0) as fid, c.owner_address as "ownerAddress", c.expires_at as expiry
`

/** Reads a channel by its id. */
export async function readChannel(db: Database, channelId: Buffer): Promise<ChannelRow | null> {
  const [row] = await db<ChannelRow[]>`
    select ${channelColumns(db)}
    from hub.channels c
    ${joinOwner(db)}
    where c.channel_id = ${channelId}::bytea
  `
  return row ?? null
}

/** Returns true if the registry knows a channel. */
export async function isRegistered(db: Database, channelId: Buffer): Promise<boolean> {
  const [row] = await db`select from hub.channels where channel_id = ${channelId}::bytea`
  return row !== undefined
}

/** The position of a channel in a list: its owner's address, then the bytes of its key. */
export type ChannelPageOptions = PageOptions<Buffer>

/** The bytes by which channels of owners are sorted. */
const sortKey = (db: Database) => db`c.owner_address || convert_to(c.channel_key, 'UTF8')`

/** Reads the channels of an owner's address, by key. */
export async function readChannelsByAddress(
  db: Database,
  owner: Buffer,
  { limit, reverse, after }: ChannelPageOptions,
): Promise<ChannelRow[]> {
  const isAfter = reverse ? db`<` : db`>`
  return await db<ChannelRow[]>`
    select ${channelColumns(db)}
    from hub.channels c
    ${joinOwner(db)}
    where c.owner_address = ${owner}::bytea
      and (${after}::bytea is null or ${sortKey(db)} ${isAfter} ${after}::bytea)
    order by ${sortKey(db)} ${reverse ? db`desc` : db`asc`}
    limit ${limit}::bigint
  `
}

/** Reads the channels that a user owns, by address and key. */
export async function readChannelsByFid(
  db: Database,
  fid: number,
  { limit, after }: Pick<ChannelPageOptions, 'limit' | 'after'>,
): Promise<ChannelRow[]> {
  return await db<ChannelRow[]>`
    select ${channelColumns(db)}
    from hub.messages own
    join hub.channels c on c.owner_address = own.key
    ${joinOwner(db)}
    where own.fid = ${fid}::bigint
      and own.set = ${literal(db, MessageSet.verifications)}
      and own.type = ${MessageType.VERIFICATION_ADD_ETH_ADDRESS}
      and o.fid = own.fid
      and (${after}::bytea is null or ${sortKey(db)} > ${after}::bytea)
    order by ${sortKey(db)}
    limit ${limit}::bigint
  `
}
