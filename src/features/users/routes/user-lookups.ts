import { Type } from '@sinclair/typebox'
import {
  ethAddressParameter,
  fidParameter,
  listParameter,
  textParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { findFidByCustody, findFidByUsername, findFidsByXUsername } from '../../../graph/query/users.js'
import { jsonArray } from '../../../graph/view/json.js'
import { BulkUsersResponse, UserResponse } from '../../../graph/view/schema/user.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'

/** `GET user/bulk` */
export const userBulk = defineOperation({
  method: 'GET',
  path: 'user/bulk',
  tag: 'Users',
  summary: 'Bulk fetch users by fids',
  description: 'Returns users in the order of `fids`. Fids that are not registered are left out.',
  query: Type.Object({
    fids: listParameter(fidParameter({ description: 'Fid of a user.' }), {
      maxItems: 100,
      description: 'Fids of users.',
    }),
    viewer_fid: viewerFidParameter,
  }),
  reply: BulkUsersResponse,

  async handle({ hydrator }, { fids, viewer_fid }) {
    const users = await hydrator.users(fids, viewer_fid)
    return `{"users":${jsonArray(fids.flatMap((fid) => users.get(fid) ?? []))}}`
  },
})

/** `GET user/by_username` */
export const userByUsername = defineOperation({
  method: 'GET',
  path: 'user/by_username',
  tag: 'Users',
  summary: 'Lookup user by username',
  description:
    'Case does not matter. A user without a name is found by its placeholder, `!` and the fid: `!7`.',
  query: Type.Object({
    username: textParameter({ description: 'Username, without `@`.', examples: ['dwr'] }),
    viewer_fid: viewerFidParameter,
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
    const address = Buffer.from(custody_address.slice(2), 'hex')
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
  tag: 'Users',
  summary: 'Lookup users by X username',
  description:
    'Users whose profile claims this name on X. Several users may claim one name: the best known come ' +
    'first, at most 100. Case does not matter.',
  query: Type.Object({
    x_username: textParameter({ description: 'Name on X, without `@`.', examples: ['dwr'] }),
    viewer_fid: viewerFidParameter,
  }),
  reply: BulkUsersResponse,
  notFound: 'No user claims this name on X.',

  async handle({ db, hydrator }, { x_username, viewer_fid }) {
    const fids = await findFidsByXUsername(db, x_username.replace(/^@/, ''))
    if (fids.length === 0) {
      throw new PlazaError('not_found', 'no user claims this name on X', { property: 'x_username' })
    }
    const users = await hydrator.users(fids, viewer_fid)
    return `{"users":${jsonArray(fids.flatMap((fid) => users.get(fid) ?? []))}}`
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
): Promise<string> {
  const user = fid === null ? undefined : (await hydrator.users([fid], viewerFid)).get(fid)
  if (user === undefined) throw new PlazaError('not_found', missing, { property })
  return `{"user":${user}}`
}
