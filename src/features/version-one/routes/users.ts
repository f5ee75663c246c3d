import { type TSchema, Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { ethAddressParameter, limitParameter, textParameter } from '../../../api/parameters.js'
import { hiddenFidsFor } from '../../../api/viewer.js'
import { type FollowSide, readFollows } from '../../../graph/query/follows.js'
import { findFidByUsername } from '../../../graph/query/users.js'
import { findLatestVerifier } from '../../../graph/query/verifications.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { EthAddress, Fid, MAX_INT32, nullable, Username } from '../../../graph/view/schema/primitives.js'
import type { User } from '../../../graph/view/schema/user.js'
import { priceOfItems } from '../../../platform/limits/work-prices.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import type { Operation, OperationContext } from '../../operation.js'
import { loadUsers } from '../loaders.js'
import { readRecentFids } from '../queries.js'
import { pageOf, TimedUser, VersionOneUser } from '../schema.js'
import { userOf } from '../views.js'
import { fid, lookupViewerFid, paging, required, versionOne } from './version-one-operation.js'

const userResult = Type.Object({ user: VersionOneUser })

const user = versionOne({
  tag: 'Users',
  path: 'user',
  summary: 'Get user by fid',
  query: Type.Object({ fid, viewerFid: lookupViewerFid }),
  result: userResult,
  handle: async (context, query) => ({
    user: userOf(await findUser(context, query.fid, 'fid', query.viewerFid)),
  }),
})

const userByUsername = versionOne({
  tag: 'Users',
  path: 'user-by-username',
  summary: 'Get user by username',
  query: Type.Object({
    username: textParameter({ description: 'Username, without `@`.' }),
    viewerFid: lookupViewerFid,
  }),
  result: userResult,
  handle: async (context, query) => {
    const found = await findFidByUsername(context.db, query.username)
    return { user: userOf(await findUser(context, found, 'username', query.viewerFid)) }
  },
})

const userByVerification = versionOne({
  tag: 'Users',
  path: 'user-by-verification',
  summary: 'Get user by verified address',
  query: Type.Object({ address: ethAddressParameter({ description: 'Verified address.' }) }),
  result: userResult,
  handle: async (context, { address }) => {
    const bytes = bytesOfHex(address)
    const fid = await findLatestVerifier(context.db, bytes)
    return { user: userOf(await findUser(context, fid ?? undefined, 'address')) }
  },
})

const custodyAddress = versionOne({
  tag: 'Users',
  path: 'custody-address',
  summary: 'Get custody address of a user',
  query: Type.Object({ fid }),
  result: Type.Object({ fid: Fid, custodyAddress: nullable(EthAddress) }),
  handle: async (context, query) => {
    const { custody_address } = await findUser(context, query.fid, 'fid')
    return { fid: query.fid, custodyAddress: custody_address }
  },
})

const verifications = versionOne({
  tag: 'Users',
  path: 'verifications',
  summary: 'Get verifications of a user',
  query: Type.Object({ fid }),
  result: Type.Object({
    fid: Type.String(),
    username: Username,
    display_name: Type.String(),
    verifications: Type.Array(EthAddress),
  }),
  handle: async (context, query) => {
    const found = await findUser(context, query.fid, 'fid')
    return {
      fid: String(found.fid),
      username: found.username,
      display_name: found.display_name ?? '',
      verifications: found.verifications,
    }
  },
})

async function findUser(
  context: OperationContext,
  found: number | null | undefined,
  property: string,
  viewer?: number,
): Promise<User> {
  const known = required(found, 'such user', property)
  return required((await loadUsers(context, [known], viewer)).get(known), 'such user', property)
}

const recentCursors = cursorKind('v1 recent users', keyPart.integer)

const recentUsers = versionOne({
  tag: 'Users',
  path: 'recent-users',
  // 100 by default.
  price: ({ limit }) => priceOfItems(Number(limit) || 100),
  summary: 'Get recently registered users',
  query: Type.Object({ ...paging, limit: limitParameter({ maximum: 1_000, default: 100 }) }),
  result: pageOf('users', VersionOneUser),
  handle: async (context, { viewerFid, limit, cursor }, caller) => {
    const [before] = recentCursors.decode(cursor) ?? [MAX_INT32]
    const hidden = await hiddenFidsFor(context, caller, viewerFid)
    const fids = await readRecentFids(context.db, { hidden, before, limit: limit + 1 })
    const { page, next } = recentCursors.page(fids, limit, (last) => [last])
    const users = await loadUsers(context, page, viewerFid)
    return { users: page.flatMap((each) => users.get(each) ?? []).map(userOf), next }
  },
})

const followCursors = cursorKind('v1 follows', keyPart.integer, keyPart.integer)

function followList(side: FollowSide): Operation {
  return versionOne({
    tag: 'Users',
    path: side,
    summary: side === 'followers' ? 'Get followers of a user' : 'Get users that a user follows',
    query: Type.Object({ fid, ...paging }),
    result: pageOf('users', TimedUser) as TSchema,
    handle: (context, query, caller) => followPage(context, side, query, caller),
  })
}

interface FollowQuery {
  readonly fid: number
  readonly viewerFid?: number
  readonly limit: number
  readonly cursor?: string
}

async function followPage(
  context: OperationContext,
  side: FollowSide,
  { fid, viewerFid, limit, cursor }: FollowQuery,
  caller: Caller,
) {
  const hidden = await hiddenFidsFor(context, caller, viewerFid)
  const query = { fid, side, hidden, limit: limit + 1 }
  const rows = await readFollows(context.db, query, followCursors.decode(cursor))
  const { page, next } = followCursors.page(rows, limit, (last) => [last.ts, last.fid])
  const users = await loadUsers(
    context,
    page.map((row) => row.fid),
    viewerFid,
  )
  const timed = page.flatMap((row) => {
    const found = users.get(row.fid)
    const timestamp = dateTimeOf(unixSecondsFromFarcasterSeconds(row.ts))
    return found ? [{ ...userOf(found), timestamp }] : []
  })
  return { users: timed, next }
}

/** Operations of version 1 on users. */
export const versionOneUsers: readonly Operation[] = [
  user,
  userByUsername,
  userByVerification,
  custodyAddress,
  verifications,
  recentUsers,
  followList('followers'),
  followList('following'),
]
