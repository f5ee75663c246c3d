import { Counter, type Registry } from 'prom-client'
import { ChainRpc } from '../hub/chain/chain-rpc.js'
import {
  type ChainLookupOptions,
  type ChainLookups,
  createChainLookups,
} from '../hub/chain-claims/chain-lookups.js'
import { type Log, silentLog } from '../platform/log/log.js'
import type { Config } from './config/config.js'
import { chainSettings } from './modules/chains.js'

/** Observers of lookups in a server. */
interface LookupObservers {
  readonly log?: Log
  readonly onOutcome?: ChainLookupOptions['onOutcome']
}

/** Opens lookups of names and contract wallets on the RPC endpoints of the configuration. Sends nothing by itself. */
export function openChainLookups(
  config: Config,
  { log = silentLog, onOutcome }: LookupObservers = {},
): ChainLookups {
  const { chains, contracts } = chainSettings(config)
  const rpcs = new Map(
    [...chains].map(([name, chain]) => [name, new ChainRpc(chain, { log, clock: () => performance.now() })]),
  )
  return createChainLookups({ rpcs, contracts, clock: Date.now, ...(onOutcome && { onOutcome }) })
}

/** Adds the metric of lookups; returns what counts them. */
export function countLookups(registry: Registry): NonNullable<ChainLookupOptions['onOutcome']> {
  const lookups = new Counter({
    name: 'plaza_chain_lookups_total',
    help: 'Questions to chains about names and contract wallets, by outcome',
    labelNames: ['network', 'outcome'],
    registers: [registry],
  })
  return (network, outcome) => lookups.inc({ network, outcome })
}
