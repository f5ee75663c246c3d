import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import {
  choiceParameter,
  ethAddressParameter,
  flagParameter,
  pagingParameters,
  textParameter,
} from '../../../api/parameters.js'
import { MAX_INT32 } from '../../../graph/view/schema/primitives.js'
import { chainNames } from '../../../hub/chain/chains.js'
import type { Database } from '../../../platform/db/connection.js'
import { PlazaError, refusalError } from '../../../platform/errors.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { rpcOf } from '../on-demand-tokens.js'
import { checksummedAddress } from '../present-token.js'
import { TrackedTokenResponse, TrackedTokensResponse } from '../schema/token-admin.js'
import { backfillProgress, isBackfilled } from '../token.js'
import { reportedRpc } from '../token-metadata.js'
import { trackPool, trackToken, untrackToken } from '../tracked-tokens.js'
import { listTrackedTokens, type TrackedTokenRow } from './tracked-token-list.js'

const byId = cursorKind('tracked tokens by id', keyPart.int4)
const MAX_POOLS = 10

/** `GET /admin/tokens` */
export const listTrackedTokensOperation = defineAdminOperation({
  method: 'GET',
  path: 'tokens',
  summary: 'List tracked tokens',
  description: 'In the order in which they were added, with the progress of their backfill.',
  input: Type.Object({ ...pagingParameters(100, 25) }),
  reply: TrackedTokensResponse,

  async handle({ writerDb, tokenTracking }, { limit, cursor }) {
    const [after = 0] = byId.decode(cursor) ?? []
    const rows = await listTrackedTokens(writerDb, { after, limit: limit + 1 })
    const { page, next } = byId.page(rows, limit, ({ id }) => [id])
    return {
      networks: [...tokenTracking.rpcs.keys()],
      max_tracked_tokens: tokenTracking.maxTrackedTokens,
      tokens: page.map(tokenJson),
      next,
    }
  },
})

const tokenParams = Type.Object({
  id: Type.Integer({
    format: 'int32',
    minimum: 1,
    maximum: MAX_INT32,
    description: 'Id of the token.',
    examples: [7],
  }),
})

/** `POST /admin/tokens` */
export const trackTokenOperation = defineAdminOperation({
  method: 'POST',
  path: 'tokens',
  summary: 'Track a token',
  description:
    'Indexes the balances of an ERC-20 token from its first block, as `plaza token watch`. Repeat it to add pools: their ' +
    'swaps are recorded as trades from now on. 400 for an address without a token or pool, 501 for a network that is ' +
    'not followed, 502 when its RPC does not answer.',
  input: Type.Object({
    network: choiceParameter(chainNames, { description: 'A followed network.', examples: ['base'] }),
    address: ethAddressParameter({ description: 'Contract of the token.' }),
    pools: Type.Optional(
      Type.Array(ethAddressParameter({ description: 'Contract of a pool.' }), { maxItems: MAX_POOLS }),
    ),
    first_block: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'First block with transfers. Searched when it is left out.',
        examples: [31_180_908],
      }),
    ),
    logo: Type.Optional(
      textParameter({ description: 'URL of its picture.', examples: ['https://example.com/apple.png'] }),
    ),
    is_dollar: Type.Optional(
      flagParameter({ default: false, description: 'A unit is worth a dollar.', examples: [false] }),
    ),
  }),
  reply: TrackedTokenResponse,
  status: 201,

  async handle(
    { writerDb, tokenTracking },
    { network, address, pools = [], first_block: firstBlock, logo, is_dollar: isDollar },
  ) {
    const rpc = reportedRpc(rpcOf(tokenTracking, network))
    const tracked = await trackToken(writerDb, rpc, {
      address: bytesOfHex(address),
      trackedBy: 'operator',
      firstBlock,
      logo,
      ...(isDollar ? { isDollar } : {}),
    })
    if ('message' in tracked) throw refusalError(tracked, 'address')
    for (const pool of pools) {
      const tokens = await trackPool(writerDb, rpc, bytesOfHex(pool))
      if ('message' in tokens) throw refusalError(tokens, 'pools')
    }
    return { token: tokenJson(await requireToken(writerDb, tracked.id)) }
  },
})

/** `DELETE /admin/tokens/{id}` */
export const untrackTokenOperation = defineAdminOperation({
  method: 'DELETE',
  path: 'tokens/{id}',
  summary: 'Stop tracking a token',
  description:
    'Deletes its balances, its history and the pools that no other tracked token is in, as `plaza token unwatch`, and takes ' +
    '`is_dollar` back. Recorded trades stay. Returns the token as it was.',
  params: tokenParams,
  reply: TrackedTokenResponse,
  notFound: 'No tracked token has this id.',

  async handle({ writerDb }, _body, { id }) {
    const token = await requireToken(writerDb, id)
    const dropped = await untrackToken(writerDb, token.network, token.address)
    if (!dropped) throw unknownToken()
    return { token: tokenJson(token) }
  },
})

async function requireToken(db: Database, id: number): Promise<TrackedTokenRow> {
  const [token] = await listTrackedTokens(db, { ids: [id] })
  if (token === undefined) throw unknownToken()
  return token
}

function unknownToken(): PlazaError {
  return new PlazaError('not_found', 'no tracked token has this id', { property: 'id' })
}

function tokenJson(token: TrackedTokenRow) {
  const { id, network, name, symbol, decimals, logo, firstBlock, liveFrom, readTo, holders } = token
  const state = isBackfilled(token)
    ? 'done'
    : firstBlock === null || liveFrom === null
      ? 'waiting'
      : 'running'
  return {
    object: 'tracked_token' as const,
    id,
    network,
    address: checksummedAddress(token.address),
    name,
    symbol,
    decimals,
    logo,
    tracked_by: token.trackedBy,
    is_dollar: token.isDollar,
    price_usd: token.priceUsd,
    pools: token.pools.map(checksummedAddress),
    backfill: {
      state: state as 'waiting' | 'running' | 'done',
      progress: backfillProgress(token),
      first_block: firstBlock,
      next_block: readTo,
      end_block: liveFrom,
    },
    holders,
    requested_at: token.requestedAt.toISOString(),
  }
}
