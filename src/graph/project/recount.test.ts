import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { ensurePartitions } from '../../hub/log/partitions.js'
import type { MergeBatch } from '../../hub/merge/batch.js'
import { mergeBatch } from '../../hub/merge/merge.js'
import { isRetryable } from '../../platform/db/connection-errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import { shardOf } from '../../protocol/shard.js'
import { projectEvents } from './project.js'
import { recount } from './recount.js'
import { replay } from './replay.js'
import { emptyHub } from './testing/empty-hub.js'
import { readModel } from './testing/read-model.js'

const shards = 2
const { db, connect } = await createTestDatabase({ poolSize: 6 })
const recounting = connect({ poolSize: 1 })
const users = [1, 2, 3, 4, 5, 6].map((fid) => new TestUser(fid))
const urls = ['https://example.com/a', 'https://example.com/b', 'https://example.com/ç']

async function mergeInto(shard: number, batch: Partial<MergeBatch>): Promise<void> {
  const transactionHooks = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
  // Retries like the hub when two shards deadlock.
  for (let attempt = 1; ; attempt += 1) {
    try {
      await mergeBatch(db, shard, transactionHooks, { shards, hooks: [projectEvents] }, testNowUnix * 1000)
      return
    } catch (error) {
      if (!isRetryable(error) || attempt === 5) throw error
    }
  }
}

async function merge(messages: SignedMessage[]): Promise<void> {
  for (const shard of [1, 2]) {
    await mergeInto(shard, { messages: messages.filter(({ data }) => shardOf(data.fid, shards) === shard) })
  }
}

/** Every user casts, replies, quotes, likes and follows. `round` makes the messages differ. */
function createMessages(round: number): SignedMessage[] {
  return users.flatMap((user, index) => {
    const at = testNow - 40_000 + round * 1000 + index
    const root = user.cast(`root ${round}`, at, { parentUrl: urls[(index + round) % 3]! })
    const next = users[(index + 1) % users.length]!
    const castId = { fid: user.fid, hash: root.hash }
    return [
      root,
      next.cast(`reply ${round}`, at + 1, { parentCastId: castId }),
      next.cast(`quote ${round}`, at + 2, { embeds: [{ castId }] }),
      next.react(root, at + 3),
      user.react(root, at + 4, { type: 2 }),
      user.link(users[(index + round) % users.length]!.fid, at + 5, { remove: round % 4 === 3 }),
      ...(round % 3 === 2 ? [user.removeCast(root.hash, at + 6)] : []),
    ]
  })
}

beforeAll(() => ensurePartitions(db, testNowUnix * 1000))

beforeEach(async () => {
  await emptyHub(db, ['hub.shards', 'channels.channels'])
  await db`insert into hub.shards (shard) values (1), (2)`
  await mergeInto(1, { chainEvents: users.flatMap((user) => user.onChain({ units: 20 })) })
})

const setCounts = () => db`select * from hub.set_counts where count <> 0 order by fid, set`

/** Makes counts wrong, deletes some, and adds counts of things that do not exist. */
async function corrupt(): Promise<void> {
  await db.unsafe(`
    update hub.set_counts set count = count + 5 where fid in (1, 4);
    delete from hub.set_counts where fid = 2;
    insert into hub.set_counts (fid, set, count) values (99, 1, 7), (98, 1, 0);
    update social.user_counts set follower_count = follower_count + 1 where fid in (1, 6);
    delete from social.user_counts where fid = 3;
    insert into social.user_counts (fid, following_count) values (77, 2), (78, 0);
    update social.cast_counts set likes = 9, quotes = 0 where hash in (select hash from social.casts limit 4);
    delete from social.cast_counts where hash in (select hash from social.casts where fid = 5);
    insert into social.cast_counts (hash, fid, likes) values ('\\xffff', 1, 3);
    update social.casts set thread_hash = '\\xff', root_parent_url = null where parent_hash is not null and fid in (2, 3);
    update social.casts set root_parent_url = '${urls[1]}' where parent_hash is null and fid = 4;
    update social.url_activity set casts = casts - 1 where url = '${urls[0]}';
    delete from social.url_activity where url = '${urls[2]}';
    insert into social.url_activity (url, hour, casts) values ('https://example.com/nothing', 1, 1);
  `)
}

const names = {
  threads: 'threads of casts',
  sets: 'messages in sets',
  users: 'followers and follows',
  casts: 'likes, recasts, replies and quotes',
  urls: 'casts per hour below URLs',
  channelFollowers: 'followers of channels',
  channelMembers: 'members of channels',
}

async function wrongCounts(chunkRows?: number): Promise<Record<string, number>> {
  const reports = await recount(recounting, { shards, ...(chunkRows ? { chunkRows } : {}) })
  return Object.fromEntries(reports.map(({ name, wrong }) => [name, wrong]))
}

const noWrongCounts = Object.fromEntries(Object.values(names).map((name) => [name, 0]))

test('correct counts stay unchanged', async () => {
  for (let round = 0; round < 4; round += 1) await merge(createMessages(round))
  await db`insert into hub.set_counts (fid, set, count) values (98, 1, 0)`
  const onRepaired = vi.fn()
  await recount(recounting, { shards, onRepaired })
  expect(await wrongCounts(3)).toEqual(noWrongCounts)
  expect(onRepaired).not.toHaveBeenCalled()
})

for (const chunkRows of [1, 7, 20_000]) {
  test(`wrong, missing and surplus counts are repaired, in chunks of ${chunkRows} rows`, async () => {
    for (let round = 0; round < 4; round += 1) await merge(createMessages(round))
    const [model, sets] = [await readModel(db), await setCounts()]
    await corrupt()
    const found = await wrongCounts(chunkRows)
    expect(found).toMatchObject({ [names.users]: 5, [names.channelFollowers]: 0 })
    for (const name of [names.threads, names.sets, names.casts, names.urls])
      expect(found[name]).toBeGreaterThan(2)
    expect(await readModel(db)).toEqual(model)
    expect(await setCounts()).toEqual(sets)
    expect(await wrongCounts(chunkRows)).toEqual(noWrongCounts)
  })
}

test('counts repaired during merges equal those of a replay', async () => {
  for (let round = 0; round < 4; round += 1) await merge(createMessages(round))
  await corrupt()
  let merging = true
  const recounts = (async () => {
    while (merging) {
      await recount(recounting, { shards, chunkRows: 5 })
      await sleep(1)
    }
  })()
  await Promise.all(
    [1, 2].map(async (shard) => {
      for (let round = 4; round < 20; round += 1) {
        const messages = createMessages(round).filter(({ data }) => shardOf(data.fid, shards) === shard)
        for (let start = 0; start < messages.length; start += 5) {
          await mergeInto(shard, { messages: messages.slice(start, start + 5) })
        }
      }
    }),
  )
  merging = false
  await recounts
  // The merge itself counted what it merged after a chunk was checked.
  expect(await wrongCounts()).toEqual(noWrongCounts)
  const repaired = await readModel(db)
  await replay(db, { shards })
  expect(await readModel(db)).toEqual(repaired)
})

test('channel counts are raised to their rows, and imported ones kept, also beside rows of a few', async () => {
  await db.unsafe(`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at, follower_count, member_count)
    values ('few', 'u0', 'u0', 'Few', 1, 1, 10001, 500), ('given', 'u1', 'u1', 'Given', 1, 1, 500, 20),
      ('known', 'u2', 'u2', 'Known', 1, 1, 1, 2);
    insert into channels.follows (channel_id, fid, followed_at)
    values ('few', 7, 1), ('known', 1, 1), ('known', 2, 1);
    insert into channels.members (channel_id, fid, role, member_since)
    values ('few', 2, 'moderator', 1), ('known', 1, 'moderator', 1), ('known', 3, 'member', 1),
      ('known', 4, 'member', 1);
  `)
  expect(await wrongCounts(1)).toEqual({
    ...noWrongCounts,
    [names.channelFollowers]: 1,
    [names.channelMembers]: 1,
  })
  expect(await db`select id, follower_count, member_count from channels.channels order by id`).toEqual([
    { id: 'few', follower_count: 10_001, member_count: 500 },
    { id: 'given', follower_count: 500, member_count: 20 },
    { id: 'known', follower_count: 2, member_count: 3 },
  ])
})

test('onRepaired runs in the repairing transaction; a recount stops between two of them', async () => {
  await merge(createMessages(0))
  await db`update social.user_counts set follower_count = 100 where fid in (1, 6)`
  const stopping = new AbortController()
  const stopped = new Error('stopped')
  const wrongRows = () => db`select fid from social.user_counts where follower_count = 100 order by fid`
  const running = recount(recounting, {
    shards,
    chunkRows: 1,
    signal: stopping.signal,
    onRepaired: async (transaction) => {
      expect(await transaction`select from social.user_counts where follower_count = 100`).toHaveLength(1)
      expect(await wrongRows()).toHaveLength(2)
      stopping.abort(stopped)
    },
  })
  await expect(running).rejects.toBe(stopped)
  expect(await wrongRows()).toEqual([{ fid: 6 }])
})
