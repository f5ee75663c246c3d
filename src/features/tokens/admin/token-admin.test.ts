import { getAddress } from 'viem'
import { expect, it } from 'vitest'
import { startRpcProxy } from '../../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { followTokens } from '../testing/followed-tokens.js'
import { listTrackedTokens } from './tracked-token-list.js'

const { db, connect } = await createTestDatabase()
const chain = await startTestChain()
const followed = followTokens({ db, chain, confirmations: 2, rpcUrls: [chain.url] })
const tokenTracking = { rpcs: new Map([['base' as const, followed.rpc]]), maxTrackedTokens: 2 }
const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { app } = await createTestApi({ db, adminToken, tokenTracking })
const proxy = await startRpcProxy(chain.url)
const behindProxy = followTokens({ db, chain, confirmations: 2, rpcUrls: [proxy.url] })
const { app: appBehindProxy } = await createTestApi({
  db,
  adminToken,
  tokenTracking: { rpcs: new Map([['base' as const, behindProxy.rpc]]), maxTrackedTokens: 2 },
})

/** Selector of `token0()`, which pools alone are asked. */
const TOKEN0 = '0x0dfe1681'

async function admin(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object, server = app) {
  const reply = await server.inject({
    method,
    url: `/admin/${path}`,
    headers: { authorization: `Bearer ${adminToken}` },
    ...(payload && { payload }),
  })
  return { status: reply.statusCode, ...reply.json() }
}

it('a token is tracked, backfilled and dropped with its balances', async () => {
  const address = getAddress(await chain.deployToken('Apple', 'APL', 18))
  const args = [`0x${'e1'.repeat(20)}`, 5n]
  await chain.send(chain.account(0), { contract: 'Token', address, functionName: 'mint', args })
  expect(await admin('GET', 'tokens')).toMatchObject({
    networks: ['base'],
    max_tracked_tokens: 2,
    tokens: [],
  })
  const { status, token } = await admin('POST', 'tokens', { network: 'base', address })
  expect([status, token]).toMatchObject([
    201,
    {
      address,
      symbol: 'APL',
      tracked_by: 'operator',
      pools: [],
      holders: 0,
      backfill: { state: 'waiting', progress: 0 },
    },
  ])
  await followed.catchUp()
  await chain.mine(3)
  await followed.catchUp()
  const { tokens } = await admin('GET', 'tokens')
  expect(tokens).toMatchObject([{ id: token.id, holders: 1, backfill: { state: 'done', progress: 1 } }])
  expect(await admin('DELETE', `tokens/${token.id}`)).toMatchObject({ status: 200, token: { holders: 1 } })
  expect((await admin('GET', 'tokens')).tokens).toEqual([])
  expect(await db`select from tokens.balances`).toHaveLength(0)
  expect(await admin('DELETE', `tokens/${token.id}`)).toMatchObject({ status: 404 })
  // A first block that was wrong can be given anew.
  for (const first_block of [5, 2]) {
    await admin('POST', 'tokens', { network: 'base', address, first_block })
    expect(await db`select first_block from tokens.tokens where id = ${token.id}`).toEqual([{ first_block }])
    await admin('DELETE', `tokens/${token.id}`)
  }
})

it('a page of the list is of one moment: a token that is dropped meanwhile does not end the list', async () => {
  const statements: string[] = []
  const counting = connect({ onStatement: (sql) => statements.push(sql) })
  await db`
    insert into tokens.tokens (network, address, name, symbol, decimals, tracked_by, requested_at)
    select 'base', decode(lpad(n::text, 40, '0'), 'hex'), 'Pear', 'PEA', 18, 'request', now() from generate_series(1, 3) n`
  const rows = await listTrackedTokens(counting, { after: 0, limit: 3 })
  expect(rows).toMatchObject([1, 2, 3].map(() => ({ symbol: 'PEA', holders: 0, pools: [] })))
  expect(statements).toHaveLength(1)
  await db`delete from tokens.tokens where symbol = 'PEA'`
})

it('the list refuses a cursor of an id that no column holds', async () => {
  const cursor = Buffer.from('["tracked tokens by id",99999999999]').toString('base64url')
  expect(await admin('GET', `tokens?cursor=${cursor}`)).toMatchObject({ status: 400, property: 'cursor' })
})

it('what is no token, no pool or not followed is refused', async () => {
  const address = `0x${'e2'.repeat(20)}`
  expect(await admin('POST', 'tokens', { network: 'base', address })).toMatchObject({
    status: 400,
    property: 'address',
  })
  expect(await admin('POST', 'tokens', { network: 'arbitrum', address })).toMatchObject({
    status: 501,
    property: 'network',
  })
})

it('an RPC that does not answer -> 502, for a token and for a pool', async () => {
  const address = getAddress(await chain.deployToken('Fig', 'FIG', 18))
  const failed = {
    status: 502,
    code: 'OtherSideFailed',
    message: expect.stringContaining('base does not answer'),
  }
  const body = { network: 'base', address, pools: [address] }
  proxy.faults = { stopped: true }
  expect(await admin('POST', 'tokens', body, appBehindProxy)).toMatchObject(failed)
  proxy.faults = {
    hold: async (_method, params) => {
      if (JSON.stringify(params).includes(TOKEN0)) throw new Error('the connection is cut')
    },
  }
  expect(await admin('POST', 'tokens', body, appBehindProxy)).toMatchObject(failed)
})
