import { expect, inject, test } from 'vitest'
import { isTransient } from '../cluster/mixed-load.js'
import { failuresBesideOutages } from '../fuzz/check/log-lines.js'
import { inconsistentEventsIn } from '../webhooks/cast-load.js'
import {
  deliveryProblems,
  lateConsumers,
  logProblems,
  readLogContents,
  storeProblems,
} from './final-state.js'
import { startInstallation } from './installation.js'
import { runChaos } from './run.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Options of `npm run chaos`; undefined in other runs. */
    chaos?: { readonly seed: number; readonly rounds: number }
  }
}

/** The worker, an API process and PostgreSQL are killed. */
const CI_RUN = { seed: 8, rounds: 5 }
const TIME_LIMIT_MS = 3 * 3_600_000
const SETTLE = { interval: 250 }

test(
  'faults in random order: nothing acknowledged is lost, and hub, read model, inbox and webhooks agree',
  async () => {
    const plaza = await startInstallation()
    const { db, receiver, processes } = plaza
    const load = await runChaos(plaza, inject('chaos') ?? CI_RUN)
    const answers = [load.writes, load.reads].flatMap(({ failures }) => Object.keys(failures))
    expect(answers.filter((answer) => !isTransient(answer))).toEqual([])
    await expect.poll(() => lateConsumers(db), SETTLE).toEqual([])
    const log = await readLogContents(db)
    expect(logProblems(load, log)).toEqual([])
    expect(await storeProblems(db, log)).toEqual([])
    await expect.poll(() => deliveryProblems(receiver.received, log), SETTLE).toEqual([])
    expect(inconsistentEventsIn(receiver)).toEqual([])
    expect(processes.flatMap(({ output }) => failuresBesideOutages(output))).toEqual([])
    const ends = await Promise.all(processes.map((each) => each.end()))
    expect(ends.map(({ code }) => code)).toEqual(processes.map(() => 0))
    if (inject('chaos')) process.stdout.write(`${load.acknowledged} writes acknowledged, none lost\n`)
  },
  TIME_LIMIT_MS,
)
