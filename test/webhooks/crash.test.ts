import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createDataDir, startServerProcess } from '../server-process.js'
import {
  crashEnv as env,
  inconsistentEventsIn,
  missingCasts,
  registerUsers,
  startCasting,
  subscribeToCasts,
} from './cast-load.js'
import { startReceiver } from './receiver.js'

const ROUNDS = 4

it('webhooks: repeated server kills lose nothing, and repeated deliveries have the same ids', async () => {
  const dataDir = await createDataDir()
  // Some answers are late and some missing, so that deliveries are always in progress.
  let responseCount = 0
  const receiver = await startReceiver((response) => {
    responseCount += 1
    if (responseCount % 50 === 0) response.destroy()
    else setTimeout(() => response.end(), responseCount % 20)
  })
  let server = await startServerProcess({ dataDir, env })
  await registerUsers(dataDir)
  await subscribeToCasts(server.url, receiver.url)
  const casting = startCasting(() => server.url, receiver)
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = receiver.received.length
    while (receiver.received.length < before + 40) await sleep(10)
    await sleep((round * 37) % 100)
    server.child.kill('SIGKILL')
    await server.ended
    server = await startServerProcess({ dataDir, env })
  }
  await casting.stop()
  await expect.poll(() => missingCasts(receiver, casting), { interval: 250 }).toEqual([])
  expect(inconsistentEventsIn(receiver)).toEqual([])
})
