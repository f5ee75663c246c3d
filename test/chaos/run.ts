import { expect } from 'vitest'
import { MixedLoad } from '../cluster/mixed-load.js'
import { Random } from '../fidelity/generator/random.js'
import { ChaosMessages } from './chaos-messages.js'
import { chooseFaults } from './faults.js'
import type { ChaosPlaza } from './installation.js'

/** What a run does. */
export interface ChaosOptions {
  readonly seed: number
  readonly rounds: number
}

/** Writes that succeed before a fault, and after it. */
const SOME_WRITES = 30
/** A client waits up to 20 s for an answer before it goes on. */
const RECOVERY_LIMIT_MS = 120_000

/** Inflicts faults on an installation under load, one after the other, and waits after each until writes succeed. */
export async function runChaos(plaza: ChaosPlaza, { seed, rounds }: ChaosOptions): Promise<MixedLoad> {
  const name = `chaos ${seed}`
  const load = new MixedLoad(plaza, name, new ChaosMessages(plaza.users.length, name))
  const untilMoreWrites = async () => {
    const before = load.acknowledged
    await expect
      .poll(() => load.acknowledged, { timeout: RECOVERY_LIMIT_MS })
      .toBeGreaterThan(before + SOME_WRITES)
  }
  if (!plaza.database.fillDisk) process.stdout.write('no full disks: this user may mount none\n')
  try {
    await untilMoreWrites()
    for (const [index, fault] of chooseFaults(new Random(seed), rounds, plaza).entries()) {
      const startMs = performance.now()
      await fault.inflict()
      const endMs = performance.now()
      await untilMoreWrites()
      const gap = load.writes.longestGapAfter(startMs)
      const [lasted, later] = [endMs - startMs, performance.now() - endMs].map((ms) => (ms / 1000).toFixed(1))
      process.stdout.write(
        `round ${index + 1}: ${fault.text} (${lasted} s); no writes for ${gap.toFixed(1)} s, ${SOME_WRITES} more ${later} s after it\n`,
      )
    }
  } finally {
    await load.stop()
  }
  return load
}
