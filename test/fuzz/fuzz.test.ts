import { expect, inject, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../database.js'
import { createDataDir } from '../server-process.js'
import { reportOf } from './runner/report.js'
import { runFuzz } from './runner/run.js'
import { startTarget } from './runner/target.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Options of `npm run fuzz`; undefined in other runs. */
    fuzz?: { readonly seed: number; readonly requests: number; readonly only?: number }
  }
}

const CI_RUN = { seed: 1, requests: 5_000 }
/** 100,000 requests take minutes. */
const TIME_LIMIT_MS = 2 * 3_600_000
/** What caches may still gain in the second half of a run, heap and buffers together. */
const MEMORY_MARGIN_MB = 24

const database = await createTestDatabase()

test(
  'generated requests: each is answered as documented, none fails the server, memory stays flat',
  async () => {
    const run = inject('fuzz') ?? CI_RUN
    const target = await startTarget({ database, dataDir: await createDataDir(), onEnd: onTestFinished })
    const report = inject('fuzz') && ((text: string) => void process.stdout.write(`${text}\n`))
    const tally = await runFuzz(target, { ...run, ...(report && { report }) })
    expect.soft(tally.serverEnd).toBeNull()
    const isClean = tally.serverEnd === null && tally.findings.size === 0 && tally.logFailures.length === 0
    if (inject('fuzz') || !isClean) process.stdout.write(`${reportOf(tally, target, run)}\n`)
    expect([...tally.findings.keys()]).toEqual([])
    expect(tally.logFailures).toEqual([])
    const [before, after] = [tally.memory[0], tally.memory.at(-1)]
    const growth = before && after ? after.heap + after.external - before.heap - before.external : 0
    expect(growth).toBeLessThan(MEMORY_MARGIN_MB)
    await expect.poll(async () => (await fetch(new URL('/readyz', target.httpUrl))).status).toBe(200)
  },
  TIME_LIMIT_MS,
)
