import { createHash, randomBytes } from 'node:crypto'
import type { PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hexOf } from '../../protocol/bytes.js'

/** An Ethereum account with its private key: a custody address, an app, a registry. */
export interface EthAccount {
  /** 20 bytes. */
  readonly address: Buffer
  /** Signs typed data (EIP-712). */
  readonly signer: PrivateKeyAccount
}

/** Returns the account of a private key of 32 bytes. Takes 0.2 ms. */
export function ethAccount(privateKey: Buffer): EthAccount {
  const signer = privateKeyToAccount(hexOf(privateKey))
  return { address: Buffer.from(signer.address.slice(2), 'hex'), signer }
}

/** Generates a private key. */
export function newPrivateKey(): Buffer {
  // All 32 bytes are a private key of Ed25519, and all but one in 2^128 of secp256k1.
  return randomBytes(32)
}

/** Returns a well-known account of a development network. Anybody can derive its key. */
export function localAccount(name: 'fname registry' | 'app'): EthAccount {
  return ethAccount(createHash('sha256').update(`plaza local registry: ${name}`).digest())
}

/** Converts a signature from viem's hex form to 65 bytes. */
export function signatureBytes(signature: `0x${string}`): Buffer {
  return Buffer.from(signature.slice(2), 'hex')
}
