import { encodeFunctionData, type Hex, serializeErc6492Signature } from 'viem'
import { createSiweMessage } from 'viem/siwe'
import { beforeEach, describe, expect, it } from 'vitest'
import { contract, deploy } from '../../../scripts/dev-chain.mjs'
import { startRpcProxy } from '../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { testNowUnix } from '../../../test/network.js'
import { createTestApi } from '../../app/testing/test-api.js'
import { addUser, testLookups } from '../../hub/chain-claims/testing/claim-scene.js'
import { OnChainEventType, SignerEventType } from '../../protocol/definitions.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const chain = await startTestChain()
const [optimism, base] = [await startRpcProxy(chain.url), await startRpcProxy(chain.url)]
const clock = () => testNowUnix * 1000
const lookups = testLookups({ optimism: [optimism.url], base: [base.url] })
const api = await createTestApi({ db, hub, clock, lookups })
const withoutChains = await createTestApi({ db, hub, clock, appName: 'without chains' })
const [owner, stranger] = [chain.account(5), chain.account(6)]
const wallet = await deploy(chain.client, 'Wallet', [owner.address])
const custodyUser = await addUser(hub, wallet)
const factory = await deploy(chain.client, 'WalletFactory')

beforeEach(() => {
  for (const proxy of [optimism, base]) {
    proxy.faults = {}
    proxy.requestCounts.clear()
  }
})

/** A sign-in message of a wallet, signed by an account. */
async function signIn(address: Hex, { by = owner, chainId = 10, from = api } = {}) {
  const message = createSiweMessage({
    address,
    chainId,
    domain: 'app.example',
    nonce: (await from.get('login/nonce')).json().nonce,
    uri: 'https://app.example/login',
    version: '1',
    issuedAt: new Date(clock()),
  })
  return { message, signature: await by.signMessage!({ message }) }
}

async function list(query: Record<string, string>, from = api) {
  const reply = await from.get('signer/list', query)
  return [reply.statusCode, reply.json().message ?? reply.json().signers]
}

const notSigned = [401, expect.stringContaining(`was not signed by the account`)]

describe('a user whose custody address is a contract wallet', () => {
  it('signs in when the owner of the wallet has signed, and only then', async () => {
    expect(await list(await signIn(wallet))).toEqual([200, []])
    expect(await list(await signIn(wallet, { by: stranger }))).toEqual(notSigned)
    const { message } = await signIn(wallet)
    expect(await list({ message, signature: (await signIn(wallet)).signature })).toEqual(notSigned)
  })

  it('is asked on OP Mainnet whatever chain the message names', async () => {
    expect(await list(await signIn(wallet, { chainId: 8453 }))).toEqual([200, []])
    expect([optimism.requestCounts.get('eth_call'), base.requestCounts.get('eth_call')]).toEqual([
      1,
      undefined,
    ])
  })

  it('signs in before the wallet is deployed (ERC-6492), and after with the same wrapper', async () => {
    const args = [owner.address, `0x${'07'.repeat(32)}`] as const
    const call = { contract: 'WalletFactory', address: factory, args } as const
    const address = await chain.read<Hex>({ ...call, functionName: 'addressOf' })
    await addUser(hub, address)
    const data = encodeFunctionData({ abi: contract('WalletFactory').abi, functionName: 'create', args })
    const wrap = (signature: Hex) => serializeErc6492Signature({ address: factory, data, signature })
    const wrapped = async (by = owner) => {
      const { message, signature } = await signIn(address, { by })
      return { message, signature: wrap(signature) }
    }
    expect(await list(await wrapped(stranger))).toEqual(notSigned)
    expect(await list(await wrapped())).toEqual([200, []])
    await chain.send(owner, { ...call, functionName: 'create' })
    expect(await list(await wrapped())).toEqual([200, []])
    expect(await list(await wrapped(stranger))).toEqual(notSigned)
  })

  it('hears that the chain does not answer, or is not set up', async () => {
    const signed = await signIn(wallet)
    optimism.faults = { stopped: true }
    expect(await list(signed)).toEqual([503, expect.stringContaining('too few RPC endpoints answered')])
    const elsewhere = await signIn(wallet, { from: withoutChains })
    expect(await list(elsewhere, withoutChains)).toEqual(notSigned)
    const long = { ...elsewhere, signature: `0x${'12'.repeat(200)}` }
    expect(await list(long, withoutChains)).toEqual([
      501,
      'No client configured for chain: OptimismMainnet (CHAIN_OPTIMISM_RPC_URLS)',
    ])
  })
})

it('a user with a contract wallet as auth address is asked on the chain of the message', async () => {
  const authWallet = await deploy(chain.client, 'Wallet', [owner.address])
  const key = Buffer.concat([Buffer.alloc(12), Buffer.from(authWallet.slice(2), 'hex')])
  const added = custodyUser.signerEvent(SignerEventType.ADD, 5_000_000_000, key)
  expect(added.type).toBe(OnChainEventType.EVENT_TYPE_SIGNER)
  added.signerEventBody!.keyType = 2
  await hub.submitOnChainEvents([added])
  expect(await list(await signIn(authWallet, { chainId: 8453 }))).toEqual([200, []])
  expect([optimism.requestCounts.get('eth_call'), base.requestCounts.get('eth_call')]).toEqual([undefined, 1])
  expect(await list(await signIn(authWallet))).toEqual([200, []])
  expect(optimism.requestCounts.get('eth_call')).toBe(1)
})

it('an address that no user has costs no question', async () => {
  const unknown = await deploy(chain.client, 'Wallet', [owner.address])
  expect(await list(await signIn(unknown))).toEqual(notSigned)
  expect(optimism.requestCounts.size + base.requestCounts.size).toBe(0)
})
