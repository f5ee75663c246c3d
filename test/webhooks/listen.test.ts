import { expect, it } from 'vitest'
import { farcasterSecondsFromUnixMs } from '../../src/protocol/time.js'
import { createTestDatabase } from '../database.js'
import { TestUser } from '../network.js'
import { startTestServer } from '../running-server.js'
import { createDataDir, runCommand } from '../server-process.js'
import { startReceiver } from './receiver.js'
import { subscribe, webhookEnv } from './subscriber.js'

// The command is compiled first.
const { url } = await createTestDatabase()
const [alice, bob] = [new TestUser(1), new TestUser(2)]

async function listen(...args: string[]) {
  const dataDir = await createDataDir()
  return await runCommand(['webhook', 'listen', ...args], { dataDir, env: { DATABASE_URL: url } })
}

it('plaza webhook listen: prints bodies as they occur and ends on Ctrl-C', async () => {
  const server = await startTestServer(url, webhookEnv)
  const receiver = await startReceiver()
  const filter = { author_fids: [alice.fid] }
  await subscribe(server, receiver.url, { 'cast.created': filter })
  await server.hub.submitOnChainEvents([...alice.onChain({ units: 5 }), ...bob.onChain({ units: 5 })])
  const command = await listen('--events', 'cast.created', '--filter', JSON.stringify(filter))
  const printed = () =>
    command
      .output()
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line))

  // Listening starts at some moment; until then events must be repeated.
  let casts = 0
  async function castAndWait(): Promise<number> {
    casts += 1
    const now = farcasterSecondsFromUnixMs(Date.now())
    await server.hub.submit([bob.cast(`not asked for ${casts}`, now), alice.cast(`hello ${casts}`, now)])
    // Copied with a user: no event.
    const history = alice.cast('of last year', now - 300 * 86_400 + casts)
    await server.hub.submitItems([{ kind: 'message', message: history }], { origin: 'store' })
    return printed().length
  }
  await expect.poll(castAndWait, { interval: 200 }).toBeGreaterThan(2)
  const sent = await receiver.waitForCount(casts)
  for (const { event_id, delivery_id, created_at, event_timestamp, ...body } of printed()) {
    const delivery = sent.find((each) => each.body.event_id === event_id)?.body
    expect(body.type).toBe('cast.created')
    expect(body.data).toEqual({ ...delivery?.data, event_timestamp: body.data.event_timestamp })
    expect(delivery_id).toBe(`watch-${event_id}`)
    expect(new Date(event_timestamp).getTime()).toBeGreaterThanOrEqual(created_at * 1000)
  }
  command.child.kill('SIGINT')
  expect(await command.ended).toEqual({ code: 0, signal: null })
})

it('plaza webhook listen: refuses trades, which the log does not have', async () => {
  const command = await listen('--events', 'cast.created,trade.created')
  expect(await command.ended).toEqual({ code: 1, signal: null })
  expect(command.output()).toContain('trade.created is not in the event log: use --forward-to')
})

it.each([
  ['a member that its kind does not have', '{"target_fids":[1]}', 'target_fids'],
  ['what is no JSON', 'author 1', 'It must be a JSON object such as'],
])('plaza webhook listen: refuses %s and names the member', async (_, filter, expectedOutput) => {
  const command = await listen('--events', 'cast.created', '--filter', filter)
  expect(await command.ended).toEqual({ code: 1, signal: null })
  expect(command.output()).toContain(expectedOutput)
})
