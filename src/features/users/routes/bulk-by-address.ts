import { Type } from '@sinclair/typebox'
import bs58 from 'bs58'
import { choiceParameter, listParameter, viewerFidParameter } from '../../../api/parameters.js'
import { findAddressHolders } from '../../../graph/query/users.js'
import { jsonArray } from '../../../graph/view/json.js'
import { EthAddress } from '../../../graph/view/schema/primitives.js'
import { BulkUsersByAddressResponse } from '../../../graph/view/schema/user.js'
import { defineOperation } from '../../operation.js'

const MAX_ADDRESSES = 350

const addressParameter = Type.String({
  pattern: '^(0x[a-fA-F0-9]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$',
  patternText: 'an Ethereum address (0x and 40 hex digits) or a Solana address (base58)',
  examples: EthAddress.examples,
})

/** `GET user/bulk-by-address` */
export const usersByAddress = defineOperation({
  method: 'GET',
  path: 'user/bulk-by-address',
  tag: 'Users',
  summary: 'Bulk fetch users by Eth or Sol addresses',
  description:
    'Maps each address, spelled as in the request, to its users: first the user whose custody address it ' +
    'is, then users who have verified it, oldest verification first. Addresses without a user are left ' +
    'out.',
  query: Type.Object({
    addresses: listParameter(addressParameter, {
      maxItems: MAX_ADDRESSES,
      description: 'Ethereum and Solana addresses.',
    }),
    address_types: Type.Optional(
      listParameter(
        choiceParameter(['custody_address', 'verified_address'], { description: 'Type of address.' }),
        { maxItems: 2, description: 'Types of addresses to match. Without it, both.' },
      ),
    ),
    viewer_fid: viewerFidParameter,
  }),
  reply: BulkUsersByAddressResponse,

  async handle({ db, hydrator }, { addresses, address_types: types, viewer_fid }) {
    const hexByAddress = new Map(addresses.map((address) => [address, hexOf(address)]))
    const holders = await findAddressHolders(
      db,
      [...new Set(hexByAddress.values())].map((hex) => Buffer.from(hex, 'hex')),
      {
        custody: types?.includes('custody_address') ?? true,
        verified: types?.includes('verified_address') ?? true,
      },
    )
    const users = await hydrator.users([...new Set(holders.map(({ fid }) => fid))], viewer_fid)
    const members = addresses.flatMap((address) => {
      const hex = hexByAddress.get(address)
      const fids = holders.filter((holder) => holder.address === hex).map(({ fid }) => fid)
      const found = [...new Set(fids)].flatMap((fid) => users.get(fid) ?? [])
      return found.length > 0 ? [`${JSON.stringify(address)}:${jsonArray(found)}`] : []
    })
    return `{${members.join(',')}}`
  },
})

function hexOf(address: string): string {
  return address.startsWith('0x')
    ? address.slice(2).toLowerCase()
    : Buffer.from(bs58.decode(address)).toString('hex')
}
