import { type Address, getAddress, type Hex } from 'viem'
import type { EthAccount } from '../../hub/registry/eth-account.js'
import { paymentChainIds } from './payment-chains.js'

/** A network of x402 payments. */
export type X402Network = 'base' | 'base-sepolia'

/** A payment to authorize. */
export interface X402Payment {
  readonly network: X402Network
  readonly to: Address
  /** In the smallest unit of the asset. */
  readonly value: bigint
  readonly asset: Address
  /** Name and version of the asset's EIP-712 domain. */
  readonly domain: { readonly name: string; readonly version: string }
  readonly timeoutSeconds: number
}

/** `TransferWithAuthorization` of ERC-3009, as x402 sends it. */
export interface X402Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: Hex
}

/** The clock of the asset's chain may be behind ours: an authorization is valid from this long ago. */
const BACKDATED_SECONDS = 600
/** A sign-in is used at once. */
const SIGN_IN_MS = 5 * 60_000

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** EIP-712 domains of USDC, for requirements that leave them out. */
const knownDomains: Readonly<Record<X402Network, Readonly<Record<string, X402Payment['domain']>>>> = {
  base: { '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913': { name: 'USD Coin', version: '2' } },
  'base-sepolia': { '0x036cbd53842c5426634e7929541ec2318f3dcf7e': { name: 'USDC', version: '2' } },
}

/** Returns the EIP-712 domain of an asset that requirements need not spell out; null for any other. */
export function knownDomain(network: X402Network, asset: Address): X402Payment['domain'] | null {
  return knownDomains[network][asset.toLowerCase()] ?? null
}

/** Signs the authorization of a payment (x402 scheme `exact`). @param nonce 32 random bytes. */
export async function signX402Payment(
  payment: X402Payment,
  { signer }: EthAccount,
  { nowMs, nonce }: { readonly nowMs: number; readonly nonce: Hex },
): Promise<{ readonly signature: Hex; readonly authorization: X402Authorization }> {
  const now = Math.floor(nowMs / 1000)
  const [validAfter, validBefore] = [now - BACKDATED_SECONDS, now + payment.timeoutSeconds]
  const [from, to] = [signer.address, getAddress(payment.to)]
  const signature = await signer.signTypedData({
    domain: {
      ...payment.domain,
      chainId: paymentChainIds[payment.network],
      verifyingContract: getAddress(payment.asset),
    },
    types,
    primaryType: 'TransferWithAuthorization',
    message: {
      from,
      to,
      value: payment.value,
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce,
    },
  })
  const authorization = {
    from,
    to,
    value: String(payment.value),
    validAfter: String(validAfter),
    validBefore: String(validBefore),
    nonce,
  }
  return { signature, authorization }
}

/** A signed Sign-In with X message in the layout of EIP-4361. */
export interface SignedSignIn {
  readonly message: string
  readonly signature: Hex
}

/** Characters of URIs (RFC 3986 §2). URLs of browsers may have others, which readers of sign-ins refuse. */
const uri = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[\da-f]{2})+$/i

/** Returns true for a URL that a sign-in can name. */
export function isSignInResource({ href }: URL): boolean {
  return uri.test(href)
}

/**
 * Signs a sign-in at the host of a resource (EIP-191).
 *
 * The message is EIP-4361, whose domain may be any authority: viem makes none for IPv6 and names without a dot.
 *
 * @param nonce At least 8 alphanumeric characters.
 */
export async function signX402SignIn(
  { resource, chainId }: { readonly resource: URL; readonly chainId: number },
  { signer }: EthAccount,
  { nowMs, nonce }: { readonly nowMs: number; readonly nonce: string },
): Promise<SignedSignIn> {
  const message = [
    `${resource.host} wants you to sign in with your Ethereum account:`,
    signer.address,
    '',
    '',
    `URI: ${resource.href}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(nowMs).toISOString()}`,
    `Expiration Time: ${new Date(nowMs + SIGN_IN_MS).toISOString()}`,
  ].join('\n')
  return { message, signature: await signer.signMessage({ message }) }
}
