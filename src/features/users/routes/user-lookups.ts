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
  tag: 'User',
  summary: 'Users by their fids',
  description: 'In the order that was asked for. Fids that are not registered are left out.',
  query: Type.Object({
    fids: listParameter(fidParameter({ description: 'A user.' }), {
      maxItems: 100,
      description: 'Whom.',
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
  tag: 'User',
  summary: 'A user by its name',
  description: 'Capital letters count as small ones. A user without a name is found as it is shown: `!7`.',
  query: Type.Object({
    username: textParameter({ description: 'The name, without `@`.' }),
    viewer_fid: viewerFidParameter,
  }),
  reply: UserResponse,
  notFound: 'There is no user with this name.',

  async handle({ db, hydrator }, { username, viewer_fid }) {
    return await requireUser(hydrator, await findFidByUsername(db, username), {
      viewerFid: viewer_fid,
      property: 'username',
      missing: 'there is no user of this name',
    })
  },
})

/** `GET user/custody-address` */
export const userByCustodyAddress = defineOperation({
  method: 'GET',
  path: 'user/custody-address',
  tag: 'User',
  summary: 'The user that an address holds',
  description: 'The last one that was registered, if the address holds several.',
  query: Type.Object({
    custody_address: ethAddressParameter({ description: 'The address that holds the fid on chain.' }),
  }),
  reply: UserResponse,
  notFound: 'The address holds no user.',

  async handle({ db, hydrator }, { custody_address }) {
    const address = Buffer.from(custody_address.slice(2), 'hex')
    return await requireUser(hydrator, await findFidByCustody(db, address), {
      property: 'custody_address',
      missing: `${custody_address} holds no user`,
    })
  },
})

/** `GET user/by_x_username` */
export const usersByXUsername = defineOperation({
  method: 'GET',
  path: 'user/by_x_username',
  tag: 'User',
  summary: 'Users by their name on X',
  description: [
    'Users say of themselves which name they have on X, so there may be several: the best known come first,',
    'at most 100. Capital letters count as small ones.',
  ].join(' '),
  query: Type.Object({
    x_username: textParameter({ description: 'The name on X, without `@`.' }),
    viewer_fid: viewerFidParameter,
  }),
  reply: BulkUsersResponse,
  notFound: 'Nobody says to have this name on X.',

  async handle({ db, hydrator }, { x_username, viewer_fid }) {
    const fids = await findFidsByXUsername(db, x_username.replace(/^@/, ''))
    if (fids.length === 0) {
      throw new PlazaError('not_found', 'nobody says to have this name on X', { property: 'x_username' })
    }
    const users = await hydrator.users(fids, viewer_fid)
    return `{"users":${jsonArray(fids.flatMap((fid) => users.get(fid) ?? []))}}`
  },
})

/**
 * The reply of a look-up: the user that was found. Throws `not_found`, naming the parameter, when it was nobody.
 *
 * @param missing Who was not found: `there is no user of this name`.
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
