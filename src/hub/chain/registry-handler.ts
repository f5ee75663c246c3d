import type { Hex } from 'viem'
import type { Log } from '../../platform/log/log.js'
import type { OnChainEvent } from '../../protocol/definitions.js'
import type { Hub } from '../hub.js'
import type { ChainSettings, FollowedChain } from './chain-settings.js'
import type { LogHandler } from './follower.js'
import { type RegistryName, registryEvent, registryTopics } from './registry-events.js'

/** Dependencies of the registry handler. */
export interface RegistryHandlerOptions {
  readonly hub: Pick<Hub, 'submitOnChainEvents'>
  readonly log: Log
}

/** After a reorganization of final blocks, this multiple of the confirmations is read again. */
const REREAD_FACTOR = 10
/** Events per submission. A larger one would fill the queue that messages wait in. */
const SUBMIT_BATCH_SIZE = 1_000

/**
 * Submits the registry logs of a chain to the hub; null if no registry is on it. It reads final blocks only,
 * since the hub never reverts events. The hub ignores events that are submitted twice.
 */
export function registryHandler(
  { contracts, firstBlock }: ChainSettings,
  { name, chainId, confirmations }: FollowedChain,
  { hub, log }: RegistryHandlerOptions,
): LogHandler | null {
  const registries = new Map<Hex, RegistryName>()
  for (const registry of Object.keys(registryTopics) as RegistryName[]) {
    const { chain, address } = contracts[registry]
    if (chain === name) registries.set(address.toLowerCase() as Hex, registry)
  }
  if (registries.size === 0) return null
  const filter = {
    addresses: [...registries.keys()],
    topics: [...registries.values()].flatMap((registry) => registryTopics[registry]),
  }

  return {
    name: `${name}/registries`,
    firstBlock: async () => firstBlock(name),
    configuredFirstBlock: firstBlock(name),
    contracts: async () => filter.addresses,
    confirmedOnly: true,
    withTimes: true,
    filter: async () => filter,
    read: async () => {},
    async handle({ logs, headers }, _, commit) {
      const events = logs.flatMap((each): OnChainEvent[] => {
        const blockTimestamp = headers.get(each.blockNumber)!.timestamp
        const event = registryEvent(registries.get(each.address)!, each, { chainId, blockTimestamp })
        return event === null ? [] : [event]
      })
      await submitChainEvents(hub, events, log)
      await commit(async () => {})
    },
    undo: async () => {},
    recoverFromDeepReorg: async (_, nextBlock) => rereadBlock(nextBlock, confirmations),
  }
}

/** Returns the block from which a chain is read again after a reorganization of final blocks. */
export function rereadBlock(nextBlock: number, confirmations: number): number {
  return Math.max(0, nextBlock - REREAD_FACTOR * confirmations)
}

/** Submits events in batches and logs refusals. An event that was submitted before is no refusal. */
export async function submitChainEvents(
  hub: Pick<Hub, 'submitOnChainEvents'>,
  events: readonly OnChainEvent[],
  log: Log,
): Promise<void> {
  for (let at = 0; at < events.length; at += SUBMIT_BATCH_SIZE) {
    const batch = events.slice(at, at + SUBMIT_BATCH_SIZE)
    for (const [index, outcome] of (await hub.submitOnChainEvents(batch)).entries()) {
      if (outcome === null || outcome.code === 'bad_request.duplicate') continue
      const { fid, type, blockNumber, logIndex } = batch[index]!
      log.error({ fid, type, blockNumber, logIndex, outcome }, 'the hub refused an on-chain event')
    }
  }
}
