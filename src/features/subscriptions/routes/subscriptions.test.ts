import { randomUUID } from 'node:crypto'
import { type Address, getAddress, type Hex, toFunctionSelector, zeroAddress } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { deploy } from '../../../../scripts/dev-chain.mjs'
import { startTestChain } from '../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { ChainRpc } from '../../../hub/chain/chain-rpc.js'
import { readChainSettings } from '../../../hub/chain/chain-settings.js'
import { ChainFollower } from '../../../hub/chain/follower.js'
import { silentLog } from '../../../platform/log/log.js'
import type { FollowedContract } from '../settings.js'
import { subscriptionHandler } from '../subscription-handler.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const chain = await startTestChain()
const CONFIRMATIONS = 2
const settings = readChainSettings({
  rpcUrls: { base: chain.url },
  ids: 'base=10',
  confirmations: CONFIRMATIONS,
})
const rpc = new ChainRpc(settings.chains.get('base')!, { log: silentLog, clock: Date.now })
const holder = { id: randomUUID(), locks: db }
const tokenTracking = { rpcs: new Map([['base' as const, rpc]]), maxTrackedTokens: 0 }
const contracts: FollowedContract[] = []
const { get } = await createTestApi({ db, tokenTracking, subscriptions: { contracts } })
const [creator, ann, bea, nobody] = [1, 2, 3, 4].map((index) => chain.account(index)) as [
  ReturnType<typeof chain.account>,
  ReturnType<typeof chain.account>,
  ReturnType<typeof chain.account>,
  ReturnType<typeof chain.account>,
]
const DAY = 86_400n
const ART = { image: 'https://garden.example/art.png' }
const dataUri = `data:application/json;base64,${Buffer.from(JSON.stringify(ART)).toString('base64')}`
let first: Address
let second: Address
let unfollowed: Address

const tier = (price: bigint, seconds: number) => ({
  periodDurationSeconds: seconds,
  maxSupply: 0,
  maxCommitmentSeconds: 0,
  startTimestamp: 0,
  endTimestamp: 0,
  rewardCurveId: 0,
  rewardBasisPoints: 0,
  paused: false,
  transferrable: true,
  initialMintPrice: 9n,
  pricePerPeriod: price,
  gate: { gateType: 0, contractAddress: zeroAddress, componentId: 0n, balanceMin: 0n },
})

const grantFirst = (accounts: readonly Address[], time: bigint, address = first) =>
  chain.send(creator, {
    contract: 'SubscriptionTokenV1',
    address,
    functionName: 'grantTime',
    args: [accounts, time],
  })

const onSecond = (functionName: string, args: readonly unknown[]) =>
  chain.send(creator, { contract: 'SubscriptionTokenV2', address: second, functionName, args })

async function follow(): Promise<void> {
  await chain.mine(CONFIRMATIONS + 1)
  const follower = new ChainFollower(subscriptionHandler(rpc, contracts)!, { db, rpc, holder })
  while ((await follower.step()) !== 'caughtUp');
  await follower.release()
}

async function list(path: string, query: Record<string, string | number>) {
  const reply = await get(`user/${path}`, { subscription_provider: 'fabric_stp', ...query })
  expect([reply.statusCode, reply.body]).toEqual([200, reply.body])
  return reply.json()[path]
}

beforeAll(async () => {
  for (const [index, account] of [creator, ann, bea].entries()) {
    const custody = Buffer.from(account.address.slice(2), 'hex')
    await hub.submitOnChainEvents(Object.assign(new TestUser(index + 1), { custody }).onChain())
  }
  const { token } = chain.addresses
  const deployFirst = async (uri: string, payment: Address) => {
    const args = ['Garden club', 'GARDEN', uri, creator.address, 5n, 2_592_000n, payment]
    return getAddress(await deploy(chain.client, 'SubscriptionTokenV1', args))
  }
  first = await deployFirst(dataUri, token)
  const args = ['Tree club', 'TREE', '', creator.address, zeroAddress]
  second = getAddress(await deploy(chain.client, 'SubscriptionTokenV2', args))
  unfollowed = await deployFirst('', zeroAddress)
  await onSecond('createTier', [tier(100n, 3_600)])
  await onSecond('createTier', [tier(700n, 86_400)])
  contracts.push(
    { network: 'base', address: first.toLowerCase() as Hex },
    { network: 'base', address: second.toLowerCase() as Hex },
    // An operator's mistake: not a subscription contract.
    { network: 'base', address: token.toLowerCase() as Hex },
  )
  await grantFirst([ann.address, nobody.address], 30n * DAY)
  await onSecond('grantTime', [ann.address, 5n * DAY, 2])
  await onSecond('grantTime', [bea.address, 1n * DAY, 1])
  await follow()
})

describe('user/subscribed_to', () => {
  it('lists active subscriptions, latest first, with contract, tier and creator', async () => {
    const items = await list('subscribed_to', { fid: 2, viewer_fid: 3 })
    expect(items).toHaveLength(2)
    expect(items[0]).toMatchObject({
      object: 'subscription',
      provider_name: 'fabric_stp',
      contract_address: second,
      chain: 10,
      protocol_version: 2,
      metadata: { title: 'Tree club', symbol: 'TREE', art_url: '' },
      owner_address: creator.address,
      price: { period_duration_seconds: 3_600, tokens_per_period: '100', initial_mint_price: '9' },
      tier: {
        id: 2,
        price: { period_duration_seconds: 86_400, tokens_per_period: '700', initial_mint_price: '9' },
      },
      token: { symbol: 'ETH', address: null, decimals: 18, erc20: false },
      creator: { object: 'user', fid: 1, viewer_context: { following: false } },
    })
    expect(items[0].tiers.map(({ id }: { id: number }) => id)).toEqual([1, 2])
    expect(items[1]).toMatchObject({
      contract_address: first,
      protocol_version: 1,
      metadata: { title: 'Garden club', art_url: ART.image },
      price: { period_duration_seconds: 2_592_000, tokens_per_period: '12960000', initial_mint_price: '0' },
      tiers: [],
      token: { symbol: 'USDC', address: getAddress(chain.addresses.token), decimals: 6, erc20: true },
    })
    const [from, until] = [Date.parse(items[1].subscribed_at), Date.parse(items[1].expires_at)]
    expect(until - from).toBe(Number(30n * DAY) * 1000)
  })

  it('leaves out contracts of users who are hidden from the viewer', async () => {
    await db`insert into social.blocks ${db({ fid: 3, target_fid: 1, ts: 1 })}`
    expect(await list('subscribed_to', { fid: 2, viewer_fid: 3 })).toEqual([])
    expect(await list('subscribed_to', { fid: 2 })).toHaveLength(2)
    await db`delete from social.blocks`
  })

  it('a verified address counts, an expired subscription does not', async () => {
    expect(await list('subscribed_to', { fid: 3 })).toHaveLength(1)
    await db`
      insert into social.verifications
      values (3, ${Buffer.from(nobody.address.slice(2), 'hex')}::bytea, 0, 1, '')`
    expect(await list('subscribed_to', { fid: 3 })).toHaveLength(2)
    await chain.send(creator, {
      contract: 'SubscriptionTokenV1',
      address: first,
      functionName: 'revokeTime',
      args: [nobody.address],
    })
    expect(await list('subscribed_to', { fid: 3 })).toHaveLength(1)
  })

  it('a contract whose owner is no user is left out', async () => {
    await onSecond('setOwner', [nobody.address])
    await db`delete from social.verifications where fid = 3`
    expect(await list('subscribed_to', { fid: 2 })).toMatchObject([{ contract_address: first }])
    await onSecond('setOwner', [creator.address])
  })
})

describe('user/subscribers', () => {
  it('lists users with an active subscription, latest first', async () => {
    const items = await list('subscribers', { fid: 1 })
    expect(items).toMatchObject([
      { object: 'subscriber', user: { fid: 3 }, subscribed_to: { contract_address: second, tier_id: '1' } },
      { user: { fid: 2 }, subscribed_to: { contract_address: second, tier_id: '2' } },
      { user: { fid: 2 }, subscribed_to: { contract_address: first, protocol_version: 1, chain: 10 } },
    ])
    expect(items[2].subscribed_to).not.toHaveProperty('tier_id')
  })

  it('lists those who pay behind hundreds of later ones whose subscriptions have expired', async () => {
    const before = await list('subscribers', { fid: 1 })
    await db`
      insert into social.users (fid, custody_address, registered_at)
      select 1000 + n, decode('ee' || lpad(to_hex(n), 38, '0'), 'hex'), 0 from generate_series(1, 600) n`
    await db`
      insert into subscriptions.subscribers (network, contract, account, subscribed_at, block)
      select 'base', ${Buffer.from(first.slice(2), 'hex')}, custody_address, 9000000000, 1
      from social.users where fid > 1000`
    expect(await list('subscribers', { fid: 1 })).toEqual(before)
    await db`delete from subscriptions.subscribers where subscribed_at = 9000000000`
  })

  it('leaves out users hidden from the viewer', async () => {
    await db`insert into moderation.mutes (fid, target_fid, muted_at) values (3, 2, 1)`
    expect(await list('subscribers', { fid: 1, viewer_fid: 3 })).toMatchObject([{ user: { fid: 3 } }])
  })

  it('a user without contracts -> an empty list', async () => {
    expect(await list('subscribers', { fid: 2 })).toEqual([])
  })

  it('paragraph -> 501 with the reason', async () => {
    const reply = await get('user/subscribers', { fid: 1, subscription_provider: 'paragraph' })
    expect([reply.statusCode, reply.json().code]).toEqual([501, 'NotImplemented'])
    expect(reply.json().message).toContain('user/subscribers')
  })
})

describe('user/subscriptions_created', () => {
  it('lists the contracts of the user', async () => {
    const items = await list('subscriptions_created', { fid: 1 })
    const [{ subscriptions_created: created }] = items
    expect(created.map((each: { contract_address: string }) => each.contract_address)).toEqual([
      first,
      second,
    ])
    expect(await list('subscriptions_created', { fid: 2 })).toEqual([])
  })
})

describe('stp/subscription_check', () => {
  const check = async (contract: Address, addresses: readonly string[], chainId = '10') =>
    await get('/stp/subscription_check', {
      addresses: addresses.join(','),
      contract_address: contract,
      chain_id: chainId,
    })

  it('answers by the addresses as spelled, in milliseconds', async () => {
    const lower = ann.address.toLowerCase()
    const reply = (await check(second, [lower, nobody.address])).json()
    expect(reply[lower]).toMatchObject({ object: 'subscribed_to_dehydrated', status: true, tier: { id: 2 } })
    expect(reply[lower].expires_at - reply[lower].subscribed_at).toBe(Number(5n * DAY) * 1000)
    expect(reply[nobody.address]).toEqual({
      object: 'subscribed_to_dehydrated',
      status: false,
      subscribed_at: null,
      expires_at: null,
      tier: null,
    })
  })

  it('an ended subscription -> status false with its times', async () => {
    const reply = (await check(first, [nobody.address])).json()[nobody.address]
    expect(reply).toMatchObject({ status: false, tier: null })
    expect(reply.expires_at).toBeGreaterThanOrEqual(reply.subscribed_at)
  })

  it('a subscription that was deactivated after its end -> without a tier', async () => {
    await onSecond('grantTime', [creator.address, 0n, 0])
    const reply = (await check(second, [creator.address])).json()[creator.address]
    expect(reply).toMatchObject({ status: false, tier: null, expires_at: expect.any(Number) })
  })

  it('a contract that is not followed -> without subscribed_at', async () => {
    await grantFirst([ann.address], DAY, unfollowed)
    const reply = (await check(unfollowed, [ann.address])).json()[ann.address]
    expect(reply).toMatchObject({ status: true, subscribed_at: null })
  })

  it.each([
    ['no subscription contract', () => check(chain.addresses.token, [ann.address]), 400, 'contract_address'],
    ['a chain that is not followed', () => check(first, [ann.address], '8453'), 501, 'chain_id'],
    ['no address', () => check(first, []), 400, 'addresses'],
  ])('%s -> %s', async (_, request, status, property) => {
    const reply = await request()
    expect([reply.statusCode, reply.json().property]).toEqual([status, property])
  })
})

/** Code that answers reads of these functions with words, and others with nothing. */
function codeThatAnswers(answers: Readonly<Record<string, readonly bigint[]>>): Hex {
  let code = '5f3560e01c'
  for (const [signature, words] of Object.entries(answers)) {
    const store = words.map((word, index) => `7f${hexDigits(word, 32)}60${hexDigits(index * 32, 1)}52`)
    const answer = `${store.join('')}60${hexDigits(words.length * 32, 1)}5ff3`
    const end = code.length / 2 + '8063aabbccdd1861aabb57'.length / 2 + answer.length / 2
    code += `8063${toFunctionSelector(signature).slice(2)}1861${hexDigits(end, 2)}57${answer}5b`
  }
  return `0x${code}`
}

const hexDigits = (value: bigint | number, bytes: number) => value.toString(16).padStart(bytes * 2, '0')

it('a contract whose tiers cannot be decoded -> 400 in the check, and left out of the lists', async () => {
  const address: Address = `0x${'7e'.repeat(20)}`
  const bytecode = codeThatAnswers({
    'owner()': [BigInt(creator.address)],
    'stpVersion()': [2n],
    'contractDetail()': [1n, 0n, 0n, 0n, 0n],
    'tierDetail(uint16)': [1n],
  })
  await chain.client.setCode({ address, bytecode })
  const query = { addresses: ann.address, contract_address: address, chain_id: '10' }
  const reply = await get('/stp/subscription_check', query)
  expect([reply.statusCode, reply.json()]).toMatchObject([
    400,
    { code: 'InvalidField', property: 'contract_address' },
  ])
  contracts.push({ network: 'base', address })
  const [{ subscriptions_created: created }] = await list('subscriptions_created', { fid: 1 })
  expect(created.map((each: { contract_address: string }) => each.contract_address)).toEqual([first, second])
  contracts.pop()
})

it('without configured contracts -> 501 that names the variable', async () => {
  const { get: getWithout } = await createTestApi({ db, tokenTracking })
  const reply = await getWithout('user/subscribed_to', { fid: 1, subscription_provider: 'fabric_stp' })
  expect([reply.statusCode, reply.json().message]).toEqual([
    501,
    expect.stringContaining('SUBSCRIPTION_CONTRACTS'),
  ])
})

it('a subscriber is recorded once, with the first time, and a renewal keeps it', async () => {
  const [before] = await list('subscribed_to', { fid: 3 })
  await onSecond('grantTime', [bea.address, 9n * DAY, 1])
  await follow()
  const [after] = await list('subscribed_to', { fid: 3 })
  expect(after.subscribed_at).toBe(before.subscribed_at)
  expect(Date.parse(after.expires_at)).toBeGreaterThan(Date.parse(before.expires_at))
})
