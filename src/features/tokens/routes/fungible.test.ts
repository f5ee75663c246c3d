import type { Address } from 'viem'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startRpcProxy } from '../../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createSchemaWriter } from '../../../api/openapi-schema.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { HubEventType } from '../../../protocol/definitions.js'
import { SocialFungible } from '../schema/fungible.js'
import { followTokens } from '../testing/followed-tokens.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const chain = await startTestChain()
const proxy = await startRpcProxy(chain.url)
const CONFIRMATIONS = 2
const followed = followTokens({ db, chain, confirmations: CONFIRMATIONS, rpcUrls: [proxy.url] })
const tokenTracking = { rpcs: new Map([['base' as const, followed.rpc]]), maxTrackedTokens: 2 }
const { app, key, get } = await createTestApi({ db, hub, clock: () => testNowUnix * 1000, tokenTracking })

const [ann, bea, cid, dot, eli] = [1, 2, 3, 4, 5].map((fid) => new TestUser(fid)) as [
  TestUser,
  TestUser,
  TestUser,
  TestUser,
  TestUser,
]
/** An address that cid has verified. */
const second = Buffer.alloc(20, 0xc2)
const minter = chain.account(0)
let apple: Address
let pear: Address

async function mint(token: Address, to: Buffer, value: bigint): Promise<void> {
  const args = [`0x${to.toString('hex')}`, value]
  await chain.send(minter, { contract: 'Token', address: token, functionName: 'mint', args })
}

async function settle(): Promise<void> {
  await followed.catchUp()
  await chain.mine(CONFIRMATIONS + 1)
  await followed.catchUp()
}

async function ownersOf(query: Record<string, string | number>): Promise<{ top: number[]; all: number[] }> {
  const reply = await get('fungible/owner/relevant', { network: 'base', ...query })
  expect([reply.statusCode, reply.body]).toEqual([200, reply.body])
  const { top_relevant_fungible_owners_hydrated: top, all_relevant_fungible_owners_dehydrated: all } =
    reply.json()
  // Clients of before June 2025 read the same lists by other names.
  expect(reply.json()).toMatchObject({
    top_relevant_owners_hydrated: top,
    all_relevant_owners_dehydrated: all,
  })
  const fidsOf = (users: { fid: number }[]) => users.map(({ fid }) => fid)
  return { top: fidsOf(top), all: fidsOf(all) }
}

beforeAll(async () => {
  await hub.submitOnChainEvents([ann, bea, cid, dot, eli].flatMap((user) => user.onChain()))
  await db`insert into social.verifications values (3, ${second}::bytea, 0, 1, '')`
  await hub.submit([ann.link(2, testNow - 9), ann.link(3, testNow - 8), ann.link(4, testNow - 7)])
  apple = await chain.deployToken('Apple', 'APL', 18)
  pear = await chain.deployToken('Pear', 'PEAR', 6)
  await mint(apple, ann.custody, 5n)
  await mint(apple, bea.custody, 20n)
  // More than bea's, in two addresses that have less each.
  await mint(apple, cid.custody, 11n)
  await mint(apple, second, 12n)
  await mint(apple, eli.custody, 100n)
  await mint(apple, Buffer.alloc(20, 0xee), 10n ** 30n)
})

describe('fungible/owner/relevant', () => {
  it('incomplete index -> 202, never a partial list', async () => {
    const query = { contract_address: apple, network: 'base' }
    const first = await get('fungible/owner/relevant', query)
    expect(first.statusCode).toBe(202)
    expect(first.json()).toMatchObject({
      code: 'NotReady',
      tokens: [{ network: 'base', progress: 0 }],
      top_relevant_fungible_owners_hydrated: [],
      all_relevant_fungible_owners_dehydrated: [],
      top_relevant_owners_hydrated: [],
      all_relevant_owners_dehydrated: [],
    })
    expect(first.json().tokens[0].address.toLowerCase()).toBe(apple.toLowerCase())
    await followed.catchUp()
    expect((await get('fungible/owner/relevant', query)).statusCode).toBe(202)
    const patient = await createTestApi({ db, hub, tokenTracking: { ...tokenTracking, indexWaitMs: 30_000 } })
    const [waited] = await Promise.all([patient.get('fungible/owner/relevant', query), settle()])
    expect(waited.statusCode).toBe(200)
  })

  it('orders users by the sum over their addresses', async () => {
    expect(await ownersOf({ contract_address: apple })).toEqual({ top: [5, 3, 2, 1], all: [5, 3, 2, 1] })
  })

  it('of more than 200 users those with the largest sums are shown, and an address counts once', async () => {
    const addressOf = (number: number) => Buffer.alloc(20, `${number}`.padStart(20, '0'))
    const fids = Array.from({ length: 201 }, (_, index) => 1_001 + index)
    onTestFinished(async () => {
      await db`delete from tokens.balances where balance in (1000, 990)`
      await db`delete from social.verifications where fid > 1000`
      await db`delete from social.users where fid > 1000`
    })
    const custody = db.types.byteas(fids.map(addressOf))
    await db`
      insert into social.users (fid, custody_address, registered_at)
      select fid, address, 1 from unnest(${fids}::bigint[], ${custody}::bytea[]) as u (fid, address)`
    // The custody address of one is verified by it as well; that of another is one of three.
    for (const [fid, address] of [
      [1_001, 1_001],
      [1_201, 1_202],
      [1_201, 1_203],
    ] as const)
      await db`insert into social.verifications values (${fid}, ${addressOf(address)}::bytea, 0, 1, '')`
    const holders = db.types.byteas([...fids, 1_202, 1_203].map(addressOf))
    await db`
      insert into tokens.balances (token_id, holder, balance)
      select t.id, holder, case when ordinality > 200 then 990 else 1000 end
      from unnest(${holders}::bytea[]) with ordinality as h (holder, ordinality)
      join tokens.tokens t on t.address = ${Buffer.from(apple.slice(2), 'hex')}::bytea`
    const { all } = await ownersOf({ contract_address: apple })
    expect(all).toHaveLength(200)
    expect(all.slice(0, 2)).toEqual([1_201, 1_001])
  })

  it('networks of older clients: one network, or ignored beside network', async () => {
    const statusOf = async (query: Record<string, string>) => {
      const reply = await get('fungible/owner/relevant', { contract_address: apple, ...query })
      return [reply.statusCode, reply.json().property]
    }
    expect(await statusOf({ networks: 'base' })).toEqual([200, undefined])
    expect(await statusOf({ networks: 'optimism', network: 'base' })).toEqual([200, undefined])
    // The owners of one network are not the owners of two.
    expect(await statusOf({ networks: 'base,optimism' })).toEqual([400, 'networks'])
    expect(await statusOf({})).toEqual([400, 'network'])
  })

  it('viewer_fid -> followed users first, with viewer_context', async () => {
    expect(await ownersOf({ contract_address: apple, viewer_fid: 1 })).toEqual({
      top: [3, 2, 5, 1],
      all: [3, 2, 5, 1],
    })
    const reply = await get('fungible/owner/relevant', {
      contract_address: apple,
      network: 'base',
      viewer_fid: 1,
    })
    const [top] = reply.json().top_relevant_fungible_owners_hydrated
    expect(top.viewer_context).toMatchObject({ following: true, followed_by: false })
  })

  it('leaves out users hidden from the viewer', async () => {
    await db`insert into moderation.mutes (fid, target_fid, muted_at) values (1, 3, 1)`
    expect(await ownersOf({ contract_address: apple, viewer_fid: 1 })).toEqual({
      top: [2, 5, 1],
      all: [2, 5, 1],
    })
    await hub.submit([bea.link(1, testNow - 5, { type: 'block' })])
    expect(await ownersOf({ contract_address: apple, viewer_fid: 1 })).toEqual({ top: [5, 1], all: [5, 1] })
    expect((await ownersOf({ contract_address: apple })).all).toEqual([5, 3, 2, 1])
  })

  it('transfers change the list', async () => {
    const reply = await get('fungibles', { fungibles: `eip155:10/erc20:${apple}` })
    expect(reply.json().fungibles[0].fungible.total_supply).toBe('1000000000000.000000000000000148')
    await mint(apple, dot.custody, 1_000n)
    await followed.catchUp()
    expect((await ownersOf({ contract_address: apple })).all).toEqual([4, 5, 3, 2, 1])
    expect((await ownersOf({ contract_address: apple, viewer_fid: 1 })).all).toEqual([4, 5, 1])
  })

  it('caches a list briefly; a mute and a whole list of links invalidate it', async () => {
    const clock = () => testNowUnix * 1000
    const hydrator = new Hydrator({ db, clock, locationOf: () => null, maxViews: 1_000 })
    const cachingApi = await createTestApi({ db, hub, clock, hydrator, tokenTracking })
    const query = { contract_address: apple, network: 'base', viewer_fid: 1 }
    const fids = async () => {
      const { all_relevant_fungible_owners_dehydrated: all } = (
        await cachingApi.get('fungible/owner/relevant', query)
      ).json()
      return all.map(({ fid }: { fid: number }) => fid)
    }
    expect(await fids()).toEqual([4, 5, 1])
    await db`insert into social.follows (fid, target_fid, ts, signer) values (1, 5, 1, '')`
    expect(await fids()).toEqual([4, 5, 1])
    expect((await cachingApi.send('POST', 'mute', { fid: 1, muted_fid: 4 })).statusCode).toBe(200)
    expect(await fids()).toEqual([5, 1])
    const [block] = await db`delete from social.blocks where fid = 2 and target_fid = 1 returning *`
    expect(await fids()).toEqual([5, 1])
    const message = bea.compactLinks([], testNow, 'block')
    const body = { type: HubEventType.MERGE_MESSAGE as const, message, deletedMessages: [] }
    hydrator.invalidation.applyEvents([{ body }])
    expect(await fids()).toEqual([5, 2, 1])
    await db`insert into social.blocks ${db(block!)}`
  })

  it('refuses non-tokens, other networks and too many tokens', async () => {
    const ask = (contract_address: string, network = 'base') =>
      get('fungible/owner/relevant', { contract_address, network })
    const none = await ask(`0x${'77'.repeat(20)}`)
    expect(none.statusCode).toBe(400)
    expect(none.json()).toMatchObject({ property: 'contract_address' })
    expect((await ask(apple, 'ethereum')).json()).toMatchObject({ status: 501, property: 'network' })
    for (const networks of ['ethereum', 'solana']) {
      const former = await get('fungible/owner/relevant', { contract_address: apple, networks })
      expect(former.json()).toMatchObject({ status: 501, property: 'networks' })
    }
    expect((await ask('apple')).statusCode).toBe(400)
    expect((await ask(apple, 'solana')).statusCode).toBe(501)
    expect((await ask(pear)).statusCode).toBe(202)
    const third = await chain.deployToken('Plum', 'PLUM', 18)
    const refused = await ask(third)
    expect([refused.statusCode, refused.json().message]).toEqual([
      404,
      expect.stringContaining('plaza token watch'),
    ])
    await followed.watch(third)
    expect((await ask(third)).statusCode).toBe(202)
  })

  it.each([
    ['fungible/owner/relevant', 'contract_address'],
    ['fungible/owner/relevant/bulk', 'contract_addresses'],
  ])('%s: a Solana mint is a 501 on solana and a 400 elsewhere', async (path, property) => {
    const ask = (network: string, mints: string) => get(path, { network, [property]: mints })
    const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
    const onSolana = await ask('solana', usdc)
    expect([onSolana.statusCode, onSolana.json()]).toMatchObject([
      501,
      { code: 'NotImplemented', message: 'tokens of Solana are not indexed', property: 'network' },
    ])
    const onBase = await ask('base', usdc)
    expect([onBase.statusCode, onBase.json()]).toMatchObject([
      400,
      { message: `${property} must be an Ethereum address on base: 0x and 40 hex digits`, property },
    ])
    expect((await ask('arbitrum', usdc)).statusCode).toBe(501)
    expect((await ask('solana', 'apple')).statusCode).toBe(400)
  })

  it('chain unreachable -> known tokens still work', async () => {
    proxy.faults = { stopped: true }
    expect((await ownersOf({ contract_address: apple })).all).toHaveLength(5)
    await db`update tokens.tokens set tracked_by = 'operator'`
    const unknown = await get('fungible/owner/relevant', {
      contract_address: `0x${'78'.repeat(20)}`,
      network: 'base',
    })
    expect(unknown.statusCode).toBe(502)
    proxy.faults = {}
  })
})

describe('fungible/owner/relevant/bulk', () => {
  it('keys are the addresses of the request', async () => {
    await mint(pear, bea.custody, 1n)
    await settle()
    await settle()
    const uppercaseAddress = pear.toUpperCase().replace('0X', '0x')
    const reply = await get('fungible/owner/relevant/bulk', {
      contract_addresses: `${apple}, ${uppercaseAddress}`,
      network: 'base',
    })
    expect(reply.statusCode).toBe(200)
    const tokens = reply.json()
    expect(Object.keys(tokens)).toEqual([apple, uppercaseAddress])
    const fids = (address: string) =>
      tokens[address].all_relevant_fungible_owners_dehydrated.map((user: { fid: number }) => user.fid)
    expect(fids(apple)).toEqual([4, 5, 3, 2, 1])
    expect(fids(uppercaseAddress)).toEqual([2])
  })

  it('one incomplete token -> 202', async () => {
    const freshToken = await chain.deployToken('Fig', 'FIG', 18)
    const reply = await get('fungible/owner/relevant/bulk', {
      contract_addresses: `${apple},${freshToken}`,
      network: 'base',
    })
    expect(reply.statusCode).toBe(202)
    // Typed clients go through the values of the map: all have lists.
    expect(Object.keys(reply.json())).toEqual([apple, freshToken])
    for (const value of Object.values(reply.json())) {
      expect(value).toMatchObject({
        top_relevant_fungible_owners_hydrated: [],
        all_relevant_fungible_owners_dehydrated: [],
        code: 'NotReady',
        tokens: [{ network: 'base', progress: 0 }],
      })
    }
  })

  it('more than ten tokens -> 400', async () => {
    const contract_addresses = Array.from({ length: 11 }, (_, n) => `0x${String(n).padStart(40, '0')}`).join(
      ',',
    )
    expect(
      (await get('fungible/owner/relevant/bulk', { contract_addresses, network: 'base' })).statusCode,
    ).toBe(400)
  })
})

describe('fungibles', () => {
  it('shows details, supply and cast count', async () => {
    const name = `eip155:10/erc20:${pear.toLowerCase()}`
    await hub.submit([
      ann.cast('look', testNow - 4, { embeds: [{ url: name }] }),
      bea.cast('look', testNow - 4, { embeds: [{ url: name }] }),
    ])
    const unknown = await chain.deployToken('Kiwi', 'KIWI', 3)
    const reply = await get('fungibles', {
      fungibles: `${name},eip155:10/erc20:${unknown},eip155:10/erc20:0x${'77'.repeat(20)}`,
    })
    expect(reply.statusCode).toBe(200)
    expect(reply.json().fungibles).toMatchObject([
      {
        object: 'farcaster_fungible',
        cast_count: 2,
        fungible: { name: 'Pear', symbol: 'PEAR', decimals: 6, network: 'base', total_supply: '0.000001' },
      },
      { cast_count: 0, fungible: { name: 'Kiwi', decimals: 3, total_supply: null } },
    ])
    const [seen] = (await get('fungibles', { fungibles: name, viewer_fid: 1 })).json().fungibles
    expect(seen.cast_count).toBe(1)
  })

  it('`object` is by the path, and the document has both names', async () => {
    const url = `/fungibles?fungibles=eip155:10/erc20:${pear.toLowerCase()}`
    const objects: unknown[] = []
    for (const prefix of ['/v2/social', '/v2/farcaster']) {
      const reply = await app.inject({ url: `${prefix}${url}`, headers: { 'x-api-key': key } })
      objects.push(reply.json().fungibles[0].object)
    }
    expect(objects).toEqual(['social_fungible', 'farcaster_fungible'])
    const writer = createSchemaWriter()
    writer.write(SocialFungible)
    expect(writer.components.SocialFungible).toMatchObject({ properties: { object: { enum: objects } } })
  })

  it('lists a token once, with the casts of all spellings that the request has', async () => {
    const lower = `eip155:10/erc20:${pear.toLowerCase()}`
    const upper = `eip155:10/erc20:0x${pear.slice(2).toUpperCase()}`
    await hub.submit([ann.cast('look again', testNow - 3, { embeds: [{ url: upper }] })])
    const countsOf = async (names: string) =>
      (await get('fungibles', { fungibles: names }))
        .json()
        .fungibles.map(({ cast_count }: { cast_count: number }) => cast_count)
    expect(await countsOf(lower)).toEqual([2])
    expect(await countsOf(`${lower},${upper}`)).toEqual([3])
  })

  it('refuses invalid names and other chains', async () => {
    expect((await get('fungibles', { fungibles: pear })).statusCode).toBe(400)
    expect((await get('fungibles', { fungibles: `eip155:1/erc20:${pear}` })).statusCode).toBe(501)
  })
})

describe('user/balance', () => {
  it('shows balances of each address in indexed tokens', async () => {
    const reply = await get('user/balance', { fid: 3, networks: 'base' })
    expect(reply.statusCode).toBe(200)
    const { user, address_balances: addresses } = reply.json().user_balance
    expect(user.fid).toBe(3)
    const amounts = addresses.map(
      (each: { verified_address: { address: string }; token_balances: object[] }) => [
        each.verified_address.address,
        each.token_balances,
      ],
    )
    const token = { name: 'Apple', symbol: 'APL', decimals: 18, object: 'token' }
    expect(Object.fromEntries(amounts)).toMatchObject({
      [`0x${cid.custody.toString('hex')}`]: [
        { token, balance: { in_token: '0.000000000000000011', in_usdc: '0' } },
      ],
      [`0x${second.toString('hex')}`]: [
        { token, balance: { in_token: '0.000000000000000012', in_usdc: '0' } },
      ],
    })
  })

  it('no tokens -> empty; no user -> 404', async () => {
    const nothing = new TestUser(6)
    await hub.submitOnChainEvents(nothing.onChain())
    expect(
      (await get('user/balance', { fid: 6, networks: 'base' })).json().user_balance.address_balances,
    ).toEqual([])
    expect((await get('user/balance', { fid: 7, networks: 'base' })).statusCode).toBe(404)
    const unknown = await get('user/balance', { fid: 6, networks: 'base,arbitrum' })
    expect([unknown.statusCode, unknown.json().property]).toEqual([501, 'networks'])
  })
})
