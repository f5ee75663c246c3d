import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { createTestDatabase } from '../database.js'
import { storeTokens, TOKEN, tokenTrackingSettings } from '../house/token-scene.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow, testNowUnix } from '../network.js'
import { connectClient } from './served-api.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const { app, key } = await createTestApi({
  db,
  hub,
  clock: () => testNowUnix * 1000,
  tokenTracking: tokenTrackingSettings,
})
const client = connectClient(await app.listen({ host: '127.0.0.1', port: 0 }), key)
afterAll(() => app.close())

const fidsOf = (users: readonly { fid: number }[]) => users.map(({ fid }) => fid)

beforeAll(async () => {
  const [alice, bob, carol] = [new TestUser(1), new TestUser(2), new TestUser(3)]
  await hub.submitOnChainEvents([alice, bob, carol].flatMap((user) => user.onChain()))
  await hub.submit([alice.link(2, testNow - 9)])
  await storeTokens(db)
})

describe('the published client', () => {
  it('gets the owners of a token, for everybody and for a viewer', async () => {
    const owners = await client.fetchRelevantFungibleOwners({ contractAddress: TOKEN, network: 'base' })
    expect(fidsOf(owners.top_relevant_fungible_owners_hydrated)).toEqual([3, 2, 1])
    const bulk = await client.fetchBulkRelevantFungibleOwners({
      contractAddresses: [TOKEN],
      network: 'base',
      viewerFid: 1,
    })
    expect(fidsOf(bulk[TOKEN]!.all_relevant_fungible_owners_dehydrated)).toEqual([2, 3, 1])
    expect(bulk[TOKEN]!.top_relevant_fungible_owners_hydrated[0]!.viewer_context?.following).toBe(true)
  })

  it('gets tokens, what a user owns, trades and what trends', async () => {
    const { fungibles } = await client.fetchFungibles({ fungibles: `eip155:8453/erc20:${TOKEN}` })
    expect(fungibles[0]!.fungible).toMatchObject({ symbol: 'APL', network: 'base' })
    const balance = await client.fetchUserBalance({ fid: 2, networks: ['base'] })
    expect(balance.user_balance?.address_balances[0]?.token_balances[0]?.balance.in_token).toBe(
      '0.000000000000002',
    )
    const { trades } = await client.fetchFungibleTrades({ network: 'base', address: TOKEN })
    expect(fidsOf(trades.map(({ trader }) => trader))).toEqual([2])
    const { trending } = await client.fetchTrendingFungibles({ network: 'base' })
    expect(trending[0]!.fungible.price).toEqual({ in_usd: '2' })
  })
})
