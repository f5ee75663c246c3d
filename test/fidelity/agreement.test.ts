import { expect, inject, test } from 'vitest'
import { createTestDatabase } from '../database.js'
import { reportOf } from './runner/report.js'
import { runFidelity } from './runner/run.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Options of `npm run fidelity`; undefined in other runs. */
    fidelity?: { readonly messages: number; readonly seed: number }
  }
}

/** 15 seconds of CPU. `npm run fidelity` asks for a million. */
const CI_RUN = { messages: 8_000, seed: 1 }
/** A million messages take about an hour. */
const TIME_LIMIT_MS = 4 * 3_600_000

const mainnet = await createTestDatabase()
const devnet = await createTestDatabase()

test(
  'Plaza and the rules of the reference node agree on every message but the documented differences',
  async () => {
    const tally = await runFidelity({
      ...(inject('fidelity') ?? CI_RUN),
      networks: [
        { network: 1, hasChannels: false, db: mainnet.db },
        { network: 3, hasChannels: true, db: devnet.db },
      ],
    })
    if (inject('fidelity') || tally.hasUndocumented) process.stdout.write(`${reportOf(tally)}\n`)
    expect([...tally.undocumented.keys()]).toEqual([])
  },
  TIME_LIMIT_MS,
)
