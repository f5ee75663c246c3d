// Has Plaza and a second implementation of the reference node's rules judge the same messages, and prints how far they
// agree: npm run fidelity -- --messages 1000000 --seed 1
import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
  },
})
const fidelity = { messages: Number(values.messages), seed: Number(values.seed) }
for (const [name, value] of Object.entries(fidelity)) {
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0`)
}

const vitest = await startVitest('test', ['test/fidelity/agreement.test.ts'], {
  watch: false,
  provide: { fidelity },
  reporters: ['default'],
})
await vitest?.close()
