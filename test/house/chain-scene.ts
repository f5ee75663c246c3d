import { type Address, getAddress, parseEther } from 'viem'
import { expect } from 'vitest'
import { deploy } from '../../scripts/dev-chain.mjs'
import type { TestApi } from '../../src/app/testing/test-api.js'
import { spendingContext } from '../../src/features/payments/testing/spending-scene.js'
import { parseSubscriptionContracts } from '../../src/features/subscriptions/settings.js'
import type { Database } from '../../src/platform/db/connection.js'
import { startTestChain } from '../chain/test-chain.js'
import { testNowUnix } from '../network.js'
import { custodyOf } from './prepared-requests.js'
import type { ChainScene, Scene } from './scene.js'

/** Chain id of Base, as the tokens of `token-scene.ts` are named. */
const CHAIN_ID = 8_453
const YEAR_SECONDS = 31_536_000n

/** Starts a chain for the file that calls it, and gives the scene's wallet money on it. */
export async function createChainScene(
  db: Database,
  countedDb: Database,
  { alice, walletId }: Pick<Scene, 'alice' | 'walletId'>,
): Promise<ChainScene> {
  const chain = await startTestChain({ chainId: CHAIN_ID })
  const creator = getAddress(custodyOf(alice))
  const [wallet] = await db<{ address: string }[]>`
    select '0x' || encode(address, 'hex') as address from accounts.wallets where id = ${walletId}`
  const payer = getAddress(wallet!.address)
  await chain.client.setBalance({ address: payer, value: parseEther('10') })
  const { token } = chain.addresses
  const minter = chain.account(0)
  await chain.send(minter, {
    contract: 'Token',
    address: token,
    functionName: 'mint',
    args: [payer, 10n ** 12n],
  })
  const args = ['Club', 'CLUB', '', creator, 1n, 3_600n, token]
  const subscription = await deploy(chain.client, 'SubscriptionTokenV1', args)
  const grant = { contract: 'SubscriptionTokenV1', address: subscription, functionName: 'grantTime' }
  await chain.send(minter, { ...grant, args: [[creator], YEAR_SECONDS] })
  await db`
    insert into subscriptions.subscribers (network, contract, account, subscribed_at, block)
    values ('base', ${bytesOf(subscription)}, ${alice.custody}, ${testNowUnix - 60}, 1)`
  const config = {
    name: 'Maps',
    symbol: 'MAP',
    baseUri: '',
    owner: payer,
    royaltyRecipient: payer,
    royaltyBps: 0n,
    maxSupply: 0n,
    price: 0n,
    maxPerTx: 0n,
    maxPerWallet: 0n,
    startTimestamp: 0n,
    endTimestamp: 0n,
  }
  const collection = await deploy(chain.client, 'Collection', [config])
  const contracts = parseSubscriptionContracts(`base:${subscription}`)
  const context = { ...spendingContext(countedDb, chain, CHAIN_ID), subscriptions: { contracts } }
  return { context, token, subscription, collection }
}

/** A payment of the calling app, which nobody has made. */
export async function requestPayment(api: TestApi, { token }: ChainScene): Promise<{ id: string }> {
  const reply = await api.send('POST', 'frame/transaction/pay', payBody(token))
  expect(reply.statusCode, reply.body).toBe(200)
  return { id: reply.json().transaction_frame.id }
}

/** The body of such a payment. */
export function payBody(token: Address) {
  const to = { address: `0x${'77'.repeat(20)}`, amount: 1, network: 'base', token_contract_address: token }
  return { transaction: { to }, config: { line_items: [{ name: 'Map', description: 'A map' }] } }
}

function bytesOf(address: Address): Buffer {
  return Buffer.from(address.slice(2), 'hex')
}
