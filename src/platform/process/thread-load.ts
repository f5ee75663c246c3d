import type { EventLoopUtilization } from 'node:perf_hooks'

/** Longer than a few requests, and shorter than a person notices. */
const SAMPLE_MS = 100
/** Share of the time that the thread works. Above it, requests wait for each other most of the time. */
const BUSY_SHARE = 0.85

let sampledMs = performance.now()
let sample: EventLoopUtilization = performance.eventLoopUtilization()
let share = 0

/** Returns whether this thread worked nearly all the time lately, so that whatever it does makes requests wait. */
export function isThreadBusy(): boolean {
  const nowMs = performance.now()
  if (nowMs - sampledMs >= SAMPLE_MS) {
    const next = performance.eventLoopUtilization()
    share = performance.eventLoopUtilization(next, sample).utilization
    sample = next
    sampledMs = nowMs
  }
  return share > BUSY_SHARE
}
