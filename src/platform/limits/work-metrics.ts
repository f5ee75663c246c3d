import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '../metrics.js'

/** Adds the heavy requests that run, send and wait. Returns the function that counts refused ones. */
export function observeWork(
  { registry }: Metrics,
  read: () => Readonly<Record<string, Readonly<Record<'running' | 'sending' | 'waiting', number>>>>,
): (lane: string, reason: string) => void {
  const registers = [registry]
  new Gauge({
    name: 'plaza_heavy_requests',
    help: 'Heavy requests by lane (reads, writes, streams that catch up) and state (running, sending, waiting)',
    labelNames: ['lane', 'state'],
    registers,
    collect() {
      for (const [lane, states] of Object.entries(read())) {
        for (const [state, count] of Object.entries(states)) this.set({ lane, state }, count)
      }
    },
  })
  const refused = new Counter({
    name: 'plaza_heavy_requests_refused_total',
    help: 'Refused heavy requests by lane and reason: the budget of the caller, or the queue of the gate',
    labelNames: ['lane', 'reason'],
    registers,
  })
  return (lane, reason) => refused.inc({ lane, reason })
}
