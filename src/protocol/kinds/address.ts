import base58 from 'bs58'
import { checksumAddress } from 'viem'
import { ETH_ADDRESS_BYTES } from '../bytes.js'
import { UserDataType } from '../definitions.js'
import { INVALID_DATA } from '../message-kind.js'

export const SOL_ADDRESS_BYTES = 32
const BLOCK_HASH_BYTES = 32
/** `0x` and 40 digits. */
const ETH_ADDRESS_CHARACTERS = 42
/** Most characters of 32 bytes in base58. Decoding takes quadratic time, so the length is checked first. */
export const MAX_SOL_ADDRESS_CHARACTERS = 44

/** Returns the rule that an Ethereum address breaks (docs/protocol.md §3.3.6), or null. */
export function validateEthAddress(address: Uint8Array): string | null {
  if (address.length === 0) return 'ethereum address is missing'
  return address.length === ETH_ADDRESS_BYTES ? null : 'invalid length for eth address'
}

/** Returns the rule that a Solana address breaks, or null. */
export function validateSolAddress(address: Uint8Array): string | null {
  if (address.length === 0) return 'solana address is missing'
  return address.length === SOL_ADDRESS_BYTES ? null : 'invalid length for sol address'
}

/** Returns the rule that the block hash of a verification breaks, or null. */
export function validateBlockHash(blockHash: Uint8Array): string | null {
  if (blockHash.length === 0) return 'blockHash is missing'
  return blockHash.length === BLOCK_HASH_BYTES ? null : 'blockHash must be 32 bytes'
}

/**
 * Returns the rule that a primary Ethereum address breaks (docs/protocol.md §3.3.7), or null: `0x`, 40 digits,
 * EIP-55 checksum; '' unsets it.
 */
export function validatePrimaryEthAddress(text: string): string | null {
  if (text === '') return null
  if (text.length !== ETH_ADDRESS_CHARACTERS || !text.startsWith('0x')) {
    return 'invalid length for eth address'
  }
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return INVALID_DATA
  return checksumAddress(text.toLowerCase() as `0x${string}`) === text ? null : INVALID_DATA
}

/** Returns the rule that a primary Solana address breaks, or null: base58 of 32 bytes; '' unsets it. */
export function validatePrimarySolAddress(text: string): string | null {
  if (text === '') return null
  if (text.length > MAX_SOL_ADDRESS_CHARACTERS) {
    return /^[1-9A-HJ-NP-Za-km-z]+$/.test(text) ? 'invalid length for sol address' : INVALID_DATA
  }
  const address = base58.decodeUnsafe(text)
  if (address === undefined) return INVALID_DATA
  return validateSolAddress(address)
}

/** Returns the address bytes of a valid primary address; null for '' and other entries. */
export function primaryAddressBytes(type: UserDataType, value: string): Buffer | null {
  if (value === '') return null
  if (type === UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM) return Buffer.from(value.slice(2), 'hex')
  if (type === UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA) return Buffer.from(base58.decode(value))
  return null
}
