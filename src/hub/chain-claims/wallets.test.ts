import { encodeFunctionData, type Hex, hashMessage, serializeErc6492Signature } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { contract, deploy } from '../../../scripts/dev-chain.mjs'
import { startRpcProxy } from '../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { type TestUser, testNow } from '../../../test/network.js'
import { hexOf } from '../../protocol/bytes.js'
import { FarcasterNetwork, MessageData } from '../../protocol/definitions.js'
import { verificationClaimDigest } from '../../protocol/kinds/verification.js'
import type { ClaimChain } from './chain-lookups.js'
import {
  addUser,
  CLAIM_BLOCK_HASH,
  claimHub,
  submitOne,
  testLookups,
  walletVerification,
} from './testing/claim-scene.js'
import { isMessageOfWallet } from './wallet-message.js'

const { db } = await createTestDatabase()
const chain = await startTestChain()
const [first, second] = [await startRpcProxy(chain.url), await startRpcProxy(chain.url)]
const urls = [first.url, second.url]
const hub = await claimHub(db, testLookups({ ethereum: urls, optimism: urls }))
/** The account that owns the wallets, and one that owns none. */
const [owner, stranger] = [chain.account(5), chain.account(6)]
const wallet = await deploy(chain.client, 'Wallet', [owner.address])
const factory = await deploy(chain.client, 'WalletFactory')

beforeEach(() => {
  for (const proxy of [first, second]) proxy.faults = {}
})

/** Signs the claim of a wallet to a user with the key of an account. */
async function claimOf(
  user: TestUser,
  address: Hex,
  account = owner,
  chainId = 10,
  network = FarcasterNetwork.DEVNET,
): Promise<Hex> {
  const body = { address: Buffer.from(address.slice(2), 'hex'), blockHash: CLAIM_BLOCK_HASH, chainId }
  const digest = verificationClaimDigest(body, { fid: user.fid, network })
  return await account.sign!({ hash: hexOf(digest) })
}

/** A wallet to come: its address, and what makes its signature verifiable before it is deployed. */
async function walletToCome(salt: number) {
  const args = [owner.address, `0x${salt.toString(16).padStart(64, '0')}`] as const
  const address = await chain.read<Hex>({
    contract: 'WalletFactory',
    address: factory,
    functionName: 'addressOf',
    args,
  })
  const data = encodeFunctionData({ abi: contract('WalletFactory').abi, functionName: 'create', args })
  return {
    address,
    args,
    wrap: (signature: Hex) => serializeErc6492Signature({ address: factory, data, signature }),
  }
}

const notVerified =
  'bad_request.validation_failure/could not verify contract signature: invalid claimSignature'

describe('the claim of a deployed wallet (ERC-1271)', () => {
  it.each([1, 10])('merges when its owner has signed, with chain id %d', async (chainId) => {
    const user = await addUser(hub)
    const signature = await claimOf(user, wallet, owner, chainId)
    expect(await submitOne(hub, walletVerification(user, { address: wallet, signature, chainId }))).toBeNull()
    const [row] = await db`select key from hub.messages where fid = ${user.fid} and set = 4`
    expect(row!.key).toEqual(Buffer.from(wallet.slice(2), 'hex'))
  })

  it('is refused when somebody else has signed, or for another user, or for another chain', async () => {
    const user = await addUser(hub)
    const another = await addUser(hub)
    for (const signature of [
      await claimOf(user, wallet, stranger),
      await claimOf(another, wallet),
      await claimOf(user, wallet, owner, 1),
      '0x' as const,
    ]) {
      const message = walletVerification(user, { address: wallet, signature })
      expect(await submitOne(hub, message)).toBe(notVerified)
    }
  })

  it('names the network of the hub, also in a message of another network', async () => {
    const user = await addUser(hub)
    const ofMainnet = async (network: FarcasterNetwork) => {
      const signature = await claimOf(user, wallet, owner, 10, network)
      const { data } = walletVerification(user, { address: wallet, signature })
      return user.key.sign(MessageData.fromPartial({ ...data, network: FarcasterNetwork.MAINNET }))
    }
    expect(await submitOne(hub, await ofMainnet(FarcasterNetwork.MAINNET))).toBe(notVerified)
    expect(await submitOne(hub, await ofMainnet(FarcasterNetwork.DEVNET))).toBeNull()
  })

  it('is refused when the contract is no wallet', async () => {
    const user = await addUser(hub)
    const message = walletVerification(user, { address: factory, signature: await claimOf(user, factory) })
    expect(await submitOne(hub, message)).toBe(notVerified)
  })

  it('is refused on chains that contract wallets are not looked up on', async () => {
    const user = await addUser(hub)
    const signature = await claimOf(user, wallet, owner, 420)
    const message = walletVerification(user, { address: wallet, signature, chainId: 420 })
    expect(await submitOne(hub, message)).toBe('bad_request.validation_failure/invalid chain id')
    expect(await hub.validate([message])).toEqual([null])
  })
})

describe('the claim of a wallet that is not deployed (ERC-6492)', () => {
  it('merges when its owner has signed, and only then', async () => {
    const user = await addUser(hub)
    const { address, wrap } = await walletToCome(1)
    const forged = wrap(await claimOf(user, address, stranger))
    expect(await submitOne(hub, walletVerification(user, { address, signature: forged }))).toBe(notVerified)
    const signature = wrap(await claimOf(user, address))
    expect(await submitOne(hub, walletVerification(user, { address, signature }))).toBeNull()
  })

  it('is refused for an address that the factory does not deploy to', async () => {
    const user = await addUser(hub)
    const { wrap } = await walletToCome(2)
    const address = '0x00000000000000000000000000000000000000aa'
    const signature = wrap(await claimOf(user, address))
    expect(await submitOne(hub, walletVerification(user, { address, signature }))).toBe(notVerified)
  })

  it('is asked without its wrapper once it is deployed, as by the reference node', async () => {
    const user = await addUser(hub)
    const { address, args, wrap } = await walletToCome(3)
    const signature = await claimOf(user, address)
    await chain.send(owner, { contract: 'WalletFactory', address: factory, functionName: 'create', args })
    const wrapped = walletVerification(user, { address, signature: wrap(signature) })
    expect(await submitOne(hub, wrapped)).toBe(notVerified)
    expect(await submitOne(hub, walletVerification(user, { address, signature }))).toBeNull()
  })
})

it('an account may also verify as a wallet: whether it is one only the chain knows', async () => {
  const user = await addUser(hub)
  const signature = await claimOf(user, owner.address)
  expect(await submitOne(hub, walletVerification(user, { address: owner.address, signature }))).toBeNull()
  const forged = await claimOf(user, stranger.address)
  const message = walletVerification(user, { address: stranger.address, signature: forged })
  expect(await submitOne(hub, message)).toBe(notVerified)
})

describe('a text that a wallet has signed', () => {
  const message = 'I sign in'
  const bytes = (hex: Hex) => Buffer.from(hex.slice(2), 'hex')

  /** Asks whether a wallet has signed; also says how often it was asked where the wallet is. */
  async function ask(
    address: Hex,
    signature: Hex,
    chain: ClaimChain | null = 'optimism',
    from = testLookups({ optimism: urls }),
  ) {
    let finds = 0
    const findChain = async () => {
      finds += 1
      return chain
    }
    const request = { address: bytes(address), message, signature: bytes(signature), findChain }
    return { ...(await isMessageOfWallet(from, request)), finds }
  }

  it('is that of the account whose key has signed, which no chain needs to say', async () => {
    const signature = await owner.signMessage!({ message })
    expect(await ask(owner.address, signature, null)).toEqual({ answer: true, finds: 0 })
    expect(await ask(stranger.address, signature, null)).toEqual({ answer: false, finds: 1 })
    expect(await ask(stranger.address, signature)).toEqual({ answer: false, finds: 1 })
  })

  it('is not that of an account whose signature is none', async () => {
    const unreadable = `0x${'ff'.repeat(65)}` as const
    expect(await ask(owner.address, unreadable)).toEqual({ answer: false, finds: 1 })
    expect(await ask(owner.address, unreadable, null)).toEqual({ answer: false, finds: 1 })
  })

  it('is that of a contract that says so', async () => {
    expect(await ask(wallet, await owner.signMessage!({ message }))).toEqual({ answer: true, finds: 1 })
    expect(await ask(wallet, await owner.signMessage!({ message: 'another' }))).toMatchObject({
      answer: false,
    })
    expect(await ask(wallet, await owner.signMessage!({ message }), null)).toMatchObject({ answer: false })
  })

  it('may be wrapped by ERC-6492, before the contract is deployed and after', async () => {
    const { address, args, wrap } = await walletToCome(4)
    const signature = wrap(await owner.sign!({ hash: hashMessage(message) }))
    const forged = wrap(await stranger.sign!({ hash: hashMessage(message) }))
    for (const isDeployed of [false, true]) {
      if (isDeployed)
        await chain.send(owner, { contract: 'WalletFactory', address: factory, functionName: 'create', args })
      expect(await ask(address, signature)).toMatchObject({ answer: true })
      expect(await ask(address, forged)).toMatchObject({ answer: false })
    }
  })

  it('is refused without its chain, unless the signature has the length of those of accounts', async () => {
    const signature = await owner.signMessage!({ message })
    expect(await ask(wallet, signature, 'base')).toMatchObject({ answer: false })
    expect(await ask(wallet, `${signature}00`, 'base')).toMatchObject({
      refusal: { code: 'not_configured' },
    })
  })

  it('is looked up ten times a minute for a wallet', async () => {
    const from = testLookups({ optimism: urls }, { clock: () => 0 })
    const forged = await stranger.signMessage!({ message })
    for (let n = 0; n < 10; n += 1) {
      expect(await ask(wallet, forged, 'optimism', from)).toMatchObject({ answer: false })
    }
    expect(await ask(wallet, forged, 'optimism', from)).toMatchObject({
      refusal: { code: 'bad_request.rate_limited' },
    })
    expect(await ask(owner.address, forged, 'optimism', from)).toMatchObject({ answer: false })
  })
})

describe('an RPC', () => {
  it('that lies refuses the claim while the other tells the truth', async () => {
    const user = await addUser(hub)
    const signature = await claimOf(user, wallet, stranger)
    second.faults = {
      alterResult: (method, result) => (method === 'eth_call' ? `0x1626ba7e${'00'.repeat(28)}` : result),
    }
    const message = walletVerification(user, { address: wallet, signature })
    expect(await submitOne(hub, message)).toBe(
      'unavailable/could not verify contract signature: RPC endpoints returned different answers (optimism): ' +
        'try again later',
    )
  })

  it('that is away refuses the claim, and says so', async () => {
    const user = await addUser(hub)
    const signature = await claimOf(user, wallet)
    const message = walletVerification(user, { address: wallet, signature })
    for (const proxy of [first, second]) proxy.faults = { stopped: true }
    expect(await submitOne(hub, message)).toMatch(/^unavailable\/.*too few RPC endpoints answered/)
    expect(await submitOne(await createTestHub(db), message)).toBe(
      'not_configured/No client configured for chain: OptimismMainnet (CHAIN_OPTIMISM_RPC_URLS)',
    )
  })

  it('is not asked about what another hub has accepted', async () => {
    const user = await addUser(hub)
    for (const proxy of [first, second]) proxy.faults = { stopped: true }
    const signature = await claimOf(user, wallet)
    const message = walletVerification(user, { address: wallet, signature }, testNow - 9)
    expect(await hub.submit([message], { origin: 'log' })).toEqual([null])
  })
})
