import { expect, test } from 'vitest'
import { createTestDatabase } from '../database.js'
import { reportOf } from './runner/report.js'
import { runFidelity } from './runner/run.js'

const messages = Number(process.env.FIDELITY_MESSAGES ?? 50_000)
const seed = Number(process.env.FIDELITY_SEED ?? 1)

const mainnet = await createTestDatabase()
const devnet = await createTestDatabase()

test('Plaza and the reference node agree on every message but the documented differences', async () => {
  const tally = await runFidelity({
    messages,
    seed,
    networks: [
      { network: 1, hasChannels: false, db: mainnet.db },
      { network: 3, hasChannels: true, db: devnet.db },
    ],
  })
  const { writeFileSync } = await import('node:fs')
  writeFileSync('/tmp/fid-report.txt', reportOf(tally))
  expect([...tally.undocumented.keys()]).toEqual([])
}, 3_600_000)
