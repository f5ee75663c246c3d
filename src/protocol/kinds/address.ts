import { UserDataType } from '@farcaster/core'
import base58 from 'bs58'
import { checksumAddress } from 'viem'

const ETH_ADDRESS_BYTES = 20
const SOL_ADDRESS_BYTES = 32
const BLOCK_HASH_BYTES = 32
/** `0x` and 40 digits. */
const ETH_ADDRESS_CHARACTERS = 42
/** The longest that 32 bytes become in base58. Decoding takes quadratic time, so length is checked first. */
const MAX_SOL_ADDRESS_CHARACTERS = 44

/** The rule that an Ethereum address breaks (docs/protocol.md §3.3.6), or null. */
export function validateEthAddress(address: Uint8Array): string | null {
  if (address.length === 0) return 'ethereum address is missing'
  return address.length === ETH_ADDRESS_BYTES ? null : 'invalid length for eth address'
}

/** The rule that a Solana address breaks, or null. */
export function validateSolAddress(address: Uint8Array): string | null {
  if (address.length === 0) return 'solana address is missing'
  return address.length === SOL_ADDRESS_BYTES ? null : 'invalid length for sol address'
}

/** The rule that the block hash of a verification breaks, on either chain, or null. */
export function validateBlockHash(blockHash: Uint8Array): string | null {
  if (blockHash.length === 0) return 'blockHash is missing'
  return blockHash.length === BLOCK_HASH_BYTES ? null : 'blockHash must be 32 bytes'
}

/** The rule that an Ethereum address as text breaks, or null: `0x`, 40 digits, checksummed by EIP-55. */
function validateEthAddressText(text: string): string | null {
  if (text.length !== ETH_ADDRESS_CHARACTERS || !text.startsWith('0x')) {
    return 'invalid length for eth address'
  }
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return 'eth address is not hex'
  return checksumAddress(text.toLowerCase() as `0x${string}`) === text
    ? null
    : 'eth address checksum is wrong'
}

/** The rule that a Solana address as text breaks, or null: base58 of 32 bytes. */
function validateSolAddressText(text: string): string | null {
  if (text.length > MAX_SOL_ADDRESS_CHARACTERS) return 'invalid length for sol address'
  const address = base58.decodeUnsafe(text)
  if (address === undefined) return 'sol address is not base58'
  return validateSolAddress(address)
}

/** The rule that a primary address on Ethereum breaks (docs/protocol.md §3.3.7), or null; '' unsets it. */
export function validatePrimaryEthAddress(value: string): string | null {
  return value === '' ? null : validateEthAddressText(value)
}

/** The rule that a primary address on Solana breaks, or null; '' unsets it. */
export function validatePrimarySolAddress(value: string): string | null {
  return value === '' ? null : validateSolAddressText(value)
}

/**
 * The address bytes that a valid profile entry names, as a verification holds them; null for an entry that is
 * no primary address or unsets one.
 */
export function primaryAddressBytes(type: UserDataType, value: string): Buffer | null {
  if (value === '') return null
  if (type === UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM) return Buffer.from(value.slice(2), 'hex')
  if (type === UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA) return Buffer.from(base58.decode(value))
  return null
}
