import type { Hex } from 'viem'
import type { Hydrator } from '../../graph/cache/hydrator.js'
import type { User } from '../../graph/view/schema/user.js'

/** Returns the addresses that users receive money at: the primary verified one, else the custody address. */
export async function readPayoutAddresses(
  hydrator: Pick<Hydrator, 'users'>,
  fids: readonly number[],
): Promise<Map<number, Hex>> {
  const users = await hydrator.users([...new Set(fids)])
  return new Map(
    [...users].map(([fid, user]) => {
      const { verified_addresses: verified, custody_address: custody } = user.parse<User>()
      return [fid, (verified.primary.eth_address ?? custody) as Hex]
    }),
  )
}
