import { type Address, getAddress, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { deploy } from '../../scripts/dev-chain.mjs'
import { saveWallet } from '../../src/features/accounts/wallets/wallets.js'
import { ensureApp } from '../../src/features/apps/apps.js'
import { ethAccount, newPrivateKey } from '../../src/hub/registry/eth-account.js'
import type { Database } from '../../src/platform/db/connection.js'
import { createVault } from '../../src/platform/vault/vault.js'
import { type Faults, startRpcProxy } from '../chain/rpc-proxy.js'
import { startTestChain, type TestChain } from '../chain/test-chain.js'
import { createTestDatabase } from '../database.js'
import { createDataDir, type ServerProcess, startServerProcess } from '../server-process.js'

const CHAIN_ID = 10
const apiKey = 'a-key-for-the-crash'
const secretKey = 'the-secret-key-of-a-server-that-is-killed'
/** Smallest units of a transfer and of a payment. */
const SENT = 1_500_000n
const PAID = 10_000n
const recipients = [getAddress(`0x${'a1'.repeat(20)}`), getAddress(`0x${'a2'.repeat(20)}`)] as const
const minter = getAddress(`0x${'b1'.repeat(20)}`)
const shop = getAddress(`0x${'c1'.repeat(20)}`)
/** Two transfers, a deployment and a mint. */
const TRANSACTIONS_OF_ROUND = 4

const { db, url: databaseUrl } = await createTestDatabase()
const chain = await startTestChain()
const proxy = await startRpcProxy(chain.url)
const token = chain.addresses.token

const env = {
  DATABASE_URL: databaseUrl,
  PLAZA_DEV_API_KEY: apiKey,
  PLAZA_SECRET_KEY: secretKey,
  LOG_LEVEL: 'silent',
  CRAWL_EMBEDS: 'false',
  SCORE_INTERVAL_HOURS: '0',
  CHAIN_BASE_RPC_URLS: proxy.url,
  CHAIN_IDS: `base=${CHAIN_ID}`,
  CHAIN_CONFIRMATIONS: '0',
  CHAIN_REGISTRIES: 'false',
  CHAIN_POLL_MS: '100',
}

/** Where the server is killed while it sends. The count is of requests in this round, from 1. */
const killPoints: readonly { readonly when: string; faults(kill: () => void): Faults }[] = [
  {
    when: 'recorded, and nothing is broadcast',
    faults: (kill) => ({
      hold: async (method) => {
        if (method !== 'eth_sendRawTransaction') return
        kill()
        throw new Error('lost on the way')
      },
    }),
  },
  {
    when: 'two are broadcast, and the server does not know of the second',
    faults(kill) {
      let sent = 0
      return {
        hold: async (method) => {
          if (method === 'eth_sendRawTransaction' && sent >= 2) throw new Error('lost on the way')
        },
        alterResult(method, result) {
          if (method === 'eth_sendRawTransaction') sent += 1
          if (sent === 2) kill()
          return result
        },
      }
    },
  },
  {
    when: 'included in a block, and nobody has the reply',
    faults: (kill) => ({
      alterResult(method, result) {
        if (method === 'eth_getTransactionReceipt' && result !== null) kill()
        return result
      },
    }),
  },
]

it('orders and payments happen once, wherever the server is killed', async () => {
  const wallet = await openWallet()
  const collection = await deployCollection(chain)
  const dataDir = await createDataDir()
  let server = await startServerProcess({ dataDir, env })
  const deployed = new Set<string>()

  /** Runs work until the server is killed as the faults say, and starts it again. */
  async function crash(faultsOf: (kill: () => void) => Faults, work: () => Promise<unknown>) {
    const { child, ended } = server
    proxy.faults = faultsOf(() => child.kill('SIGKILL'))
    const working = work()
    await ended
    proxy.faults = {}
    await working
    server = await startServerProcess({ dataDir, env })
  }

  const orders = (round: number) => ordersOf(server, { walletId: wallet.id, collection, round })

  for (const [round, { when, faults }] of killPoints.entries()) {
    await crash(faults, async () => {
      const results = await Promise.allSettled(orders(round))
      expect(
        results.some(({ status }) => status === 'rejected'),
        when,
      ).toBe(true)
    })
    const [send, deployment, mint] = await Promise.all(orders(round))
    expect(send.send_receipts, when).toMatchObject([{ status: 'sent' }, { status: 'sent' }])
    expect(mint.transactions, when).toMatchObject([{ receipt: { status: 'success' } }])
    deployed.add(deployment.collection.address)
  }

  const pay = () =>
    ask(server, 'POST', 'frame/transaction/pay', wallet.id, {
      transaction: { to: { address: shop, amount: 0.01, network: 'base', token_contract_address: token } },
      config: { line_items: [{ name: 'Map', description: 'A map' }] },
    })
  const frames = [await pay(), await pay()].map(({ transaction_frame: { id } }) => id)
  const statuses = () =>
    Promise.all(
      frames.map(async (id) => {
        const query = `frame/transaction/pay?id=${id}`
        return (await ask(server, 'GET', query, wallet.id)).transaction_frame.status
      }),
    )
  const logsAreRead = (kill: () => void): Faults => ({
    alterResult(method, result) {
      if (method === 'eth_getLogs' && (result as unknown[]).length > 0) kill()
      return result
    },
  })
  const transfer = () =>
    chain.send(chain.account(0), {
      contract: 'Token',
      address: token,
      functionName: 'transfer',
      args: [shop, PAID],
    })
  await crash(logsAreRead, transfer)
  await expect.poll(statuses).toEqual(['completed', 'created'])
  await transfer()
  await expect.poll(statuses).toEqual(['completed', 'completed'])

  await expectOnce(wallet.address, collection, deployed)
  server.child.kill('SIGTERM')
  await server.ended
})

/** Requests a transfer to each recipient, a collection and a mint, as in each round. */
function ordersOf(
  server: ServerProcess,
  {
    walletId,
    collection,
    round,
  }: { readonly walletId: string; readonly collection: string; readonly round: number },
) {
  return [
    ask(server, 'POST', 'fungible/send', walletId, {
      fungible_contract_address: token,
      recipients: recipients.map((_, index) => ({ fid: index + 1, amount: 1.5 })),
      idem: `send-in-${round}`,
    }),
    ask(server, 'POST', 'nft/deploy/erc721', walletId, {
      name: `Maps ${round}`,
      symbol: 'MAP',
      idem: `deploy-in-${round}`,
    }),
    ask(server, 'POST', 'nft/mint', walletId, {
      contract_address: collection,
      recipients: [{ address: minter }],
      idem: `mint-in-${round}`,
    }),
  ]
}

/** Each order of each round has happened, and none twice. */
async function expectOnce(
  walletAddress: Address,
  collection: Address,
  deployed: ReadonlySet<string>,
): Promise<void> {
  const rounds = killPoints.length
  await expect.poll(() => countRecorded(db)).toBe(0)
  expect(deployed.size).toBe(rounds)
  expect(await Promise.all(recipients.map(unitsOf))).toEqual(recipients.map(() => SENT * BigInt(rounds)))
  expect(await read('Collection', collection, 'balanceOf', [minter])).toBe(BigInt(rounds))
  expect(await chain.client.getTransactionCount({ address: walletAddress })).toBe(
    rounds * TRANSACTIONS_OF_ROUND,
  )
  const rows = await db<{ nonce: number; purpose: string }[]>`
    select nonce, purpose from accounts.transactions order by nonce`
  expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, index) => index))
  expect(new Set(rows.map(({ purpose }) => purpose)).size).toBe(rounds * TRANSACTIONS_OF_ROUND)
}

/** Creates users who are paid, and a wallet of the app with coins and tokens. */
async function openWallet(): Promise<{ readonly id: string; readonly address: Address }> {
  for (const [index, address] of recipients.entries()) {
    await db`
      insert into social.users (fid, custody_address, registered_at)
      values (${index + 1}, ${Buffer.from(address.slice(2), 'hex')}, 0)`
  }
  const privateKey = newPrivateKey()
  const { address } = ethAccount(privateKey).signer
  const { id } = await saveWallet(db, createVault([secretKey]), {
    appId: await ensureApp(db, 'development'),
    network: 'local',
    privateKey,
    fidPoolSize: 0,
    balance: 0n,
  })
  await chain.client.setBalance({ address, value: parseEther('10') })
  for (const receiver of [address, chain.account(0).address]) {
    const mint = { contract: 'Token', address: token, functionName: 'mint', args: [receiver, 10n ** 12n] }
    await chain.send(chain.account(0), mint)
  }
  return { id, address }
}

/** Deploys a collection of free tokens. */
function deployCollection({ client }: TestChain): Promise<Address> {
  return deploy(client, 'Collection', [
    {
      name: 'Maps',
      symbol: 'MAP',
      baseUri: '',
      owner: minter,
      royaltyRecipient: minter,
      royaltyBps: 0n,
      maxSupply: 0n,
      price: 0n,
      maxPerTx: 0n,
      maxPerWallet: 0n,
      startTimestamp: 0n,
      endTimestamp: 0n,
    },
  ])
}

/** Sends a request of the app. @throws when the server dies first, or for a reply that is an error. */
async function ask(
  { url }: ServerProcess,
  method: 'GET' | 'POST',
  path: string,
  walletId: string,
  body?: object,
) {
  const reply = await fetch(`${url}/v2/farcaster/${path}`, {
    method,
    headers: { 'x-api-key': apiKey, 'x-wallet-id': walletId, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify({ network: 'base', ...body }) }),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`)
  return JSON.parse(text)
}

function read(contract: string, address: Address, functionName: string, args: readonly unknown[]) {
  return chain.read<bigint>({ contract, address, functionName, args })
}

const unitsOf = (holder: Address) => read('Token', token, 'balanceOf', [holder])

async function countRecorded(database: Database): Promise<number> {
  const [row] = await database<{ open: number }[]>`
    select count(*)::integer as open from accounts.transactions where state = 'recorded'`
  return row!.open
}
