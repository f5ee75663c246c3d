import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createTestHub } from '../../test/hub.js'
import { testNowUnix } from '../../test/network.js'
import { createTestApi } from '../app/testing/test-api.js'
import { demoOptions } from '../demo/options.js'
import { loadOrCreateDemo, runDemo, saveRecord } from '../demo/run.js'
import { recomputeScores } from '../features/score/score-job.js'
import type { CommandContext } from './context.js'
import { addSmallDemo, completeDemo } from './small-demo.js'

it('a finished demo has channels with people in them, and scores', async () => {
  const { db } = await createTestDatabase()
  const hub = await createTestHub(db)
  const demo = await loadOrCreateDemo(
    db,
    { users: 25, casts: 200, follows: 150, seed: 'channels' },
    testNowUnix,
  )
  if (typeof demo === 'string') throw new Error(demo)
  // Of a part of the network, as a server beside it may make them.
  await recomputeScores(db, { seeds: [], clock: () => testNowUnix * 1000 })
  const { tally } = await runDemo({ db, hub, demo })
  await completeDemo(db, tally)

  const { get } = await createTestApi({ db, hub, clock: () => testNowUnix * 1000 })
  const { channels } = (await get('channel/list', { limit: 100 })).json()
  expect(channels.length).toBeGreaterThan(5)
  for (const channel of channels.slice(0, 8)) {
    const { channel: full } = (await get('channel', { id: channel.id })).json()
    expect(full).toMatchObject({ lead: { object: 'user' }, follower_count: expect.any(Number) })
    expect(full.follower_count).toBeGreaterThanOrEqual(full.member_count)
    const casts = (await get('feed/channels', { channel_ids: channel.id })).json().casts
    for (const cast of casts) expect(cast.channel).toMatchObject({ id: channel.id })
  }
  expect(channels.some((channel: { pinned_cast_hash?: string }) => channel.pinned_cast_hash)).toBe(true)
  const [{ lead }] = channels
  expect((await get('user/channels', { fid: lead.fid })).json().channels.length).toBeGreaterThan(0)
  const [scores] =
    await db`select count(*) filter (where score > 0) as scored, count(*) as users from social.users`
  expect(scores!.scored).toBeGreaterThan(scores!.users / 4)

  await db`update channels.channels set description = 'mine' where id = ${channels[0].id}`
  await completeDemo(db, { merged: 0 })
  const [kept] = await db`select description from channels.channels where id = ${channels[0].id}`
  expect(kept).toEqual({ description: 'mine' })
})

it.each([
  [true, []],
  [
    false,
    [
      'no demo is added: this database holds an unfinished demo that is older than 300 days and cannot be continued: use another database',
    ],
  ],
])('a server with a demo of 2022, complete: %s -> prints %j', async (isComplete, lines) => {
  const { db } = await createTestDatabase()
  const hub = await createTestHub(db)
  const demo = demoOptions({ users: 60, casts: 1500, seed: 'plaza', end: 1_640_995_200 })
  await saveRecord(db, { demo, items: 0, isComplete })
  const printed: string[] = []
  const context: CommandContext = {
    env: {},
    print: (line) => printed.push(line),
    progress: { write: () => true },
    stdin: Readable.from([]),
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  }
  await addSmallDemo(context, { db, hub }, new AbortController().signal)
  expect(printed).toEqual(lines)
})
