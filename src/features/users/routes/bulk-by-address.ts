import { Type } from '@sinclair/typebox'
import bs58 from 'bs58'
import { choiceParameter, listParameter, viewerFidParameter } from '../../../api/parameters.js'
import { findAddressHolders } from '../../../graph/query/users.js'
import { jsonArray } from '../../../graph/view/json.js'
import { BulkUsersByAddressResponse } from '../../../graph/view/schema/user.js'
import { defineOperation } from '../../operation.js'

const MAX_ADDRESSES = 350

const addressParameter = Type.String({
  pattern: '^(0x[a-fA-F0-9]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$',
  patternText: 'an Ethereum address (0x and 40 hex digits) or a Solana address (base58)',
})

/** `GET user/bulk-by-address` */
export const usersByAddress = defineOperation({
  method: 'GET',
  path: 'user/bulk-by-address',
  tag: 'User',
  summary: 'Users by their addresses',
  description: [
    'A map from each address, written as it was asked for, to its users: the one that it holds on chain first,',
    'then those who have verified it, from the oldest. An address that is nobody’s is not in it.',
  ].join(' '),
  query: Type.Object({
    addresses: listParameter(addressParameter, {
      maxItems: MAX_ADDRESSES,
      description: 'Ethereum and Solana addresses.',
    }),
    address_types: Type.Optional(
      listParameter(
        choiceParameter(['custody_address', 'verified_address'], { description: 'What makes it a user’s.' }),
        { maxItems: 2, description: 'What makes an address a user’s; without it, both.' },
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
