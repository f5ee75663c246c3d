import { type Address, getAddress, type Hex, numberToHex, pad, parseEther, zeroAddress } from 'viem'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deploy } from '../../../../scripts/dev-chain.mjs'
import { startRpcProxy } from '../../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser } from '../../../../test/network.js'
import { createTestApi, type TestApi } from '../../../app/testing/test-api.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { ChainRpc } from '../../../hub/chain/chain-rpc.js'
import { silentLog } from '../../../platform/log/log.js'
import { hexOf } from '../../../protocol/bytes.js'
import type { Wallet } from '../../accounts/wallets/wallets.js'
import { spendingContext, walletWithEther } from '../../payments/testing/spending-scene.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const chain = await startTestChain()
const rpc = await startRpcProxy(chain.url)
const api = await createTestApi({ db, ...spendingContext(db, rpc) })
const ann = new TestUser(1)
const receiver = getAddress(`0x${'ab'.repeat(20)}`)
const PRICE = parseEther('0.01')
let wallet: Wallet
let collection: Address

const post = (path: string, body: object, walletId = wallet.id) =>
  api.send('POST', path, { network: 'base', ...body }, { 'x-wallet-id': walletId })

const read = <T>(functionName: string, args: readonly unknown[] = [], address = collection) =>
  chain.read<T>({ contract: 'Collection', address, functionName, args })

const newCollection = (change: object = {}) =>
  deploy(chain.client, 'Collection', [
    {
      name: 'Other',
      symbol: 'OTH',
      baseUri: '',
      owner: receiver,
      royaltyRecipient: receiver,
      royaltyBps: 0n,
      maxSupply: 0n,
      price: PRICE,
      maxPerTx: 0n,
      maxPerWallet: 0n,
      startTimestamp: 0n,
      endTimestamp: 0n,
      ...change,
    },
  ])

beforeAll(async () => {
  await hub.submitOnChainEvents(ann.onChain())
  wallet = await walletWithEther(db, chain, { appId: api.appId, balance: parseEther('10') })
  const reply = await post('nft/deploy/erc721', {
    name: 'Garden maps',
    symbol: 'MAP',
    description: 'Maps',
    max_supply: 3,
    royalty_bps: 500,
    mint_config: { price_per_token: String(PRICE) },
    idem: 'first-collection',
  })
  expect(reply.statusCode, reply.body).toBe(201)
  collection = reply.json().collection.address
})

describe('nft/deploy/erc721', () => {
  it('deploys a collection that the wallet owns', async () => {
    const owner = getAddress(hexOf(wallet.address))
    expect(await Promise.all([read('name'), read('symbol'), read('owner'), read('price')])).toEqual([
      'Garden maps',
      'MAP',
      owner,
      PRICE,
    ])
    expect(await read('royaltyInfo', [1n, 10_000n])).toEqual([owner, 500n])
    const uri = await read<string>('contractURI')
    expect(uri).toBe(`http://plaza.test/nft/metadata/base/${collection.toLowerCase()}`)
    const document = await api.app.inject(new URL(uri).pathname)
    expect(document.json()).toMatchObject({ name: 'Garden maps', description: 'Maps', fee_recipient: owner })
  })

  it('one idem -> one collection; another request with it -> 409', async () => {
    const body = { name: 'Twice', symbol: 'TW', idem: 'twice' }
    const replies = await Promise.all([post('nft/deploy/erc721', body), post('nft/deploy/erc721', body)])
    const [first, second] = replies.map((reply) => reply.json())
    expect(first).toEqual(second)
    expect((await post('nft/deploy/erc721', { ...body, name: 'Other' })).statusCode).toBe(409)
  })

  it('has its document before it is paid for: the process may be killed while it waits for a block', async () => {
    await chain.client.setAutomine(false)
    onTestFinished(() => chain.client.setAutomine(true))
    const reply = post('nft/deploy/erc721', { name: 'Early', symbol: 'EA' })
    const documents = () => db`select from nfts.collections where metadata ->> 'name' = 'Early'`
    await expect.poll(documents).toHaveLength(1)
    await chain.client.setAutomine(true)
    await chain.client.mine({ blocks: 1 })
    expect((await reply).statusCode).toBe(201)
    expect(await documents()).toHaveLength(1)
  })

  it('one idem -> the address of its collection, also after another PUBLIC_URL', async () => {
    const body = { name: 'Moved', symbol: 'MV', network: 'base', idem: 'moved' }
    const first = await post('nft/deploy/erc721', body)
    const moved = await createTestApi({
      db,
      ...spendingContext(db, rpc),
      key: api.key,
      publicUrl: () => 'https://moved.example',
    })
    const second = await moved.send('POST', 'nft/deploy/erc721', body, { 'x-wallet-id': wallet.id })
    expect([second.statusCode, second.json()]).toEqual([201, first.json()])
    expect(await read('name', [], second.json().collection.address)).toBe('Moved')
    const documents = await db`select from nfts.collections where metadata ->> 'name' = 'Moved'`
    expect(documents).toHaveLength(1)
  })

  it.each([
    ['price', { mint_config: { price_per_token: '' } }, 'mint_config.price_per_token'],
    ['receiver of royalties', { royalty_recipient: '' }, 'royalty_recipient'],
  ])('an empty %s -> 400: the contract would keep the default', async (_, change, property) => {
    const reply = await post('nft/deploy/erc721', { name: 'A', symbol: 'A', ...change })
    expect([reply.statusCode, reply.json().property]).toEqual([400, property])
  })

  it('a wallet without money -> 402', async () => {
    const poor = await walletWithEther(db, chain, { appId: api.appId, balance: 0n })
    expect((await post('nft/deploy/erc721', { name: 'A', symbol: 'A' }, poor.id)).statusCode).toBe(402)
  })
})

describe('GET nft/mint', () => {
  const simulate = (contract: string, recipients: unknown) =>
    api.get('nft/mint', {
      nft_contract_address: contract,
      network: 'base',
      recipients: typeof recipients === 'string' ? recipients : JSON.stringify(recipients),
    })

  it('reads what tokens cost once for many receivers', async () => {
    const paid = await newCollection()
    const readsOf = async (receivers: number) => {
      rpc.requestCounts.clear()
      const recipients = Array.from({ length: receivers }, () => ({ address: receiver, quantity: 2 }))
      expect((await simulate(paid, recipients)).json()).toHaveLength(receivers)
      return rpc.requestCounts.get('eth_call')
    }
    expect(await readsOf(5)).toBe(await readsOf(1))
  })

  it('returns calldata and price, with which the receiver can mint', async () => {
    const paid = await newCollection()
    const minter = chain.account(3)
    const [mint] = (await simulate(paid, [{ address: minter.address, quantity: 2 }])).json()
    expect(mint).toMatchObject({
      recipient: { address: minter.address, quantity: 2 },
      function_name: 'mint',
      args: [minter.address, '2'],
      to: getAddress(paid),
      value: String(2n * PRICE),
      network: 'base',
      abi: [{ type: 'function', name: 'mint' }],
    })
    expect(BigInt(mint.estimated_total_cost_wei)).toBeGreaterThan(2n * PRICE)
    const client = chain.clientOf(minter)
    const hash = await client.sendTransaction({
      account: minter,
      to: mint.to,
      data: mint.data,
      value: BigInt(mint.value),
      chain: null,
    })
    await client.waitForTransactionReceipt({ hash })
    expect(await read('balanceOf', [minter.address], paid)).toBe(2n)
  })

  it('a fid -> a mint to the address of the user', async () => {
    const [mint] = (await simulate(collection, [{ fid: 1 }])).json()
    expect(mint.args).toContain(getAddress(hexOf(ann.custody)))
  })

  it('a recipient has either an address or a fid, so that POST nft/mint takes it', async () => {
    const free = await newCollection({ price: 0n })
    const mints: { recipient: object }[] = (
      await simulate(free, [{ fid: 1 }, { address: receiver, quantity: 2 }])
    ).json()
    const recipients = mints.map(({ recipient }) => recipient)
    expect(recipients).toEqual([
      { fid: 1, quantity: 1 },
      { address: receiver, quantity: 2 },
    ])
    const minted = await post('nft/mint', { contract_address: free, recipients })
    expect([minted.statusCode, minted.json().transactions]).toMatchObject([200, [{}, {}]])
  })

  it.each([
    ['no ERC-721', () => simulate(chain.addresses.token, [{ fid: 1 }]), 404],
    ['an unknown user', () => simulate(collection, [{ fid: 77 }]), 404],
    ['more than there are', () => simulate(collection, [{ fid: 1, quantity: 4 }]), 404],
    ['no JSON', () => simulate(collection, 'ann'), 400],
    ['an address and a fid', () => simulate(collection, [{ fid: 1, address: receiver }]), 400],
    ['neither', () => simulate(collection, [{ quantity: 1 }]), 400],
  ])('%s -> %s', async (_, request, status) => {
    const reply = await request()
    expect(reply.statusCode, reply.body).toBe(status)
  })
})

describe('POST nft/mint', () => {
  it('mints to users and addresses, with token ids; an unknown user is an error in the list', async () => {
    const recipients = [{ fid: 1, quantity: 2 }, { fid: 77 }, { fid: 0 }, { address: receiver }]
    const reply = await post('nft/mint', { contract_address: collection, recipients, idem: 'mint-three' })
    expect(reply.statusCode, reply.body).toBe(200)
    const { transactions } = reply.json()
    const custody = getAddress(hexOf(ann.custody))
    expect(transactions).toMatchObject([
      { recipient: { address: custody, fid: 1, quantity: 2 }, receipt: { status: 'success' } },
      { error: 'there is no user with this fid', recipient: { fid: 77, quantity: 1 } },
      { error: 'there is no user with this fid', recipient: { fid: 0, quantity: 1 } },
      { recipient: { address: receiver, quantity: 1 }, receipt: { status: 'success' } },
    ])
    const ids = transactions.flatMap((each: { recipient: { tokens?: { token_id: string }[] } }) =>
      (each.recipient.tokens ?? []).map(({ token_id }) => token_id),
    )
    expect(ids.sort()).toEqual(['1', '2', '3'])
    expect(await Promise.all([read('balanceOf', [custody]), read('balanceOf', [receiver])])).toEqual([2n, 1n])
    // Sold out now: the same request again finds what it has minted.
    const again = await post('nft/mint', { contract_address: collection, recipients, idem: 'mint-three' })
    expect(again.json()).toEqual(reply.json())
    const more = await post('nft/mint', { contract_address: collection, recipients: [{ fid: 1 }] })
    expect(more.json().transactions).toMatchObject([{ error: expect.stringContaining('no known mint') }])
  })

  it('a repeated idem mints nothing, also after a receiver has changed its primary address', async () => {
    const free = await newCollection({ price: 0n })
    const body = { contract_address: free, recipients: [{ fid: 1 }], idem: 'address-changes' }
    const first = await post('nft/mint', body)
    const changed = Buffer.alloc(20, 0xc4)
    await db`insert into social.verifications (fid, address, protocol, ts, signer) values (1, ${changed}, 0, 1, '')`
    const second = await post('nft/mint', body)
    await db`delete from social.verifications where address = ${changed}`
    expect(second.statusCode, second.body).toBe(200)
    expect(second.json()).toEqual(first.json())
    const other = await post('nft/mint', { ...body, recipients: [{ fid: 1, quantity: 2 }] })
    expect(other.statusCode).toBe(409)
  })

  it('lists each token that the receiver got once, and no other', async () => {
    const free = await newCollection({ price: 0n })
    const topicOf = (address: Address) => pad(address.toLowerCase() as Address)
    const [none, contract, treasury] = [zeroAddress, free, chain.account(5).address].map(topicOf)
    rpc.faults = {
      alterResult: (method, result) => {
        const receipt = result as { logs: { topics: Hex[] }[] } | null
        if (method !== 'eth_getTransactionReceipt' || receipt === null) return result
        const [log] = receipt.logs
        const [event, , to, id] = log!.topics as [Hex, Hex, Hex, Hex]
        const other = numberToHex(9, { size: 32 })
        const transfers = [
          [none, contract, id],
          [contract, to, id],
          [none, to, id],
          [none, treasury, other],
        ]
        return { ...receipt, logs: transfers.map((topics) => ({ ...log, topics: [event, ...topics] })) }
      },
    }
    const reply = await post('nft/mint', { contract_address: free, recipients: [{ address: receiver }] })
    rpc.faults = {}
    expect(reply.json().transactions).toMatchObject([{ receipt: { status: 'success' } }])
    expect(reply.json().transactions[0].recipient.tokens).toEqual([{ token_id: '1' }])
  })

  it('async -> the hash before a block has to include it', async () => {
    const free = await newCollection({ price: 0n })
    const recipients = [{ address: receiver }]
    const reply = await post('nft/mint', { contract_address: free, recipients, async: true })
    expect(reply.json().transactions[0].transaction_hash).toMatch(/^0x[0-9a-f]{64}$/)
  })

  it('a wallet without the price of all -> 402 and nothing is minted', async () => {
    const paid = await newCollection()
    const poor = await walletWithEther(db, chain, { appId: api.appId, balance: PRICE + PRICE / 2n })
    const recipients = [{ fid: 1 }, { address: receiver }]
    const reply = await post('nft/mint', { contract_address: paid, recipients }, poor.id)
    expect([reply.statusCode, await read('totalSupply', [], paid)]).toEqual([402, 0n])
  })
})

describe('nft/relevant_mints', () => {
  const minter = chain.account(4)
  const ben = new TestUser(2)
  const relevant = (query: object) =>
    api.get('/nft/relevant_mints', { address: hexOf(ann.custody), contract_address: collection, ...query })

  it('mints to users whom the user of the address follows', async () => {
    await hub.submitOnChainEvents(ben.onChain())
    const free = await newCollection({ price: 0n })
    const mints = { contract_address: free, recipients: [{ address: minter.address }, { address: receiver }] }
    const { transactions } = (await post('nft/mint', mints)).json()
    const [{ token_id }] = transactions[0].recipient.tokens
    await db`
      insert into social.verifications (fid, address, protocol, ts, signer)
      values (2, ${Buffer.from(minter.address.slice(2), 'hex')}, 0, 1, '')`
    expect((await relevant({ contract_address: free })).json()).toEqual({ mints: [] })
    await db`insert into social.follows (fid, target_fid, ts, signer) values (1, 2, 1, '')`
    const reply = await relevant({ contract_address: free })
    expect(reply.json().mints).toMatchObject([
      {
        contract_address: free.toLowerCase(),
        token_id,
        block_number: Number(transactions[0].receipt.block_number),
        tx_hash: transactions[0].transaction_hash,
        minter: { object: 'user', fid: 2 },
      },
    ])
    expect((await relevant({ contract_address: free, token_id })).json()).toEqual(reply.json())
    expect((await relevant({ contract_address: free, token_id: '3' })).json()).toEqual({ mints: [] })
  })

  it('the bans of one app hide nothing from another', async () => {
    const cid = new TestUser(3)
    await hub.submitOnChainEvents(cid.onChain())
    await db`
      insert into social.verifications (fid, address, protocol, ts, signer)
      values (3, ${Buffer.from(receiver.slice(2), 'hex')}, 0, 1, '')`
    await db`insert into social.follows (fid, target_fid, ts, signer) values (1, 3, 1, '')`
    const free = await newCollection({ price: 0n })
    const recipients = [{ address: minter.address }, { address: receiver }]
    await post('nft/mint', { contract_address: free, recipients })
    const hydrator = new Hydrator({ db, clock: Date.now, locationOf: () => null, maxViews: 100 })
    const context = { db, ...spendingContext(db, rpc), hydrator }
    const strict = await createTestApi({ ...context, appName: 'strict' })
    const open = await createTestApi({ ...context, appName: 'open' })
    await strict.send('POST', 'ban', { fids: [2] })
    const query = { address: hexOf(ann.custody), contract_address: free }
    const minters = async ({ get }: TestApi): Promise<number[]> => {
      const { mints } = (await get('/nft/relevant_mints', query)).json()
      return mints.map((mint: { minter: { fid: number } }) => mint.minter.fid).sort()
    }
    expect(await minters(strict)).toEqual([3])
    expect(await minters(open)).toEqual([2, 3])
    expect(await minters(strict)).toEqual([3])
  })

  it('the mints of several networks in turn, the newest of each first', async () => {
    const free = await newCollection({ price: 0n })
    const mint = () => post('nft/mint', { contract_address: free, recipients: [{ address: minter.address }] })
    for (const reply of [await mint(), await mint()]) expect(reply.statusCode, reply.body).toBe(200)
    const [base] = [...spendingContext(db, rpc).tokenTracking.rpcs.values()]
    // The same chain, as if it were two networks.
    const optimism = new ChainRpc({ ...base!.chain, name: 'optimism' }, { log: silentLog, clock: Date.now })
    const rpcs = new Map([['base', base!] as const, ['optimism', optimism] as const])
    const hydrator = new Hydrator({ db, clock: Date.now, locationOf: () => null, maxViews: 100 })
    const { get } = await createTestApi({ db, hydrator, tokenTracking: { rpcs, maxTrackedTokens: 0 } })
    const query = { address: hexOf(ann.custody), contract_address: free }
    const { mints } = (await get('/nft/relevant_mints', query)).json()
    expect(mints.map((each: { token_id: string }) => each.token_id)).toEqual(['2', '2', '1', '1'])
  })

  it('a token id that is no number -> 400', async () => {
    expect((await relevant({ token_id: 'x' })).json()).toMatchObject({ status: 400, property: 'token_id' })
  })
})

describe('nft/metadata/token', () => {
  const tokens = [
    {
      token_id: '1',
      metadata: {
        ...{ name: 'Map 1', image: 'https://garden.example/1.png' },
        attributes: [{ trait_type: '', value: 'Rare' }],
      },
    },
    { token_id: 'first', metadata: { name: 'Map 2', image: 'https://garden.example/2.png' } },
  ]

  it('stores what tokenURI leads to; the last one counts', async () => {
    const upload = () => post('nft/metadata/token', { contract_address: collection, tokens })
    await upload()
    tokens[0]!.metadata.name = 'Map one'
    const reply = await upload()
    expect(reply.statusCode, reply.body).toBe(200)
    const uri = await read<string>('tokenURI', [1n])
    expect(reply.json().tokens).toEqual([
      { token_id: '1', uri },
      { token_id: 'first', error: expect.stringContaining('no decimal number') },
    ])
    expect((await api.app.inject(new URL(uri).pathname)).json()).toEqual(tokens[0]!.metadata)
  })

  it.each([
    ['a contract of another owner', () => newCollection(), 403],
    ['no contract', async () => zeroAddress, 404],
  ])('%s -> %s', async (_, contract, status) => {
    const reply = await post('nft/metadata/token', { contract_address: await contract(), tokens })
    expect(reply.statusCode).toBe(status)
  })

  it.each(['/nft/metadata/base/0x1/1', '/nft/metadata/venus/0x1', `/nft/metadata/base/${receiver}/x`])(
    '%s -> 404',
    async (path) => {
      expect((await api.app.inject(path)).statusCode).toBe(404)
    },
  )
})
