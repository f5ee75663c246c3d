import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { readPostmaster } from '../../src/platform/db/cluster-process.js'
import { createDataDir, startServerProcess } from '../server-process.js'
import {
  crashEnv,
  inconsistentEventsIn,
  missingCasts,
  registerUsers,
  startCasting,
  subscribeToCasts,
} from './cast-load.js'
import { type Receiver, startReceiver } from './receiver.js'

/** Kill, shutdown by an administrator, kill again. */
const shutdownSignals = ['SIGKILL', 'SIGINT', 'SIGKILL'] as const

it('webhooks: a database outage during deliveries loses none and keeps the order per author', async () => {
  const dataDir = await createDataDir()
  const receiver = await startReceiver((response) => setTimeout(() => response.end(), 5))
  // One at a time, so that deliveries arrive in the order of their start.
  const env = { ...crashEnv, WEBHOOK_CONCURRENCY: '1', WEBHOOK_TIMEOUT_MS: '60000' }
  const server = await startServerProcess({ dataDir, env })
  await registerUsers(dataDir)
  await subscribeToCasts(server.url, receiver.url)
  const casting = startCasting(() => server.url, receiver)
  for (const signal of shutdownSignals) {
    const before = receiver.received.length
    while (receiver.received.length < before + 40) await sleep(10)
    const postmaster = await readPostmaster(join(dataDir, 'postgres'))
    process.kill(postmaster!.pid, signal)
  }
  const before = receiver.received.length
  while (receiver.received.length < before + 40) await sleep(10)
  await casting.stop()
  await expect.poll(() => missingCasts(receiver, casting), { interval: 250 }).toEqual([])
  expect(inconsistentEventsIn(receiver)).toEqual([])
  for (const fid of [1, 2, 3, 4]) {
    const numbers = eventNumbersOf(receiver, fid)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  }
})

/** Returns the log event ids of an author in order of first arrival. */
function eventNumbersOf(receiver: Receiver, fid: number): number[] {
  const byAuthor = receiver.received.filter(({ body }) => body.data.author.fid === fid)
  const ids = new Set(byAuthor.map(({ body }) => String(body.event_id)))
  return [...ids].map((id) => Number(id.split('-')[1]))
}
