import { UserDataType } from '@farcaster/core'
import base58 from 'bs58'
import { validateEthAddressText, validateSolAddressText } from './address.js'

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
