import {
  idGatewayABI,
  idRegistryABI,
  keyGatewayABI,
  keyRegistryABI,
  storageRegistryABI,
} from '@farcaster/core'
import {
  type Abi,
  type Address,
  decodeErrorResult,
  decodeFunctionData,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
} from 'viem'
import type { ChainSettings, ContractName } from '../../../../hub/chain/chain-settings.js'
import { hexOf } from '../../../../protocol/bytes.js'
import type { AccountCall, NonceContract } from '../account-ledger.js'

/** An encoded contract call. */
export interface EncodedCall {
  readonly to: Address
  readonly data: Hex
}

/** Metadata type of keys: a signed key request (docs/protocol.md §5.3). */
const SIGNED_KEY_REQUEST = 1

const abis = {
  idGateway: idGatewayABI,
  idRegistry: idRegistryABI,
  keyGateway: keyGatewayABI,
  keyRegistry: keyRegistryABI,
  storageRegistry: storageRegistryABI,
} as const satisfies Partial<Record<ContractName, Abi>>

type CalledContract = keyof typeof abis

const nonceContracts: Readonly<Record<NonceContract, CalledContract>> = {
  'id gateway': 'idGateway',
  'id registry': 'idRegistry',
  'key gateway': 'keyGateway',
  'key registry': 'keyRegistry',
}

/** A contract function and its arguments. */
interface ContractCall {
  readonly contract: CalledContract
  readonly functionName: string
  readonly args: readonly unknown[]
}

/** Encodes the transaction of an account call (docs/protocol.md §5.1). */
export function encodeCall(contracts: ChainSettings['contracts'], call: AccountCall): EncodedCall {
  return encode(contracts, contractCallOf(call))
}

/** Encodes the query of a call's price in wei; null for calls that cost only gas. */
export function encodePriceOf(
  contracts: ChainSettings['contracts'],
  {
    kind,
    extraUnits = 0,
    units = 0,
  }: Pick<AccountCall, 'kind'> & { readonly extraUnits?: number; readonly units?: number },
): EncodedCall | null {
  if (kind === 'register') {
    return encode(contracts, { contract: 'idGateway', functionName: 'price', args: [BigInt(extraUnits)] })
  }
  if (kind !== 'rent') return null
  return encode(contracts, { contract: 'storageRegistry', functionName: 'price', args: [BigInt(units)] })
}

/** Encodes the query of what an `encodeCall` transaction had to pay at its block; null when it pays nothing. */
export function encodePricePaid(
  contracts: ChainSettings['contracts'],
  { to, data }: EncodedCall,
): EncodedCall | null {
  const isCallTo = (name: CalledContract) => contracts[name].address.toLowerCase() === to.toLowerCase()
  if (isCallTo('idGateway')) {
    const { args } = decodeFunctionData({ abi: idGatewayABI, data })
    return encodePriceOf(contracts, { kind: 'register', extraUnits: Number(args?.[4] ?? 0) })
  }
  if (!isCallTo('storageRegistry')) return null
  const { args } = decodeFunctionData({ abi: storageRegistryABI, data })
  return encodePriceOf(contracts, { kind: 'rent', units: Number(args?.[1]) })
}

/** Encodes the query of an address's nonce (20 bytes). */
export function encodeNonceOf(
  contracts: ChainSettings['contracts'],
  contract: NonceContract,
  address: Buffer,
): EncodedCall {
  return encode(contracts, {
    contract: nonceContracts[contract],
    functionName: 'nonces',
    args: [hexOf(address)],
  })
}

/** Encodes the query of an address's fid (20 bytes); 0 for none. */
export function encodeIdOf(contracts: ChainSettings['contracts'], address: Buffer): EncodedCall {
  return encode(contracts, { contract: 'idRegistry', functionName: 'idOf', args: [hexOf(address)] })
}

/**
 * Encodes the query of a fid's key (32 bytes) in the key registry. The first returned number is `KEY_ADDED`
 * while it is active.
 */
export function encodeKeyOf(contracts: ChainSettings['contracts'], fid: number, key: Buffer): EncodedCall {
  return encode(contracts, {
    contract: 'keyRegistry',
    functionName: 'keyDataOf',
    args: [BigInt(fid), hexOf(key)],
  })
}

/** State of an active key. */
export const KEY_ADDED = 1n

/** Decodes the number that such a query returns. */
export function decodeNumber(result: Hex): bigint {
  return decodeFunctionResult({ abi: idRegistryABI, functionName: 'idOf', data: result })
}

/** Returns the name of a revert error; null when it is not one of these contracts. */
export function revertName(data: Hex): string | null {
  for (const abi of Object.values(abis)) {
    try {
      return decodeErrorResult({ abi: abi as Abi, data }).errorName
    } catch {
      // The error belongs to another contract.
    }
  }
  return null
}

function contractCallOf(call: AccountCall): ContractCall {
  switch (call.kind) {
    case 'register': {
      const { address, deadline, signature } = call.holder
      const args = [
        hexOf(address),
        hexOf(call.recovery),
        BigInt(deadline),
        hexOf(signature),
        BigInt(call.extraUnits),
      ]
      return { contract: 'idGateway', functionName: 'registerFor', args }
    }
    case 'transfer': {
      const { from, to } = call
      const signatureArguments = [from, to].flatMap(({ deadline, signature }) => [
        BigInt(deadline),
        hexOf(signature),
      ])
      const args = [hexOf(from.address), hexOf(to.address), ...signatureArguments]
      return { contract: 'idRegistry', functionName: 'transferFor', args }
    }
    case 'add key': {
      const { address, deadline, signature } = call.holder
      const { keyType, key, metadata } = call.added
      const keyArguments = [keyType, hexOf(key), SIGNED_KEY_REQUEST, hexOf(metadata)]
      const args = [hexOf(address), ...keyArguments, BigInt(deadline), hexOf(signature)]
      return { contract: 'keyGateway', functionName: 'addFor', args }
    }
    case 'remove key': {
      const { address, deadline, signature } = call.holder
      const args = [hexOf(address), hexOf(call.key), BigInt(deadline), hexOf(signature)]
      return { contract: 'keyRegistry', functionName: 'removeFor', args }
    }
    case 'rent':
      return {
        contract: 'storageRegistry',
        functionName: 'rent',
        args: [BigInt(call.fid), BigInt(call.units)],
      }
  }
}

function encode(
  contracts: ChainSettings['contracts'],
  { contract, functionName, args }: ContractCall,
): EncodedCall {
  return {
    to: contracts[contract].address,
    data: encodeFunctionData({ abi: abis[contract] as Abi, functionName, args }),
  }
}
