import type { Hex } from 'viem'
import type { Database } from '../../platform/db/connection.js'

/** A verified address of a followed user. */
export interface FollowedAddress {
  readonly fid: number
  readonly address: Hex
}

/** Reads the verified addresses of those whom the user of an address follows, by the score of the users, at most `limit`. */
export async function readFollowedAddresses(
  db: Database,
  address: Buffer,
  limit: number,
): Promise<FollowedAddress[]> {
  return await db<FollowedAddress[]>`
    select v.fid, '0x' || encode(v.address, 'hex') as address
    from (
      -- Several users may have the address, and follow the same ones.
      select distinct f.target_fid
      from (
        select u.fid from social.users u where u.custody_address = ${address}
        union
        select own.fid from social.verifications own where own.address = ${address}
      ) me
      join social.follows f on f.fid = me.fid
    ) f
    join social.verifications v on v.fid = f.target_fid and v.protocol = 0
    join social.users u on u.fid = v.fid
    order by u.score desc nulls last, v.fid, v.address
    limit ${limit}::integer
  `
}
