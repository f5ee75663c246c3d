import { randomUUID } from 'node:crypto'
import {
  type Address,
  concatHex,
  decodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  padHex,
  toEventSelector,
} from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { startRpcProxy } from '../../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { ChainRpc } from '../../../hub/chain/chain-rpc.js'
import { readChainSettings } from '../../../hub/chain/chain-settings.js'
import type { Endpoint } from '../../../hub/chain/endpoint.js'
import { ChainFollower, startFollowing } from '../../../hub/chain/follower.js'
import { silentLog } from '../../../platform/log/log.js'
import { createApiKey } from '../../apps/api-keys.js'
import { ensureApp } from '../../apps/apps.js'
import { createPaymentFrame, MAX_NAMED, paymentChannel } from '../payment-frames.js'
import { paymentHandler } from '../payment-handler.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const chain = await startTestChain()
const CONFIRMATIONS = 2
const DAY_MS = 86_400_000
const settings = readChainSettings({
  rpcUrls: { base: chain.url },
  ids: 'base=10',
  confirmations: CONFIRMATIONS,
})
const rpc = new ChainRpc(settings.chains.get('base')!, { log: silentLog, clock: Date.now })
const holder = { id: randomUUID(), locks: db }
const tokenTracking = { rpcs: new Map([['base' as const, rpc]]), maxTrackedTokens: 0 }
const api = await createTestApi({ db, tokenTracking })
const token = getAddress(chain.addresses.token)
const [ann, stranger] = [chain.account(1), chain.account(2)]
let receivers = 0

/** A receiver of its own for each payment, so that tests do not share transfers. */
function newReceiver(): Address {
  receivers += 1
  return `0x${receivers.toString(16).padStart(40, 'e')}`
}

const bodyOf = (address: string, change: object = {}, config: object = {}) => ({
  transaction: { to: { address, amount: 0.01, network: 'base', token_contract_address: token, ...change } },
  config: { line_items: [{ name: 'Map', description: 'A <b>map</b>' }], ...config },
})

async function create(body: object) {
  const reply = await api.send('POST', 'frame/transaction/pay', body)
  expect([reply.statusCode, reply.body]).toEqual([200, reply.body])
  return reply.json().transaction_frame
}

async function statusOf({ id }: { id: string }): Promise<string> {
  return (await api.get('frame/transaction/pay', { id })).json().transaction_frame.status
}

async function pay(from: typeof ann, to: Address, units: bigint): Promise<void> {
  await chain.send(from, { contract: 'Token', address: token, functionName: 'transfer', args: [to, units] })
}

async function follow(blocks = CONFIRMATIONS + 1, clock = Date.now): Promise<void> {
  await chain.mine(blocks)
  const follower = new ChainFollower(paymentHandler(db, rpc, clock), { db, rpc, holder })
  while (!['caughtUp', 'idle'].includes(await follower.step()));
  await follower.release()
}

beforeAll(async () => {
  const custody = Buffer.from(ann.address.slice(2), 'hex')
  await hub.submitOnChainEvents(Object.assign(new TestUser(7), { custody }).onChain())
  for (const account of [ann, stranger]) {
    const mint = {
      contract: 'Token',
      address: token,
      functionName: 'mint',
      args: [account.address, 10n ** 12n],
    }
    await chain.send(account, mint)
  }
  await follow()
})

describe('POST frame/transaction/pay', () => {
  it('creates a payment with its page', async () => {
    const receiver = newReceiver()
    const frame = await create(bodyOf(receiver))
    expect(frame).toMatchObject({
      type: 'pay',
      status: 'created',
      url: `http://plaza.test/pay/${frame.id}`,
      config: { line_items: [{ name: 'Map', description: 'A <b>map</b>' }] },
      transaction: { to: { amount: 0.01, network: 'base', token_contract_address: token } },
    })
    expect((await api.get('frame/transaction/pay', { id: frame.id })).json().transaction_frame).toEqual(frame)
  })

  it('a color and an image that a page cannot show are kept, and not shown', async () => {
    const action = { text: 'Buy', button_color: 'black', text_color: 'rgb(255 255 255)' }
    const items = ['ipfs://bafy/map.png', 'https://images.example/map.png'].map((image) => ({
      ...{ name: 'Map', description: '', image },
    }))
    const config = { line_items: items, action }
    const frame = await create({ ...bodyOf(newReceiver()), config })
    expect(frame.config).toEqual(config)
    const page = (await api.app.inject(new URL(frame.url).pathname)).body
    expect(page).toContain('data-color="black" data-text-color="rgb(255 255 255)"')
    expect(page).toContain('<img src="https://images.example/map.png"')
    expect(page).toContain('&quot;imageUrl&quot;:&quot;https://images.example/map.png&quot;')
    expect(page).not.toContain('ipfs:')
  })

  it('one idem -> one payment; another request with it -> 409', async () => {
    const body = { ...bodyOf(newReceiver()), idem: 'once-only' }
    const [first, second] = await Promise.all([create(body), create(body)])
    expect(first).toEqual(second)
    expect(await create(body)).toEqual(first)
    const changed = { ...bodyOf(newReceiver()), idem: 'once-only' }
    expect((await api.send('POST', 'frame/transaction/pay', changed)).statusCode).toBe(409)
  })

  it.each([
    ['no token', { token_contract_address: ann.address }, 400, 'transaction.to.token_contract_address'],
    ['less than a unit', { amount: 0.0000001 }, 400, 'transaction.to.amount'],
    ['more decimals than the token has', { amount: 1.2345674 }, 400, 'transaction.to.amount'],
    ['less than the minimum', { amount: 1e-9 }, 400, 'transaction.to.amount'],
    ['a network that is not followed', { network: 'optimism' }, 501, 'transaction.to.network'],
    ['robinhood', { network: 'robinhood' }, 501, 'transaction.to.network'],
    ['no network', { network: 'venus' }, 400, 'transaction.to.network'],
  ])('%s -> refused with the member', async (_, change, status, property) => {
    const reply = await api.send('POST', 'frame/transaction/pay', bodyOf(newReceiver(), change))
    expect([reply.statusCode, reply.json().property]).toEqual([status, property])
  })

  it('an unknown id -> 404', async () => {
    for (const id of [randomUUID(), 'mine']) {
      expect((await api.get('frame/transaction/pay', { id })).statusCode).toBe(404)
    }
  })
})

describe('completion', () => {
  it('a final transfer of the amount completes, a smaller or earlier one does not', async () => {
    const receiver = newReceiver()
    await pay(ann, receiver, 10_000n)
    const frame = await create(bodyOf(receiver))
    await pay(stranger, receiver, 9_999n)
    await follow()
    expect(await statusOf(frame)).toBe('created')
    await pay(stranger, receiver, 10_000n)
    await follow(0)
    expect(await statusOf(frame), 'not final').toBe('created')
    await follow()
    expect(await statusOf(frame)).toBe('completed')
  })

  it('an RPC that lags: a transfer before the request does not complete', async () => {
    const lagging = await startRpcProxy(chain.url)
    lagging.faults = { blocksBehind: 3 }
    const rpcUrls = [lagging.url, chain.url]
    const rpcs = new Map([
      ['base' as const, new ChainRpc({ ...rpc.chain, rpcUrls }, { log: silentLog, clock: Date.now })],
    ])
    const lateApi = await createTestApi({ db, tokenTracking: { ...tokenTracking, rpcs } })
    const receiver = newReceiver()
    await pay(ann, receiver, 10_000n)
    const reply = await lateApi.send('POST', 'frame/transaction/pay', bodyOf(receiver))
    const frame = reply.json().transaction_frame
    await follow()
    expect(await statusOf(frame)).toBe('created')
    await pay(ann, receiver, 10_000n)
    await follow()
    expect(await statusOf(frame)).toBe('completed')
  })

  it('a transfer completes one of two equal payments, the older first', async () => {
    const receiver = newReceiver()
    const [older, newer] = [await create(bodyOf(receiver)), await create(bodyOf(receiver))]
    await pay(ann, receiver, 50_000n)
    await follow()
    expect([await statusOf(older), await statusOf(newer)]).toEqual(['completed', 'created'])
    await pay(ann, receiver, 10_000n)
    await follow()
    expect(await statusOf(newer)).toBe('completed')
  })

  it('a transfer completes the payment of its amount, and not a cheaper one that is older', async () => {
    const receiver = newReceiver()
    const [cheap, dear] = [await create(bodyOf(receiver)), await create(bodyOf(receiver, { amount: 0.05 }))]
    await pay(ann, receiver, 50_000n)
    await follow()
    expect([await statusOf(cheap), await statusOf(dear)]).toEqual(['created', 'completed'])
  })

  it('another app with the same receiver and token takes no transfer away', async () => {
    const receiver = newReceiver()
    const { key } = await createApiKey(db, { appId: await ensureApp(db, 'copycat') })
    const payload = bodyOf(receiver, { amount: 0.000001 })
    const url = '/v2/farcaster/frame/transaction/pay'
    const copied = []
    for (let count = 0; count < 2; count += 1) {
      copied.push(await api.app.inject({ method: 'POST', url, headers: { 'x-api-key': key }, payload }))
    }
    expect(copied.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    const frame = await create(bodyOf(receiver))
    await pay(ann, receiver, 10_000n)
    await follow()
    expect(await statusOf(frame)).toBe('completed')
    // The transfer counts once in the other app, too.
    const [{ open }] = await db<[{ open: number }]>`
      select count(*)::integer as open from payments.frames
      where receiver = ${Buffer.from(receiver.slice(2), 'hex')} and completed_at is null`
    expect(open).toBe(1)
  })

  it('a payment in time completes also when its block is read after the expiry', async () => {
    const receiver = newReceiver()
    const frame = await create(bodyOf(receiver))
    await pay(ann, receiver, 10_000n)
    const lateMs = 7 * DAY_MS + 3_600_000
    await follow(undefined, () => Date.now() + lateMs)
    expect(await statusOf(frame)).toBe('completed')
  })

  it('a payment after the expiry does not complete', async () => {
    const receiver = newReceiver()
    const frame = await create(bodyOf(receiver))
    await db`update payments.frames set expires_at = created_at - interval '1 hour' where id = ${frame.id}`
    await pay(ann, receiver, 10_000n)
    await follow()
    expect(await statusOf(frame)).toBe('created')
  })

  it('allowlist_fids: only transfers of these users count', async () => {
    const receiver = newReceiver()
    const frame = await create(bodyOf(receiver, {}, { allowlist_fids: [7] }))
    await pay(stranger, receiver, 10_000n)
    await follow()
    expect(await statusOf(frame)).toBe('created')
    await pay(ann, receiver, 10_000n)
    await follow()
    expect(await statusOf(frame)).toBe('completed')
  })

  it('a transfer without an amount, as any contract may log it, is passed over', async () => {
    const odd = await chain.deployToken('Odd', 'ODD', 6)
    const [receiver, other] = [newReceiver(), newReceiver()]
    const unpaid = await create(bodyOf(receiver, { token_contract_address: odd }))
    const frame = await create(bodyOf(other))
    // Logs Transfer(caller, first word of the call) with empty data.
    const topic = toEventSelector('Transfer(address,address,uint256)')
    await chain.client.setCode({
      address: odd,
      bytecode: concatHex(['0x600035337f', topic, '0x60006000a300']),
    })
    const client = chain.clientOf(ann)
    const hash = await client.sendTransaction({ account: ann, to: odd, data: padHex(receiver), chain: null })
    expect((await client.waitForTransactionReceipt({ hash })).logs).toHaveLength(1)
    await pay(ann, other, 10_000n)
    await follow()
    expect([await statusOf(unpaid), await statusOf(frame)]).toEqual(['created', 'completed'])
  })

  it('a payment that is requested and made before a process follows for the first time is completed', async () => {
    const receiver = newReceiver()
    const frame = await create(bodyOf(receiver))
    await pay(ann, receiver, 10_000n)
    await db`delete from chain.followers where name = 'base/payments'`
    await follow(CONFIRMATIONS + 20)
    expect(await statusOf(frame)).toBe('completed')
  })

  it('a payment requested while the chain is read is not missed', async () => {
    const follower = new ChainFollower(
      (() => {
        const handler = paymentHandler(db, rpc, Date.now)
        let isFirst = true
        return {
          ...handler,
          async filter(nextBlock: number) {
            const filter = await handler.filter(nextBlock)
            if (isFirst) {
              isFirst = false
              frame = await create(bodyOf(receiver))
              await pay(ann, receiver, 10_000n)
              await chain.mine(CONFIRMATIONS + 1)
            }
            return filter
          },
        }
      })(),
      { db, rpc, holder },
    )
    const receiver = newReceiver()
    let frame = { id: '' }
    await expect(follower.step()).rejects.toThrow('a payment was requested')
    while (!['caughtUp', 'idle'].includes(await follower.step()));
    await follower.release()
    expect(await statusOf(frame)).toBe('completed')
  })
})

it('more payments of all apps than the follower looks for -> 429, and none is given up', async () => {
  const receiver = newReceiver()
  const frame = await create(bodyOf(receiver))
  const appId = await ensureApp(db, 'busy')
  const inserted = await db`
    insert into payments.frames (
      id, app_id, request_key, config, network, token, receiver, amount, amount_raw, symbol, allowlist_fids, from_block,
      created_at, expires_at
    )
    select gen_random_uuid(), ${appId}, f.request_key, f.config, f.network, f.token, ${Buffer.alloc(20, 0xdd)}::bytea, f.amount,
      f.amount_raw, f.symbol, f.allowlist_fids, f.from_block, f.created_at, f.expires_at
    from payments.frames f, generate_series(1, 2000 - (select count(*) from payments.frames where completed_at is null))
    where f.id = ${frame.id}
    returning id`
  expect(inserted.length).toBeGreaterThan(1_000)
  const reply = await api.send('POST', 'frame/transaction/pay', bodyOf(newReceiver()))
  expect([reply.statusCode, reply.json().message]).toEqual([429, expect.stringContaining('base')])
  const [first] = await db<{ unfollowedAt: Date }[]>`
    select min(expires_at) + interval '1 day' as "unfollowedAt" from payments.frames
    where completed_at is null and expires_at > now() - interval '1 day'`
  const secondsLeft = (first!.unfollowedAt.getTime() - Date.now()) / 1000
  expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(Math.floor(secondsLeft))
  // Refused before the chain is asked, which knows no such token.
  const noToken = bodyOf(newReceiver(), { token_contract_address: ann.address })
  expect((await api.send('POST', 'frame/transaction/pay', noToken)).statusCode).toBe(429)
  await pay(ann, receiver, 10_000n)
  await follow()
  expect(await statusOf(frame)).toBe('completed')
  await db`delete from payments.frames where app_id = ${appId}`
})

it('requests at the same moment do not pass the limit of an app', async () => {
  const appId = await ensureApp(db, 'eager')
  const body = bodyOf(newReceiver())
  const nowMs = Date.now()
  const requests = Array.from({ length: 600 }, () =>
    createPaymentFrame(db, {
      appId,
      idem: null,
      config: body.config,
      to: { ...body.transaction.to, network: 'base' },
      amountRaw: 10_000n,
      symbol: 'TKN',
      fromBlock: 1,
      nowMs,
    }),
  )
  const outcomes = await Promise.allSettled(requests)
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(refusals).toHaveLength(100)
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({
      code: 'bad_request.rate_limited',
      retryAfterSeconds: (7 * DAY_MS) / 1000,
    })
  }
  await db`delete from payments.frames where app_id = ${appId}`
})

it('more payments than the follower can look for -> the oldest complete, of whatever app', async () => {
  const receiver = newReceiver()
  const frame = await create(bodyOf(receiver))
  const appId = await ensureApp(db, 'flooding')
  await db`
    insert into payments.frames (
      id, app_id, request_key, config, network, token, receiver, amount, amount_raw, symbol, allowlist_fids, from_block,
      created_at, expires_at
    )
    select gen_random_uuid(), ${appId}, f.request_key, f.config, f.network, f.token, ${Buffer.alloc(20, 0xdc)}::bytea, f.amount,
      f.amount_raw, f.symbol, f.allowlist_fids, f.from_block, f.created_at, f.expires_at
    from payments.frames f, generate_series(1, ${MAX_NAMED + 100})
    where f.id = ${frame.id}`
  await pay(ann, receiver, 10_000n)
  await follow()
  expect(await statusOf(frame)).toBe('completed')
  await db`delete from payments.frames where app_id = ${appId}`
})

describe('without an open payment', () => {
  it('the chain is not asked until one is requested; blocks in between are passed without their logs', async () => {
    await db`update payments.frames set expires_at = created_at - interval '1 day'`
    let calls = 0
    const asked = new ChainRpc(settings.chains.get('base')!, { log: silentLog, clock: Date.now })
    const counted = Object.assign(asked, {
      withEndpoint<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
        calls += 1
        return rpc.withEndpoint(work)
      },
    })
    const handler = paymentHandler(db, counted, Date.now)
    const outcomes: string[] = []
    const follower = new ChainFollower(handler, {
      db,
      rpc: counted,
      holder,
      onProgress: ({ outcome }) => outcomes.push(outcome),
    })
    const stop = startFollowing(follower, {
      pollMs: 10,
      log: silentLog,
      onWork: (wake) => db.listen(paymentChannel, wake),
    })
    await expect.poll(() => outcomes).toEqual(['idle'])
    expect(calls).toBe(0)
    const early = newReceiver()
    await pay(ann, early, 10_000n)
    await chain.mine(20)
    const frame = await create(bodyOf(early))
    await pay(ann, early, 10_000n)
    await chain.mine(CONFIRMATIONS + 1)
    await expect.poll(() => statusOf(frame)).toBe('completed')
    await expect.poll(() => outcomes.at(-1)).toBe('idle')
    const callsBefore = calls
    await stop()
    expect(calls).toBe(callsBefore)
  })
})

describe('the page', () => {
  const embedOf = (body: string) => {
    const content = /name="fc:miniapp" content="([^"]*)"/.exec(body)![1]!
    return JSON.parse(content.replaceAll('&quot;', '"'))
  }

  it('has long texts and 100 items, of which the embed shows 32 characters without half an emoji', async () => {
    const text = 'Pay for the garden of the house🌷 and for its maps'
    const line_items = Array.from({ length: 100 }, (_, index) => ({
      name: `${text} ${index}`,
      description: `number ${index}`,
    }))
    const { id, config } = await create(bodyOf(newReceiver(), {}, { action: { text }, line_items }))
    expect(config).toEqual({ action: { text }, line_items })
    const { body } = await api.app.inject(`/pay/${id}`)
    expect(body).toContain(`>${text}</button>`)
    expect(body).toContain('number 99')
    const cut = 'Pay for the garden of the house'
    expect(embedOf(body).button).toMatchObject({ title: cut, action: { name: cut } })
  })

  it('has the mini app embed, escapes texts, and asks for the transfer', async () => {
    const receiver = newReceiver()
    const { id, url } = await create(bodyOf(receiver))
    const { statusCode, headers, body } = await api.app.inject(`/pay/${id}`)
    expect(statusCode).toBe(200)
    expect(headers['content-security-policy']).toContain("script-src 'self'")
    expect(body).toContain('A &lt;b&gt;map&lt;/b&gt;')
    const embed = embedOf(body)
    expect(embed).toMatchObject({
      version: '1',
      button: { title: 'Pay', action: { type: 'launch_miniapp', url } },
    })
    expect((await api.app.inject(new URL(embed.imageUrl).pathname)).headers['content-type']).toBe('image/png')
    const data = /data-calldata="(0x[0-9a-f]+)"/.exec(body)![1] as Hex
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data })
    expect([functionName, String(args![0]).toLowerCase(), args![1]]).toEqual(['transfer', receiver, 10_000n])
    expect(body).toContain('data-chain-id="0xa"')
    for (const asset of ['pay.js', 'pay.css']) {
      expect((await api.app.inject(`/pay/assets/${asset}`)).statusCode).toBe(200)
    }
  })

  it('status follows the payment; an unknown id -> 404', async () => {
    const receiver = newReceiver()
    const { id } = await create(bodyOf(receiver))
    const status = async () => (await api.app.inject(`/pay/${id}/status`)).json()
    expect(await status()).toEqual({ status: 'created' })
    await pay(ann, receiver, 10_000n)
    await follow()
    expect(await status()).toEqual({ status: 'completed' })
    expect((await api.app.inject(`/pay/${id}`)).body).toContain('data-state="completed"')
    expect((await api.app.inject(`/pay/${randomUUID()}`)).statusCode).toBe(404)
  })

  it('status of an expired payment -> expired', async () => {
    const { id } = await create(bodyOf(newReceiver()))
    await db`update payments.frames set expires_at = created_at - interval '1 hour' where id = ${id}`
    expect((await api.app.inject(`/pay/${id}/status`)).json()).toEqual({ status: 'expired' })
    expect((await api.app.inject(`/pay/${id}`)).body).toContain('data-state="expired"')
  })
})
