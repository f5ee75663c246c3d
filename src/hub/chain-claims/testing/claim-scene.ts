import type { Address, Hex } from 'viem'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import type { Database } from '../../../platform/db/connection.js'
import { silentLog } from '../../../platform/log/log.js'
import {
  MessageType,
  Protocol,
  UserDataType,
  UserNameProof,
  UserNameType,
} from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { ChainRpc } from '../../chain/chain-rpc.js'
import { readChainSettings } from '../../chain/chain-settings.js'
import type { ChainName } from '../../chain/chains.js'
import type { Hub } from '../../hub.js'
import { createChainClaims } from '../chain-claims.js'
import { type ChainLookupOptions, type ChainLookups, createChainLookups } from '../chain-lookups.js'

/** RPC URLs by chain. */
type Urls = Partial<Record<ChainName, readonly string[]>>

/** Opens lookups on development chains, whose contracts have the public addresses. */
export function testLookups(urls: Urls, options: Partial<ChainLookupOptions> = {}): ChainLookups {
  const { chains, contracts } = readChainSettings({
    rpcUrls: Object.fromEntries(Object.entries(urls).map(([name, list]) => [name, list.join()])),
    ids: 'ethereum=10,base=10',
  })
  const rpcs = new Map(
    [...chains].map(([name, chain]) => [name, new ChainRpc(chain, { log: silentLog, clock: Date.now })]),
  )
  return createChainLookups({ rpcs, contracts, clock: Date.now, ...options })
}

/** Opens a hub that asks these lookups. */
export function claimHub(
  db: Database,
  lookups: ChainLookups,
  options: { readonly checksSyncedClaims?: boolean } = {},
): Promise<Hub> {
  return createTestHub(db, { chainClaims: createChainClaims(lookups), ...options })
}

let nextFid = 1

/** Registers the next user, whose custody is the given address or one of their own. */
export async function addUser(hub: Hub, custody?: Address): Promise<TestUser> {
  const user = new TestUser(nextFid++)
  const address = custody === undefined ? user.custody : bytesOf(custody)
  const [registered, ...others] = user.onChain({ units: 5 })
  registered!.idRegisterEventBody!.to = address
  await hub.submitOnChainEvents([registered!, ...others])
  return user
}

/** Signs the proof of a name, without a signature by its owner. */
export function nameProof(user: TestUser, name: string, owner: Address, at = testNow): SignedMessage {
  const usernameProofBody = UserNameProof.create({
    timestamp: at - testNow + testNowUnix,
    name: Buffer.from(name),
    owner: bytesOf(owner),
    fid: user.fid,
    type: name.endsWith('.base.eth')
      ? UserNameType.USERNAME_TYPE_BASENAME
      : UserNameType.USERNAME_TYPE_ENS_L1,
  })
  return user.message({ type: MessageType.USERNAME_PROOF, usernameProofBody }, at)
}

/** Signs a USERNAME entry. */
export function username(user: TestUser, name: string): SignedMessage {
  return user.userData(UserDataType.USERNAME, name, testNow)
}

/** Signs a verification of a contract wallet. */
export function walletVerification(
  user: TestUser,
  claim: { readonly address: Address; readonly signature: Hex; readonly chainId?: number },
  at = testNow,
): SignedMessage {
  const verificationAddAddressBody = {
    address: bytesOf(claim.address),
    claimSignature: bytesOf(claim.signature),
    blockHash: CLAIM_BLOCK_HASH,
    verificationType: 1,
    chainId: claim.chainId ?? 10,
    protocol: Protocol.ETHEREUM,
  }
  return user.message({ type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody }, at)
}

/** The block hash in claims of this scene. */
export const CLAIM_BLOCK_HASH = Buffer.alloc(32, 0xb1)

/** Returns the refusal of a message in words; null when it merges. */
export async function submitOne(hub: Hub, message: SignedMessage): Promise<string | null> {
  const [refusal] = await hub.submit([message])
  return refusal ? `${refusal.code}/${refusal.message}` : null
}

function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
