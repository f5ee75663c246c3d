import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { ensurePartitions } from '../../hub/log/partitions.js'
import { type MergeHook, mergeBatch } from '../../hub/merge/merge.js'
import type { SignedMessage } from '../../protocol/message.js'
import { shardOf } from '../../protocol/shard.js'
import { projectEvents } from './project.js'

const shards = 2
const { db } = await createTestDatabase()
const users = Array.from({ length: 8 }, (_, n) => new TestUser(n + 1))
const userOf = (shard: number) => users.find(({ fid }) => shardOf(fid, shards) === shard)!
const [alice, bob] = [userOf(1), userOf(2)]
const url = 'https://example.com/a'

beforeAll(async () => {
  await ensurePartitions(db, testNowUnix * 1000)
  await db`insert into hub.shards (shard) values (1), (2)`
  const chainEvents = [alice, bob].flatMap((user) => user.onChain())
  await mergeBatch(
    db,
    1,
    { messages: [], chainEvents, nameTransfers: [] },
    { shards, hooks: [projectEvents] },
    testNowUnix * 1000,
  )
})

async function merge(message: SignedMessage, beforeCommit: MergeHook = async () => {}): Promise<void> {
  const { messages } = await mergeBatch(
    db,
    shardOf(message.data.fid, shards),
    { messages: [message], chainEvents: [], nameTransfers: [] },
    { shards, hooks: [projectEvents, beforeCommit] },
    testNowUnix * 1000,
  )
  expect(messages).toEqual([null])
}

/** Runs two merges at once: the second starts before the first commits. */
async function mergeAtOnce(first: SignedMessage, second: SignedMessage): Promise<void> {
  let other: Promise<void> = Promise.resolve()
  await merge(first, async () => {
    other = merge(second)
    // Time for the second to finish, or to reach the lock.
    await Promise.race([other, sleep(300)])
  })
  await other
}

async function threadOf(cast: SignedMessage) {
  const [row] = await db<{ thread_hash: Buffer; root_parent_url: string | null }[]>`
    select thread_hash, root_parent_url from social.casts where hash = ${cast.hash}
  `
  return row && { thread: row.thread_hash.toString('hex'), url: row.root_parent_url }
}

const nameOf = ({ data, hash }: SignedMessage) => ({ parentCastId: { fid: data.fid, hash } })
const hex = ({ hash }: SignedMessage) => hash.toString('hex')

for (const order of ['the parent first', 'the reply first']) {
  const inOrder = (parent: SignedMessage, reply: SignedMessage): [SignedMessage, SignedMessage] =>
    order === 'the parent first' ? [parent, reply] : [reply, parent]

  test(`a cast and its reply merged at once into two shards are one thread, ${order}`, async () => {
    const root = alice.cast(`root, ${order}`, testNow - 100, { parentUrl: url })
    const reply = bob.cast('reply', testNow - 90, nameOf(root))
    await mergeAtOnce(...inOrder(root, reply))
    expect(await threadOf(reply)).toEqual({ thread: hex(root), url })
  })

  test(`the first cast and the latest reply of a thread merged at once join it, ${order}`, async () => {
    const root = alice.cast(`late root, ${order}`, testNow - 100, { parentUrl: url })
    const middle = alice.cast('middle', testNow - 90, nameOf(root))
    const last = bob.cast('last', testNow - 80, nameOf(middle))
    await merge(middle)
    await mergeAtOnce(...inOrder(root, last))
    expect(await threadOf(last)).toEqual({ thread: hex(root), url })
  })

  test(`a reply merged while its parent is removed loses the thread, ${order}`, async () => {
    const root = alice.cast(`gone root, ${order}`, testNow - 100, { parentUrl: url })
    const reply = bob.cast('reply', testNow - 90, nameOf(root))
    await merge(root)
    await mergeAtOnce(...inOrder(alice.removeCast(root.hash, testNow), reply))
    expect(await threadOf(reply)).toEqual({ thread: hex(root), url: null })
  })
}

test('replies to stored casts wait for nobody', async () => {
  // In two channels: the activity of one URL is one row for all shards.
  const roots = [alice, bob].map((user) =>
    user.cast('busy root', testNow - 100, { parentUrl: `${url}/${user.fid}` }),
  )
  for (const root of roots) await merge(root)
  const [mine, yours] = roots.map((root, index) =>
    [bob, alice][index]!.cast('reply', testNow - 90, nameOf(root)),
  )
  let isDone = false
  await merge(mine!, async () => {
    await merge(yours!)
    isDone = true
  })
  expect(isDone).toBe(true)
})
