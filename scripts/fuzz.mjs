// Sends generated hostile requests to a server of its own and checks every answer:
// npm run fuzz -- --seed 1 --requests 100000. One request again: --only INDEX.
import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
})
const fuzz = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]))
for (const [name, value] of Object.entries(fuzz)) {
  const isWhole = Number.isSafeInteger(value) && value >= (name === 'only' ? 0 : 1)
  if (!isWhole) throw new Error(`--${name} must be a whole number`)
}

const vitest = await startVitest('test', ['test/fuzz/fuzz.test.ts'], {
  watch: false,
  provide: { fuzz },
  reporters: ['default'],
})
await vitest?.close()
