import type { OnChainEvent } from '@farcaster/core'
import type { Hex } from 'viem'
import type { Log } from '../../platform/log/log.js'
import type { Hub } from '../hub.js'
import type { ChainNetwork, ChainSettings } from './chain-settings.js'
import type { LogHandler } from './follower.js'
import { type RegistryName, registryEvent, registryTopics } from './registry-events.js'

/** What the hub's follower stands on. */
export interface RegistryHandlerOptions {
  readonly hub: Pick<Hub, 'submitOnChainEvents'>
  readonly log: Log
}

/** After a chain has taken back what was final, so many times its confirmations are read again. */
const REREAD_FACTOR = 10
/** A batch of the hub's: more would fill its queue, which messages wait in, too. */
const SUBMIT_BATCH_SIZE = 1_000

/**
 * Hands the registries' logs of a network to the hub as on-chain events. Only final blocks: the hub takes nothing back,
 * so that what a chain might still take back must not reach it. What it is handed twice it takes once.
 *
 * @returns null when no registry is on this network.
 */
export function registryHandler(
  { contracts, firstBlock }: ChainSettings,
  { name, chainId, confirmations }: ChainNetwork,
  { hub, log }: RegistryHandlerOptions,
): LogHandler | null {
  const registries = new Map<Hex, RegistryName>()
  for (const registry of Object.keys(registryTopics) as RegistryName[]) {
    const { network, address } = contracts[registry]
    if (network === name) registries.set(address.toLowerCase() as Hex, registry)
  }
  if (registries.size === 0) return null
  const filter = {
    addresses: [...registries.keys()],
    topics: [...registries.values()].flatMap((registry) => registryTopics[registry]),
  }

  async function submit(events: readonly OnChainEvent[]): Promise<void> {
    for (const [index, outcome] of (await hub.submitOnChainEvents(events)).entries()) {
      if (outcome === null || outcome.code === 'bad_request.duplicate') continue
      const { fid, type, blockNumber, logIndex } = events[index]!
      log.error({ fid, type, blockNumber, logIndex, outcome }, 'the hub has refused an event of the chain')
    }
  }

  return {
    name: `${name}/registries`,
    firstBlock: async () => firstBlock(name),
    contracts: filter.addresses,
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
      for (let at = 0; at < events.length; at += SUBMIT_BATCH_SIZE) {
        await submit(events.slice(at, at + SUBMIT_BATCH_SIZE))
      }
      await commit(async () => {})
    },
    undo: async () => {},
    recoverFromDeepReorg: async (_, nextBlock) => Math.max(0, nextBlock - REREAD_FACTOR * confirmations),
  }
}
