import { Gauge, type Registry } from 'prom-client'
import type { Log } from '../../platform/log/log.js'

/** The newest block of a network, as far as this process knows. */
interface Head {
  readonly number: number
  readonly sinceMs: number
  askedAtMs: number
  isReported: boolean
}

/** Time without a new block after which the log says so: chains make one every few seconds. */
const REPORTED_MS = 5 * 60_000
/** A process that no longer asks for the newest block, as another one follows the chain, does not know its age. */
const MAX_UNASKED_MS = 5 * 60_000

/**
 * Measures how long the newest block of each network stays the same. A node that has stopped syncing answers as well as one
 * that has not, so that nothing else shows it: followers are not behind, and read often.
 *
 * @param clock Milliseconds from any origin, of a clock that does not go back.
 * @returns a function for each report of a newest block.
 */
export function createHeadAge(registry: Registry, log: Log, clock: () => number) {
  const heads = new Map<string, Head>()
  new Gauge({
    name: 'plaza_chain_head_age_seconds',
    help: 'Time for which the RPC endpoints of a network have reported no higher block; without networks that this process does not ask',
    labelNames: ['network'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [network, { sinceMs, askedAtMs }] of heads) {
        if (clock() - askedAtMs <= MAX_UNASKED_MS) this.set({ network }, (askedAtMs - sinceMs) / 1000)
      }
    },
  })
  return (network: string, number: number): void => {
    const nowMs = clock()
    const head = heads.get(network)
    // Higher, not other: two nodes behind one URL that have stopped at different blocks would seem to advance.
    if (head === undefined || number > head.number) {
      if (head?.isReported) log.info({ network, head: number }, 'a chain has new blocks again')
      heads.set(network, { number, sinceMs: nowMs, askedAtMs: nowMs, isReported: false })
      return
    }
    head.askedAtMs = nowMs
    if (head.isReported || nowMs - head.sinceMs < REPORTED_MS) return
    head.isReported = true
    log.warn(
      { network, head: head.number, seconds: Math.round((nowMs - head.sinceMs) / 1000) },
      'a chain has no new blocks: it has stopped, or its RPC URLs lead to nodes that have stopped syncing',
    )
  }
}
