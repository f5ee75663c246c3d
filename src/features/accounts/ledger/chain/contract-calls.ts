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
import { type Refusal, refuse } from '../../../../platform/errors.js'
import { hexOf } from '../../../../protocol/bytes.js'
import {
  idGatewayAbi,
  idRegistryAbi,
  keyGatewayAbi,
  keyRegistryAbi,
  storageRegistryAbi,
} from '../../../../protocol/registry-abis.js'
import type { AccountCall, PricedCall, SignedAuthorization } from '../account-ledger.js'

/** An encoded contract call. */
export interface EncodedCall {
  readonly to: Address
  readonly data: Hex
}

type Contracts = ChainSettings['contracts']

/** Metadata type of keys: a signed key request (docs/protocol.md §5.3). */
const SIGNED_KEY_REQUEST = 1

const abis = {
  idGateway: idGatewayAbi,
  idRegistry: idRegistryAbi,
  keyGateway: keyGatewayAbi,
  keyRegistry: keyRegistryAbi,
  storageRegistry: storageRegistryAbi,
} as const satisfies Partial<Record<ContractName, Abi>>

/** A contract that this server calls. */
export type CalledContract = keyof typeof abis

/** Encodes a call of a contract's function. */
export function encodeFunction(
  contracts: Contracts,
  contract: CalledContract,
  functionName: string,
  args: readonly unknown[],
): EncodedCall {
  const data = encodeFunctionData({ abi: abis[contract] as Abi, functionName, args })
  return { to: contracts[contract].address, data }
}

/** Encodes the transaction of an account call (docs/protocol.md §5.1). */
export function encodeCall(contracts: Contracts, call: AccountCall): EncodedCall {
  switch (call.kind) {
    case 'register': {
      const { holder, recovery, extraUnits } = call
      const args = [hexOf(holder.address), hexOf(recovery), ...signatureArguments(holder), BigInt(extraUnits)]
      return encodeFunction(contracts, 'idGateway', 'registerFor', args)
    }
    case 'transfer': {
      const { from, to } = call
      const signatures = [from, to].flatMap(signatureArguments)
      const args = [hexOf(from.address), hexOf(to.address), ...signatures]
      return encodeFunction(contracts, 'idRegistry', 'transferFor', args)
    }
    case 'add key': {
      const { keyType, key, metadata } = call.added
      const keyArguments = [keyType, hexOf(key), SIGNED_KEY_REQUEST, hexOf(metadata)]
      const args = [hexOf(call.holder.address), ...keyArguments, ...signatureArguments(call.holder)]
      return encodeFunction(contracts, 'keyGateway', 'addFor', args)
    }
    case 'remove key': {
      const args = [hexOf(call.holder.address), hexOf(call.key), ...signatureArguments(call.holder)]
      return encodeFunction(contracts, 'keyRegistry', 'removeFor', args)
    }
    case 'rent':
      return encodeFunction(contracts, 'storageRegistry', 'rent', [BigInt(call.fid), BigInt(call.units)])
  }
}

function signatureArguments({ deadline, signature }: SignedAuthorization): [bigint, Hex] {
  return [BigInt(deadline), hexOf(signature)]
}

/** Encodes the query of a call's price in wei; null for calls that cost only gas. */
export function encodePriceOf(contracts: Contracts, call: PricedCall): EncodedCall | null {
  const { kind, extraUnits = 0, units = 0 } = call
  if (kind === 'register') return encodeFunction(contracts, 'idGateway', 'price', [BigInt(extraUnits)])
  return kind === 'rent' ? encodeFunction(contracts, 'storageRegistry', 'price', [BigInt(units)]) : null
}

/** Encodes the query of what an `encodeCall` transaction had to pay at its block; null when it pays nothing. */
export function encodePricePaid(contracts: Contracts, { to, data }: EncodedCall): EncodedCall | null {
  const isCallTo = (name: CalledContract) => contracts[name].address.toLowerCase() === to.toLowerCase()
  if (isCallTo('idGateway')) {
    const { args } = decodeFunctionData({ abi: idGatewayAbi, data })
    return encodePriceOf(contracts, { kind: 'register', extraUnits: Number(args?.[4] ?? 0) })
  }
  if (!isCallTo('storageRegistry')) return null
  const { args } = decodeFunctionData({ abi: storageRegistryAbi, data })
  return encodePriceOf(contracts, { kind: 'rent', units: Number(args?.[1]) })
}

/** Decodes the number that a query returns, or the first of several. */
export function decodeNumber(result: Hex): bigint {
  return decodeFunctionResult({ abi: idRegistryAbi, functionName: 'idOf', data: result })
}

/** The longest text of a contract that is repeated to a caller, in characters. */
const MAX_REASON_LENGTH = 200

/**
 * Returns why a call was reverted: the name of a custom error, or the text of a `require`, as in "Pausable: paused" of the
 * public registries. Null when it is neither of these contracts.
 */
export function revertReason(data: Hex): string | null {
  for (const abi of Object.values(abis)) {
    try {
      const { errorName, args } = decodeErrorResult({ abi: abi as Abi, data })
      // Errors that Solidity itself defines, which viem decodes with any ABI.
      if (errorName === 'Panic') return null
      return errorName === 'Error' ? String(args?.[0]).slice(0, MAX_REASON_LENGTH) : errorName
    } catch {
      // The error belongs to another contract.
    }
  }
  return null
}

/** Refusal of a call that the contracts revert. */
export function contractRefusal(reason: string | null): Refusal {
  return refuse('conflict', `the contracts refuse the call${reason === null ? '' : `: ${reason}`}`)
}
