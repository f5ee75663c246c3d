import { expect, test, vi } from 'vitest'
import { farcasterSecondsFromUnixMs } from '../src/protocol/time.js'
import { createTestDatabase } from './database.js'
import { TestUser } from './network.js'
import { startTestServer } from './running-server.js'
import { createDataDir, runCommand } from './server-process.js'

// The commands are compiled first.
vi.setConfig({ testTimeout: 180_000 })

const { db, url } = await createTestDatabase()
const alice = new TestUser(1)

async function plaza(command: string, code = 0): Promise<string> {
  const dataDir = await createDataDir()
  const running = await runCommand([command], { dataDir, env: { DATABASE_URL: url } })
  expect(await running.ended, running.output()).toMatchObject({ code })
  return running.output()
}

test('a database that no server has used has nothing to replay or to recount', async () => {
  expect(await plaza('replay', 1)).toContain('no server has used this database yet')
})

test('a replay beside a running server is shown by it at once', async () => {
  const server = await startTestServer(url, { CRAWL_EMBEDS: 'false' })
  await server.hub.submitOnChainEvents(alice.onChain())
  const now = farcasterSecondsFromUnixMs(Date.now())
  const cast = alice.cast('as it was signed', now)
  expect(await server.hub.submit([cast])).toEqual([null])
  const textShown = async () =>
    (await server.get(`cast?type=hash&identifier=0x${cast.hash.toString('hex')}`)).cast.text
  await db`update social.casts set text = 'damaged'`
  // Which is kept ready from here on.
  expect(await textShown()).toBe('damaged')
  expect(await plaza('replay')).toContain('the read model is new')
  await expect.poll(textShown, { timeout: 5_000 }).toBe('as it was signed')
})
