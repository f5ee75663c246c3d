import { type Address, encodeFunctionData, type Hex, namehash, parseAbi } from 'viem'
import { callOrNull } from '../chain/batch-call.js'
import type { Endpoint } from '../chain/endpoint.js'

/** Address that a name resolves to, or the reason for which it resolves to nothing. */
export type Resolution =
  /** 20 bytes in lower-case hex; all zero if the owner has cleared it. */
  { readonly address: Hex } | { readonly problem: 'no resolver' | 'no address' }

const registryAbi = parseAbi(['function resolver(bytes32 node) view returns (address)'])
const resolverAbi = parseAbi(['function addr(bytes32 node) view returns (address)'])

const ZERO_ADDRESS = `0x${'00'.repeat(20)}`
/** An ABI word with an address: 0x, 12 bytes of zero, 20 bytes. */
const addressWord = /^0x0{24}([0-9a-f]{40})$/i

/**
 * Resolves an ENS name or a basename at the newest block: the resolver of its namehash, then `addr` of that resolver
 * (docs/protocol.md §4.4). Names are not normalized. Resolvers off the chain (CCIP-Read) have no address here.
 *
 * @throws Error if the RPC fails, or if there is no registry.
 */
export async function resolveName(endpoint: Endpoint, registry: Address, name: string): Promise<Resolution> {
  // A variation selector changes how an emoji looks, and not which name it is.
  const node = namehash(name.replaceAll('\uFE0F', ''))
  const resolverCall = encodeFunctionData({ abi: registryAbi, args: [node] })
  const resolver = readAddress(await endpoint.call(registry, resolverCall))
  if (resolver === null) throw new Error(`there is no name registry at ${registry} of ${endpoint.name}`)
  if (resolver === ZERO_ADDRESS) return { problem: 'no resolver' }
  const addressCall = encodeFunctionData({ abi: resolverAbi, args: [node] })
  const answer = await callOrNull(endpoint, { to: resolver, data: addressCall })
  const address = answer === null ? null : readAddress(answer)
  return address === null ? { problem: 'no address' } : { address }
}

function readAddress(word: Hex): Hex | null {
  const digits = addressWord.exec(word)?.[1]
  return digits === undefined ? null : `0x${digits.toLowerCase()}`
}
