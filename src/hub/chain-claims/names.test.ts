import { type Address, zeroAddress } from 'viem'
import { namehash } from 'viem/ens'
import { beforeEach, describe, expect, it } from 'vitest'
import { deploy, setName } from '../../../scripts/dev-chain.mjs'
import { startRpcProxy } from '../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { testNow } from '../../../test/network.js'
import { MessageData, MessageType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { verification, verificationRemoval } from '../merge/testing/in-memory-merges.js'
import {
  addUser,
  claimHub,
  nameProof,
  submitOne,
  testLookups,
  username,
  walletVerification,
} from './testing/claim-scene.js'

const { db } = await createTestDatabase()
const chain = await startTestChain()
const [first, second] = [await startRpcProxy(chain.url), await startRpcProxy(chain.url)]
const owner = chain.account(3).address
const other = chain.account(4).address
/** A base and an Ethereum of two URLs each. */
const twoUrls = [first.url, second.url]
const lookups = testLookups({ ethereum: twoUrls, base: twoUrls })
const hub = await claimHub(db, lookups)

beforeEach(() => {
  for (const proxy of [first, second]) {
    proxy.faults = {}
    proxy.requestCounts.clear()
  }
})

let nextName = 1
/** A new name that resolves to the address. */
async function newName(address: Address, ending = '.eth'): Promise<string> {
  const name = `name${nextName++}${ending}`
  await setName(chain.client, name, address)
  return name
}

const calls = () => (first.requestCounts.get('eth_call') ?? 0) + (second.requestCounts.get('eth_call') ?? 0)
const storedNames = async (fid: number) =>
  (await db<{ name: string }[]>`select name from hub.username_proofs where fid = ${fid}`).map(
    ({ name }) => name,
  )

const otherOwner =
  "bad_request.validation_failure/invalid ens name, resolved address doesn't match proof owner address"
const notOwned =
  'bad_request.validation_failure/invalid ens proof, no matching custody address or verified addresses'

describe('a name that resolves to its owner', () => {
  it.each(['.eth', '.base.eth'])('merges, and so does the username of it (%s)', async (ending) => {
    const user = await addUser(hub, owner)
    const name = await newName(owner, ending)
    expect(await submitOne(hub, nameProof(user, name, owner))).toBeNull()
    expect(await submitOne(hub, username(user, name))).toBeNull()
    expect(await storedNames(user.fid)).toEqual([name])
  })

  it('merges together with the username of it, and is looked up once by each URL', async () => {
    const user = await addUser(hub, owner)
    const name = await newName(owner)
    expect(await hub.submit([username(user, name), nameProof(user, name, owner)])).toEqual([null, null])
    expect(calls()).toBe(4)
  })

  it('is not taken from whom it does not resolve to, whatever they claim', async () => {
    const impostor = await addUser(hub, other)
    const name = await newName(owner)
    expect(await submitOne(hub, nameProof(impostor, name, owner))).toBe(notOwned)
    expect(calls()).toBe(0)
    expect(await submitOne(hub, nameProof(impostor, name, other))).toBe(otherOwner)
    expect(await submitOne(hub, username(impostor, name))).toBe(
      'bad_request.validation_failure/fname is not registered for fid',
    )
    expect(await storedNames(impostor.fid)).toEqual([])
  })

  it('a username is compared with the chain again, and with the owner’s addresses', async () => {
    const user = await addUser(hub, owner)
    const name = await newName(owner)
    expect(await submitOne(hub, nameProof(user, name, owner))).toBeNull()
    await setName(chain.client, name, other)
    expect(await submitOne(hub, username(user, name))).toBe(otherOwner)
    await setName(chain.client, name, owner)
    await db`update hub.fids set custody_address = ${Buffer.alloc(20, 9)} where fid = ${user.fid}`
    expect(await submitOne(hub, username(user, name))).toBe(notOwned)
  })
})

describe('a username that comes with other messages', () => {
  const bytesOf = (address: Address) => Buffer.from(address.slice(2), 'hex')
  const outcomesOf = async (messages: SignedMessage[]) =>
    (await hub.submit(messages)).map((outcome) => outcome?.message ?? null)
  const stateChanged = 'the state that this message depends on has just changed: try again'

  /** A user whose proof of the name is stored, and whose name now resolves to somebody else. */
  async function sellerOf(name: string) {
    const user = await addUser(hub, owner)
    expect(await submitOne(hub, nameProof(user, name, owner, testNow - 9))).toBeNull()
    await setName(chain.client, name, other)
    return user
  }

  it('shows no name that was sold, whatever is claimed for the buyer beside it', async () => {
    const name = await newName(owner)
    const user = await sellerOf(name)
    const wallet = walletVerification(user, { address: other, signature: '0x01', chainId: 1 })
    const proof = nameProof(user, name, other)
    expect(await outcomesOf([wallet, proof, username(user, name)])).toEqual([
      expect.stringContaining('could not verify contract signature'),
      'invalid ens proof, no matching custody address or verified addresses',
      stateChanged,
    ])
    expect(await hub.submit([username(user, name)])).toMatchObject([
      { code: 'bad_request.validation_failure' },
    ])
  })

  it('shows no name by bodies in messages of another type', async () => {
    const name = await newName(owner)
    const user = await sellerOf(name)
    const asCast = ({ data }: SignedMessage) =>
      user.key.sign(MessageData.fromPartial({ ...data, type: MessageType.CAST_ADD }))
    const disguised = [verification(user, bytesOf(other)), nameProof(user, name, other)].map(asCast)
    const outcomes = await hub.submit([...disguised, username(user, name)], { trusted: true })
    expect(outcomes.at(-1)?.message).toMatch(/resolved address doesn't match proof owner address/)
  })

  it('shows no name of an address that the user has given up', async () => {
    const name = await newName(other)
    const user = await addUser(hub, owner)
    await hub.submit([verification(user, bytesOf(other), testNow - 9)], { trusted: true })
    expect(await submitOne(hub, nameProof(user, name, other))).toBeNull()
    await hub.submit([verificationRemoval(user, bytesOf(other), testNow - 5)], { trusted: true })
    const wallet = walletVerification(user, { address: other, signature: '0x01', chainId: 1 })
    expect((await outcomesOf([wallet, username(user, name)])).at(-1)).toBe(
      'invalid ens proof, no matching custody address or verified addresses',
    )
  })

  it('shows the name that a verification and a proof beside it make theirs', async () => {
    const name = await newName(other)
    const user = await addUser(hub, owner)
    const verified = verification(user, bytesOf(other))
    const messages = [username(user, name), nameProof(user, name, other), verified]
    expect(await hub.submit(messages, { trusted: true })).toEqual([null, null, null])
  })

  it('is compared with the proof that stays, and not with an older one beside it', async () => {
    const name = await newName(owner)
    const user = await sellerOf(name)
    const old = nameProof(user, name, owner, testNow - 9)
    await hub.submit([verification(user, bytesOf(other), testNow - 5)], { trusted: true })
    expect(await submitOne(hub, nameProof(user, name, other))).toBeNull()
    expect(await outcomesOf([username(user, name), old])).toEqual([null, expect.any(String)])
  })
})

describe('a name that does not resolve', () => {
  it('has no resolver', async () => {
    const user = await addUser(hub, owner)
    expect(await submitOne(hub, nameProof(user, 'nobody.eth', owner))).toBe(
      'bad_request.validation_failure/ENS resolution error: ENS resolver not found for name "nobody.eth"',
    )
  })

  it('has no address, or one off the chain', async () => {
    const user = await addUser(hub, owner)
    const cleared = await newName(zeroAddress)
    expect(await submitOne(hub, nameProof(user, cleared, owner))).toBe(otherOwner)
    const resolver = await deploy(chain.client, 'OffchainResolver')
    const address = chain.addresses.ensRegistry
    const args = [namehash(cleared), resolver]
    const registry = { contract: 'NameRegistry', address, functionName: 'setResolver', args }
    await chain.send(chain.account(0), registry)
    expect(await submitOne(hub, nameProof(user, cleared, owner))).toMatch(
      /^bad_request.validation_failure\/ENS resolution error: Failed to resolve ENS name to an address/,
    )
  })
})

describe('RPC endpoints', () => {
  it('that disagree refuse, and nothing merges', async () => {
    const user = await addUser(hub, other)
    const name = await newName(owner)
    // The second lies: all words that it returns are the address of the impostor.
    second.faults = {
      alterResult: (method, result) =>
        method === 'eth_call' ? `0x${'00'.repeat(12)}${other.slice(2).toLowerCase()}` : result,
    }
    first.faults = {}
    expect(await submitOne(hub, nameProof(user, name, other))).toBe(
      'unavailable/ENS resolution error: RPC endpoints returned different answers (ethereum): try again later',
    )
    expect(await storedNames(user.fid)).toEqual([])
  })

  it.each([
    ['is away', { stopped: true }],
    ['is overloaded', { status: () => 503 }],
    ['does not answer in time', { hold: () => new Promise<void>(() => {}) }],
    ['answers with an error', { refuse: () => 'no such method' }],
  ])('of which one %s refuse, and say so', async (_, faults) => {
    const user = await addUser(hub, owner)
    const name = await newName(owner)
    const isSlow = 'hold' in faults
    const asked = isSlow ? await claimHub(db, testLookups({ ethereum: twoUrls }, { timeoutMs: 300 })) : hub
    second.faults = faults
    expect(await submitOne(asked, nameProof(user, name, owner))).toBe(
      'unavailable/ENS resolution error: too few RPC endpoints answered (ethereum): try again later',
    )
    second.faults = {}
    expect(await submitOne(hub, nameProof(user, name, owner))).toBeNull()
  })

  it('that are not set up refuse, and name the variable', async () => {
    const user = await addUser(hub, owner)
    const [without, onlyEthereum] = [
      await createTestHub(db),
      await claimHub(db, testLookups({ ethereum: [chain.url] })),
    ]
    expect(await submitOne(without, nameProof(user, 'a.eth', owner))).toBe(
      'not_configured/No client configured for chain: EthMainnet (CHAIN_ETHEREUM_RPC_URLS)',
    )
    expect(await submitOne(onlyEthereum, nameProof(user, 'a.base.eth', owner))).toBe(
      'not_configured/No client configured for chain: BaseMainnet (CHAIN_BASE_RPC_URLS)',
    )
  })

  it('are not asked for messages of strangers, and ten times a minute for a user', async () => {
    const user = await addUser(hub, owner)
    const forged = { ...nameProof(user, 'a.eth', owner), signer: Buffer.alloc(32, 1) }
    expect(await submitOne(hub, forged)).toMatch(/invalid signature/)
    const unregistered = await addUser(await createTestHub(db), owner)
    await db`delete from hub.signers where fid = ${unregistered.fid}`
    expect(await submitOne(hub, nameProof(unregistered, 'a.eth', owner))).toBe(
      'bad_request.validation_failure/invalid signer',
    )
    expect(calls()).toBe(0)
    const proofs = Array.from({ length: 12 }, (_, n) => nameProof(user, `many${n}.eth`, owner))
    const outcomes = await hub.submit(proofs)
    expect(outcomes.map((outcome) => outcome?.code)).toEqual([
      ...Array.from({ length: 10 }, () => 'bad_request.validation_failure'),
      'bad_request.rate_limited',
      'bad_request.rate_limited',
    ])
  })
})

describe('synced messages', () => {
  it('are not asked again, unless the operator wants it', async () => {
    const user = await addUser(hub, owner)
    const proof = nameProof(user, 'synced.eth', owner, testNow - 5)
    const checking = await claimHub(db, lookups, { checksSyncedClaims: true })
    expect((await checking.submit([proof], { origin: 'store' }))[0]?.message).toMatch(/resolver not found/)
    const shown = username(user, 'synced.eth')
    expect((await checking.submit([shown], { origin: 'store' }))[0]?.message).toMatch(
      /fname is not registered/,
    )
    first.faults = { stopped: true }
    await expect(checking.submit([proof], { origin: 'log' })).rejects.toMatchObject({ code: 'unavailable' })
    expect(await hub.submit([proof], { origin: 'log' })).toEqual([null])
    expect(await hub.submit([nameProof(user, 'older.eth', other)], { origin: 'store' })).toEqual([null])
  })
})

it('a proof names the fid and the second of its message', async () => {
  const user = await addUser(hub, owner)
  const proof = nameProof(user, await newName(owner), owner)
  const changed = (change: object) => {
    const usernameProofBody = { ...proof.data.usernameProofBody!, ...change }
    return user.message({ type: MessageType.USERNAME_PROOF, usernameProofBody }, testNow)
  }
  expect(await submitOne(hub, changed({ fid: user.fid + 1 }))).toMatch(/fid in username proof/)
  expect(await submitOne(hub, changed({ timestamp: 1 }))).toMatch(/timestamp in username proof/)
})
