import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../platform/db/connection.js'
import type { StepResult } from './follower.js'

interface FollowerRow {
  readonly name: string
  readonly nextBlock: number
  readonly head: number | null
}

/**
 * Registers the chain metrics: progress and lag of followers, failures and mismatches of RPC endpoints; `clock` is in Unix
 * milliseconds.
 */
export function createChainMetrics(registry: Registry, db: Database, clock: () => number) {
  const registers = [registry]
  const logs = new Counter({
    name: 'plaza_chain_logs_total',
    help: 'Handled chain logs, by follower',
    labelNames: ['follower'],
    registers,
  })
  const reorgs = new Counter({
    name: 'plaza_chain_reorgs_total',
    help: 'Chain reorganizations of handled blocks; deep: beyond the confirmations',
    labelNames: ['follower', 'depth'],
    registers,
  })
  const failures = new Counter({
    name: 'plaza_chain_rpc_failures_total',
    help: 'Failures of RPC endpoints, refused ranges included',
    labelNames: ['network', 'endpoint'],
    registers,
  })
  const mismatches = new Counter({
    name: 'plaza_chain_rpc_mismatches_total',
    help: 'RPC endpoints of a network returned different answers where they must agree',
    labelNames: ['network'],
    registers,
  })
  observeLag(registry, db)
  const readAt = new Map<string, number>()
  new Gauge({
    name: 'plaza_chain_read_age_seconds',
    help: 'Time since a follower of this process has read its chain, or has started; in a process that does not hold it, since its start',
    labelNames: ['follower'],
    registers,
    collect() {
      for (const [follower, atMs] of readAt) this.set({ follower }, Math.max(0, clock() - atMs) / 1000)
    },
  })
  return {
    /** Begins to measure a follower that runs until the process stops. */
    onFollow: (follower: string) => readAt.set(follower, clock()),
    onProgress({ follower, outcome, logs: count }: StepResult) {
      if (outcome !== 'busy' && readAt.has(follower)) readAt.set(follower, clock())
      logs.inc({ follower }, count)
      if (outcome === 'reorged' || outcome === 'deepReorg') {
        reorgs.inc({ follower, depth: outcome === 'deepReorg' ? 'deep' : 'rewound' })
      }
    },
    onFailure: (network: string, endpoint: string) => failures.inc({ network, endpoint }),
    onMismatch: (network: string) => mismatches.inc({ network }),
  }
}

/** Reads cursors on each scrape, so that all processes report the same. Silent without the database. */
function observeLag(registry: Registry, db: Database): void {
  const read = () =>
    db<FollowerRow[]>`select name, next_block as "nextBlock", head from chain.followers`.catch(() => [])
  const gauge = (name: string, help: string, numberOf: (row: FollowerRow) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['follower'],
      registers: [registry],
      async collect() {
        this.reset()
        for (const row of await read()) {
          const value = numberOf(row)
          if (value !== null) this.set({ follower: row.name }, value)
        }
      },
    })
  gauge('plaza_chain_next_block', 'First block that a follower has not handled', ({ nextBlock }) => nextBlock)
  gauge(
    'plaza_chain_lag_blocks',
    'Blocks of the chain that a follower has not handled, blocks that are not final included',
    ({ nextBlock, head }) => (head === null ? null : Math.max(0, head + 1 - nextBlock)),
  )
}
