// Inflicts random faults on an installation under load, and compares what was acknowledged with what is there:
// npm run chaos -- --seed 1 --rounds 100
import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
  },
})
const chaos = { rounds: Number(values.rounds), seed: Number(values.seed) }
for (const [name, value] of Object.entries(chaos)) {
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0`)
}

const vitest = await startVitest('test', ['test/chaos/chaos.test.ts'], {
  watch: false,
  provide: { chaos },
  reporters: ['default'],
})
await vitest?.close()
