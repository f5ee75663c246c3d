import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import type { Log } from '../../platform/log/log.js'
import type { Hub } from '../hub.js'
import type { ChainRpc } from './chain-rpc.js'
import type { ChainSettings, ChannelRegistrar } from './chain-settings.js'
import { type ChannelContracts, channelEvent, channelTopics } from './channel-events.js'
import type { Endpoint } from './endpoint.js'
import type { LogHandler } from './follower.js'
import { rereadBlock, submitChainEvents } from './registry-handler.js'

const controllerAbi = parseAbi(['function rootNode() view returns (bytes32)'])
const ensRegistryAbi = parseAbi(['function owner(bytes32 node) view returns (address)'])

/** Dependencies of the channel handler. */
export interface ChannelHandlerOptions {
  readonly hub: Pick<Hub, 'submitOnChainEvents'>
  readonly rpc: ChainRpc
  readonly log: Log
}

/**
 * Submits the logs of the channels' registrar to the hub; null if it is not on this chain. It reads final
 * blocks only, as the other registries do.
 *
 * The token is looked up before the first step, and again by every process: another token is read from the
 * first block. Until the lookup succeeds, the step fails and repeats.
 */
export function channelHandler(
  { channelRegistrar, firstBlock }: Pick<ChainSettings, 'channelRegistrar' | 'firstBlock'>,
  { hub, rpc, log }: ChannelHandlerOptions,
): LogHandler | null {
  const { name, confirmations } = rpc.chain
  if (channelRegistrar === null || channelRegistrar.chain !== name) return null
  let found: ChannelContracts | null = null

  async function findContracts(): Promise<ChannelContracts> {
    found ??= {
      controller: lowercase(channelRegistrar!.controller),
      token: lowercase(await rpc.withEndpoint((endpoint) => findToken(endpoint, channelRegistrar!))),
    }
    return found
  }

  return {
    name: `${name}/channels`,
    firstBlock: async () => firstBlock(name),
    configuredFirstBlock: firstBlock(name),
    contracts: async () => Object.values(await findContracts()),
    confirmedOnly: true,
    withTimes: true,
    async filter() {
      const { controller, token } = await findContracts()
      return { addresses: [controller, token], topics: Object.values(channelTopics) }
    },
    read: async () => {},
    async handle({ logs, headers }, _, commit) {
      const contracts = await findContracts()
      const events = logs.flatMap(
        (each) => channelEvent(contracts, each, headers.get(each.blockNumber)!.timestamp) ?? [],
      )
      await submitChainEvents(hub, events, log)
      await commit(async () => {})
    },
    undo: async () => {},
    recoverFromDeepReorg: async (_, nextBlock) => rereadBlock(nextBlock, confirmations),
  }
}

/** Finds the token of the channels: the owner of the controller's root node (docs/protocol.md §5). */
async function findToken(
  endpoint: Endpoint,
  { controller, ensRegistry }: ChannelRegistrar,
): Promise<Address> {
  const rootData = await endpoint.call(
    lowercase(controller),
    encodeFunctionData({ abi: controllerAbi, functionName: 'rootNode' }),
  )
  const node = decodeFunctionResult({ abi: controllerAbi, functionName: 'rootNode', data: rootData })
  const ownerData = await endpoint.call(
    lowercase(ensRegistry),
    encodeFunctionData({ abi: ensRegistryAbi, functionName: 'owner', args: [node] }),
  )
  const token = decodeFunctionResult({ abi: ensRegistryAbi, functionName: 'owner', data: ownerData })
  if (token === zeroAddress) {
    throw new Error(`nobody owns ${node}, the root of the channels, in the registry ${ensRegistry}`)
  }
  return token
}

function lowercase(address: Address): Hex {
  return address.toLowerCase() as Hex
}
