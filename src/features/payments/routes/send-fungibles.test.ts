import { type Address, parseEther } from 'viem'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startRpcProxy } from '../../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { hexOf } from '../../../protocol/bytes.js'
import { spendingContext, walletWithEther } from '../testing/spending-scene.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const chain = await startTestChain()
const context = spendingContext(db, chain)
const api = await createTestApi({ db, ...context })
const { token } = chain.addresses
const [ann, bea, cy] = [new TestUser(1), new TestUser(2), new TestUser(3)]
/** An address that bea has verified. */
const verified = Buffer.alloc(20, 0xb2)
const addressOf = (bytes: Buffer): Address => hexOf(bytes)

const unitsOf = (holder: Buffer) =>
  chain.read<bigint>({
    contract: 'Token',
    address: token,
    functionName: 'balanceOf',
    args: [addressOf(holder)],
  })

const weiOf = (holder: Buffer) => chain.client.getBalance({ address: addressOf(holder) })

async function newWallet({ ether = parseEther('1'), units = 0n } = {}) {
  const wallet = await walletWithEther(db, chain, { appId: api.appId, balance: ether })
  if (units > 0n) {
    const mint = {
      contract: 'Token',
      address: token,
      functionName: 'mint',
      args: [addressOf(wallet.address), units],
    }
    await chain.send(chain.account(0), mint)
  }
  return wallet
}

const send = (walletId: string, body: object) =>
  api.send('POST', 'fungible/send', { network: 'base', ...body }, { 'x-wallet-id': walletId })

beforeAll(async () => {
  await hub.submitOnChainEvents([ann, bea, cy].flatMap((user) => user.onChain()))
  await db`insert into social.verifications values (2, ${verified}::bytea, 0, 1, '')`
})

describe('fungible/send', () => {
  it('sends a token to the primary or custody address, with a receipt each', async () => {
    const wallet = await newWallet({ units: 10_000_000n })
    const recipients = [
      { fid: 1, amount: 1.5 },
      { fid: 99, amount: 1 },
      { fid: 2, amount: 0.000001 },
    ]
    const reply = await send(wallet.id, { fungible_contract_address: token, recipients })
    expect(reply.statusCode, reply.body).toBe(200)
    const { transactions, send_receipts: receipts } = reply.json()
    expect(receipts).toEqual([
      { fid: 1, amount: 1.5, status: 'sent' },
      { fid: 99, amount: 1, status: 'failed', reason: 'there is no user with this fid' },
      { fid: 2, amount: 0.000001, status: 'sent' },
    ])
    expect(await Promise.all([unitsOf(ann.custody), unitsOf(verified)])).toEqual([1_500_000n, 1n])
    expect(transactions).toHaveLength(2)
    for (const { transaction_hash: hash, gas_used: gas, network } of transactions) {
      const receipt = await chain.client.getTransactionReceipt({ hash })
      expect([String(receipt.gasUsed), receipt.status, network]).toEqual([gas, 'success', 'base'])
    }
  })

  it('sends the native coin', async () => {
    const wallet = await newWallet()
    const before = await weiOf(ann.custody)
    const reply = await send(wallet.id, { recipients: [{ fid: 1, amount: 0.25 }] })
    expect(reply.json().send_receipts).toEqual([{ fid: 1, amount: 0.25, status: 'sent' }])
    expect((await weiOf(ann.custody)) - before).toBe(parseEther('0.25'))
    await context.walletLedgers.get('base')!.settlePending()
    const [row] = await db<{ state: string; cost: string }[]>`
      select state, cost::text as cost from accounts.transactions order by id desc limit 1`
    expect(row!.state).toBe('confirmed')
    const spent = parseEther('1') - (await weiOf(wallet.address))
    expect(BigInt(row!.cost)).toBe(spent)
  })

  it('requests with one idem send once, also at the same time; another request with it -> 409', async () => {
    const wallet = await newWallet()
    const before = await weiOf(ann.custody)
    const body = { recipients: [{ fid: 1, amount: 0.1 }], idem: 'pay-once' }
    const replies = await Promise.all([send(wallet.id, body), send(wallet.id, body)])
    replies.push(await send(wallet.id, body))
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    const hashes = replies.map((reply) => reply.json().transactions[0].transaction_hash)
    expect(new Set(hashes).size).toBe(1)
    expect((await weiOf(ann.custody)) - before).toBe(parseEther('0.1'))
    const other = { ...body, recipients: [{ fid: 1, amount: 0.2 }] }
    expect((await send(wallet.id, other)).statusCode).toBe(409)
  })

  it('a request is repeated whose record a fail-over of the database has lost -> it pays once', async () => {
    const wallet = await newWallet()
    const before = await weiOf(ann.custody)
    const body = { recipients: [0.1, 0.2, 0.1].map((amount) => ({ fid: 1, amount })), idem: 'lost' }
    const first = await send(wallet.id, body)
    await db`
      delete from accounts.attempts
      where transaction_id in (select id from accounts.transactions where purpose like 'send % lost %')`
    const [lost] = await db<{ id: string }[]>`
      delete from accounts.transactions where purpose like 'send % lost %' returning wallet_id as id`
    await db`update accounts.wallets set next_nonce = 0 where id = ${lost!.id}`
    const again = await send(wallet.id, body)
    expect(again.json()).toEqual(first.json())
    expect((await weiOf(ann.custody)) - before).toBe(parseEther('0.4'))
  })

  it.each([
    ['no ether for the fees', { ether: 0n, units: 5_000_000n }, { fungible_contract_address: token }],
    ['less of the token than all transfers', { units: 2_500_000n }, { fungible_contract_address: token }],
    ['less of the coin than all transfers', { ether: parseEther('2.5') }, {}],
  ])('%s -> 402 and nothing is sent', async (_, funds, change) => {
    const wallet = await newWallet(funds)
    const recipients = [
      { fid: 1, amount: 2 },
      { fid: 2, amount: 1 },
    ]
    const reply = await send(wallet.id, { recipients, ...change })
    expect([reply.statusCode, reply.json().code]).toEqual([402, 'InsufficientFunds'])
    expect(await chain.client.getTransactionCount({ address: addressOf(wallet.address) })).toBe(0)
  })

  describe('while a transfer of most of the token waits for a block', () => {
    const body = { fungible_contract_address: token, recipients: [{ fid: 1, amount: 60 }] }
    beforeEach(() => chain.client.setAutomine(false))
    afterEach(() => chain.client.setAutomine(true))
    const hasSent = (reply: { json(): { transactions?: object[] } }) =>
      (reply.json().transactions ?? []).length > 0

    it('another one that the wallet cannot pay, too, is refused; the rest is free once a block has it', async () => {
      const wallet = await newMinedWallet()
      const before = await unitsOf(ann.custody)
      const first = send(wallet.id, body)
      const open = () => db`select from accounts.transactions where wallet_id in (${ownWallets(wallet)})`
      await expect.poll(open).toHaveLength(1)
      const refused = await send(wallet.id, body)
      expect([refused.statusCode, refused.json().code]).toEqual([402, 'InsufficientFunds'])
      await mineOpen()
      expect((await first).json().send_receipts).toMatchObject([{ status: 'sent' }])
      const rest = { ...body, recipients: [{ fid: 1, amount: 40 }] }
      expect((await send(wallet.id, rest)).json().send_receipts).toMatchObject([{ status: 'sent' }])
      expect((await unitsOf(ann.custody)) - before).toBe(100_000_000n)
    })

    it('of two at the same time one is sent', async () => {
      const wallet = await newMinedWallet()
      const before = await unitsOf(ann.custody)
      const sent = [send(wallet.id, body), send(wallet.id, body)]
      // The refused one waits for no block.
      expect(hasSent(await Promise.race(sent))).toBe(false)
      await mineOpen()
      expect((await Promise.all(sent)).filter(hasSent)).toHaveLength(1)
      expect((await unitsOf(ann.custody)) - before).toBe(60_000_000n)
    })

    /** A wallet with 100 of the token. */
    async function newMinedWallet() {
      await chain.client.setAutomine(true)
      const wallet = await newWallet({ units: 100_000_000n })
      await chain.client.setAutomine(false)
      return wallet
    }

    /** Mines a transaction that the node has, or else when it gets it: it is recorded before it is sent. */
    async function mineOpen() {
      await chain.client.setAutomine(true)
      await chain.mine(1)
    }

    /** The wallets with this address on all networks. */
    const ownWallets = ({ address }: { readonly address: Buffer }) =>
      db`select id from accounts.wallets where address = ${address}`
  })

  it('an RPC that fails for a recipient -> a failed receipt; the same idem sends what is missing', async () => {
    const proxy = await startRpcProxy(chain.url)
    const { send: sendByProxy } = await createTestApi({
      db,
      ...spendingContext(db, proxy),
      key: api.key,
    })
    // After the first request not enough for all of it again.
    const wallet = await newWallet({ ether: parseEther('1.05') })
    const before = await weiOf(ann.custody)
    const body = {
      network: 'base',
      recipients: [
        { fid: 2, amount: 0.2 },
        { fid: 1, amount: 0.4 },
      ],
      idem: 'first-fails',
    }
    let estimates = 0
    proxy.faults = {
      // The first is estimated for the check of the funds as well.
      refuse: (method, [call]) => {
        const isFirst = (call as { to?: string } | undefined)?.to === addressOf(verified)
        if (method === 'eth_estimateGas' && isFirst) estimates += 1
        return method === 'eth_estimateGas' && isFirst && estimates === 2 ? 'busy' : null
      },
    }
    const headers = { 'x-wallet-id': wallet.id }
    const reply = await sendByProxy('POST', 'fungible/send', body, headers)
    expect(reply.statusCode, reply.body).toBe(200)
    expect(reply.json().send_receipts).toMatchObject([
      { fid: 2, status: 'failed', reason: expect.any(String) },
      { fid: 1, status: 'sent' },
    ])
    const again = await sendByProxy('POST', 'fungible/send', body, headers)
    expect(again.json().send_receipts).toMatchObject([{ status: 'sent' }, { status: 'sent' }])
    expect((await weiOf(ann.custody)) - before).toBe(parseEther('0.4'))
  })

  it('a first recipient that takes no coins -> what all transfers need is checked all the same', async () => {
    const wallet = await newWallet()
    await db`insert into social.verifications values (3, ${Buffer.from(token.slice(2), 'hex')}::bytea, 0, 1, '')`
    const before = await weiOf(ann.custody)
    const recipients = [
      { fid: 3, amount: 0.1 },
      { fid: 1, amount: 0.6 },
      { fid: 2, amount: 0.6 },
    ]
    expect((await send(wallet.id, { recipients })).statusCode).toBe(402)
    expect(await weiOf(ann.custody)).toBe(before)
    const fewer = recipients.slice(0, 2)
    expect((await send(wallet.id, { recipients: fewer })).json().send_receipts).toMatchObject([
      { fid: 3, status: 'failed' },
      { fid: 1, status: 'sent' },
    ])
  })

  it('an unknown recipient -> what it would get is not needed', async () => {
    const wallet = await newWallet({ units: 1_000_000n })
    const recipients = [
      { fid: 99, amount: 5 },
      { fid: 0, amount: 5 },
      { fid: 1, amount: 1 },
    ]
    const reply = await send(wallet.id, { fungible_contract_address: token, recipients })
    expect(reply.statusCode, reply.body).toBe(200)
    expect(reply.json().send_receipts).toMatchObject([
      { fid: 99, status: 'failed' },
      { fid: 0, status: 'failed', reason: 'there is no user with this fid' },
      { fid: 1, status: 'sent' },
    ])
  })

  it.each([
    ['an amount with more decimals than the token has', 1.5000004],
    ['an amount that would be rounded up', 0.0000009],
    ['less than the smallest unit', 0.00000004],
  ])('%s -> 400 that names it, and nothing is sent', async (_, amount) => {
    const wallet = await newWallet({ units: 10_000_000n })
    const recipients = [
      { fid: 1, amount: 1 },
      { fid: 2, amount },
    ]
    const reply = await send(wallet.id, { fungible_contract_address: token, recipients })
    expect([reply.statusCode, reply.json().property]).toEqual([400, 'recipients.1.amount'])
    expect(await chain.client.getTransactionCount({ address: addressOf(wallet.address) })).toBe(0)
  })

  it.each([
    ['no token', { fungible_contract_address: `0x${'12'.repeat(20)}` }, 400, 'fungible_contract_address'],
    [
      'an empty token, which is not the native coin',
      { fungible_contract_address: '' },
      400,
      'fungible_contract_address',
    ],
    ['a network that is not followed', { network: 'base-sepolia' }, 501, 'network'],
    ['too many recipients', { recipients: Array(201).fill({ fid: 1, amount: 1 }) }, 400, 'recipients'],
  ])('%s -> refused', async (_, change, status, property) => {
    const wallet = await newWallet()
    const reply = await send(wallet.id, { recipients: [{ fid: 1, amount: 1 }], ...change })
    expect([reply.statusCode, reply.json().property]).toEqual([status, property])
  })

  it('base-sepolia is the followed network with its chain id', async () => {
    const sepolia = await startTestChain({ chainId: 84_532 })
    const { send: sendOnSepolia } = await createTestApi({
      db,
      ...spendingContext(db, sepolia, 84_532),
      key: api.key,
    })
    const wallet = await walletWithEther(db, sepolia, { appId: api.appId, balance: parseEther('1') })
    const body = { network: 'base-sepolia', recipients: [{ fid: 1, amount: 0.5 }] }
    const reply = await sendOnSepolia('POST', 'fungible/send', body, { 'x-wallet-id': wallet.id })
    expect(reply.json().send_receipts).toMatchObject([{ status: 'sent' }])
    expect(await sepolia.client.getBalance({ address: addressOf(ann.custody) })).toBe(parseEther('0.5'))
  })
})
