import { Type } from '@sinclair/typebox'
import bs58 from 'bs58'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { listJson } from '../../../api/list-json.js'
import {
  chainAddressParameter,
  choiceParameter,
  ethAddressParameter,
  fidParameter,
  listLength,
  listParameter,
  lookupViewerFidParameter,
  pagingParameters,
  textParameter,
} from '../../../api/parameters.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import {
  findAddressHolders,
  findFidByCustody,
  findFidByUsername,
  findFidsByXUsername,
} from '../../../graph/query/users.js'
import { type Json, joined, json, jsonArray } from '../../../graph/view/json.js'
import { ChannelListResponse } from '../../../graph/view/schema/channel.js'
import { PlazaError } from '../../../platform/errors.js'
import { priceOfItems, priceOfUsers } from '../../../platform/limits/work-prices.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { readFollowedChannels } from '../../channels/channel-follows.js'
import { defineOperation } from '../../operation.js'
import { BulkUsersByAddressResponse, BulkUsersResponse, UserResponse } from '../schema/user.js'

/** `GET user/bulk` */
export const userBulk = defineOperation({
  method: 'GET',
  path: 'user/bulk',
  price: ({ fids }) => priceOfItems(listLength(fids)),
  isPublic: true,
  tag: 'Users',
  summary: 'Bulk fetch users by fids',
  description: 'Returns users in the order of `fids`. Fids that are not registered are left out.',
  query: Type.Object({
    fids: listParameter(fidParameter({ description: 'Fid of a user.' }), {
      maxItems: 100,
      description: 'Fids of users.',
    }),
    viewer_fid: lookupViewerFidParameter,
  }),
  reply: BulkUsersResponse,

  async handle({ hydrator }, { fids, viewer_fid }) {
    const users = await hydrator.users(fids, viewer_fid)
    return listJson(
      'users',
      fids.flatMap((fid) => users.get(fid) ?? []),
    )
  },
})

/** `GET user/by_username` */
export const userByUsername = defineOperation({
  method: 'GET',
  path: 'user/by_username',
  isPublic: true,
  tag: 'Users',
  summary: 'Lookup user by username',
  description:
    'Case does not matter. A user without a name is found by its placeholder, `!` and the fid: `!7`.',
  query: Type.Object({
    username: textParameter({ description: 'Username, without `@`.', examples: ['dwr'] }),
    viewer_fid: lookupViewerFidParameter,
  }),
  reply: UserResponse,
  notFound: 'No user has this name.',

  async handle({ db, hydrator }, { username, viewer_fid }) {
    return await requireUser(hydrator, await findFidByUsername(db, username), {
      viewerFid: viewer_fid,
      property: 'username',
      missing: 'no user has this name',
    })
  },
})

/** `GET user/custody-address` */
export const userByCustodyAddress = defineOperation({
  method: 'GET',
  path: 'user/custody-address',
  isPublic: true,
  tag: 'Users',
  summary: 'Lookup user by custody address',
  description:
    'Returns the user whose fid the address holds on chain. If the address holds several, the last one ' +
    'registered.',
  query: Type.Object({
    custody_address: ethAddressParameter({ description: 'Ethereum address that holds the fid on chain.' }),
  }),
  reply: UserResponse,
  notFound: 'The address holds no fid.',

  async handle({ db, hydrator }, { custody_address }) {
    const address = bytesOfHex(custody_address)
    return await requireUser(hydrator, await findFidByCustody(db, address), {
      property: 'custody_address',
      missing: `${custody_address} holds no fid`,
    })
  },
})

/** `GET user/by_x_username` */
export const usersByXUsername = defineOperation({
  method: 'GET',
  path: 'user/by_x_username',
  isPublic: true,
  tag: 'Users',
  summary: 'Lookup users by X username',
  description:
    'Users whose profile claims this name on X. Several users may claim one name: the best known come ' +
    'first, at most 100. Case does not matter.',
  query: Type.Object({
    x_username: textParameter({ description: 'Name on X, without `@`.', examples: ['dwr'] }),
    viewer_fid: lookupViewerFidParameter,
  }),
  reply: BulkUsersResponse,
  notFound: 'No user claims this name on X.',

  async handle({ db, hydrator }, { x_username, viewer_fid }) {
    const fids = await findFidsByXUsername(db, x_username.replace(/^@/, ''))
    if (fids.length === 0) {
      throw new PlazaError('not_found', 'no user claims this name on X', { property: 'x_username' })
    }
    const users = await hydrator.users(fids, viewer_fid)
    return listJson(
      'users',
      fids.flatMap((fid) => users.get(fid) ?? []),
    )
  },
})

/**
 * Renders the found user, or throws `not_found` with the parameter's name.
 *
 * @param missing The error text: `no user has this name`.
 */
async function requireUser(
  hydrator: Hydrator,
  fid: number | null,
  { viewerFid, property, missing }: { viewerFid?: number | undefined; property: string; missing: string },
): Promise<Json> {
  const user = fid === null ? undefined : (await hydrator.users([fid], viewerFid)).get(fid)
  if (user === undefined) throw new PlazaError('not_found', missing, { property })
  return json`{"user":${user}}`
}

const MAX_ADDRESSES = 350

/** `GET user/bulk-by-address` */
export const usersByAddress = defineOperation({
  method: 'GET',
  path: 'user/bulk-by-address',
  isPublic: true,
  tag: 'Users',
  summary: 'Bulk fetch users by Eth or Sol addresses',
  description:
    'Maps each address to its users: first the user whose custody address it is, then users who have verified it, ' +
    'oldest verification first, at most 100. Keys of Ethereum addresses are in lower case, also if the request has ' +
    'checksums. Addresses without a user are left out.',
  price: ({ addresses }) => priceOfItems(listLength(addresses)),
  query: Type.Object({
    addresses: listParameter(chainAddressParameter({ description: 'Address of a user.' }), {
      maxItems: MAX_ADDRESSES,
      description: 'Ethereum and Solana addresses.',
    }),
    address_types: Type.Optional(
      listParameter(
        choiceParameter(['custody_address', 'verified_address'], { description: 'Type of address.' }),
        { maxItems: 2, description: 'Types of addresses to match. Without it, both.' },
      ),
    ),
    viewer_fid: lookupViewerFidParameter,
  }),
  reply: BulkUsersByAddressResponse,

  async handle(context, { addresses, address_types: types, viewer_fid }, _caller, _headers, charge) {
    const { db, hydrator } = context
    const hexByKey = new Map(addresses.map((address) => [keyOf(address), bareHex(address)]))
    const holders = await findAddressHolders(
      db,
      [...hexByKey.values()].map((hex) => Buffer.from(hex, 'hex')),
      {
        custody: types?.includes('custody_address') ?? true,
        verified: types?.includes('verified_address') ?? true,
      },
    )
    const fidsByHex = new Map<string, Set<number>>()
    for (const { address, fid } of holders) {
      fidsByHex.set(address, (fidsByHex.get(address) ?? new Set()).add(fid))
    }
    const price = priceOfUsers([...fidsByHex.values()].reduce((sum, { size }) => sum + size, 0))
    if (price !== null) await charge(price)
    const users = await hydrator.users([...new Set(holders.map(({ fid }) => fid))], viewer_fid)
    const members = [...hexByKey].flatMap(([key, hex]) => {
      const fids = fidsByHex.get(hex) ?? []
      const found = [...fids].flatMap((fid) => users.get(fid) ?? [])
      return found.length > 0 ? [json`${key}:${jsonArray(found)}`] : []
    })
    return json`{${joined(members)}}`
  },
})

/** The key of an address in the reply: clients look it up by `address.toLowerCase()`. Base58 has one spelling. */
function keyOf(address: string): string {
  return address.startsWith('0x') ? address.toLowerCase() : address
}

function bareHex(address: string): string {
  return address.startsWith('0x')
    ? address.slice(2).toLowerCase()
    : Buffer.from(bs58.decode(address)).toString('hex')
}

const cursors = cursorKind('channels followed', keyPart.integer, keyPart.text)

/** `GET user/channels` */
export const userChannels = defineOperation({
  method: 'GET',
  path: 'user/channels',
  isPublic: true,
  tag: 'Channels',
  summary: 'Fetch channels that a user follows',
  description: 'Most recently followed first.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    ...pagingParameters(100, 25),
    viewer_fid: lookupViewerFidParameter,
  }),
  reply: ChannelListResponse,

  async handle({ db, hydrator }, { fid, limit, cursor, viewer_fid }) {
    const found = await readFollowedChannels(db, fid, limit + 1, cursors.decode(cursor))
    const { page, next } = cursors.page(found, limit, (last) => [last.followedAt, last.id])
    const channels = await hydrator.channels(
      page.map(({ id }) => id),
      viewer_fid,
    )
    const followed = page.flatMap(({ id }) => channels.get(id) ?? [])
    return listJson('channels', followed, next)
  },
})
