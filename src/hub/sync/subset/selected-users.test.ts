import { beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { TestUser, testNow } from '../../../../test/network.js'
import { silentLog } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { markFetched } from '../backfill/fid-list.js'
import { addSelectedUsers, removeSelectedUsers } from './selected-rows.js'
import { SelectedUsers } from './selected-users.js'

const { db } = await createTestDatabase({ poolSize: 12 })
const [configured, friend, other] = [1, 2, 3].map((fid) => new TestUser(fid)) as [
  TestUser,
  TestUser,
  TestUser,
]
const settings = { fids: [configured.fid], channelUrls: [], includeNeighbors: true }
const friendship = { fid: friend.fid, reason: 'follow', via: configured.fid } as const

beforeEach(async () => {
  await db`truncate sync.selected_users, sync.fids`
})

function follows(on: boolean, at: number): SignedMessage {
  return configured.link(friend.fid, testNow - 100 + at, { remove: !on })
}

function wants(users: SelectedUsers, message: SignedMessage): boolean {
  return users.includes({ kind: 'message', message })
}

const fetched = ({ fid }: { readonly fid: number }) => ({ fid, queuedAt: null })

const hearsFriend = (users: SelectedUsers) => wants(users, friend.cast('hello', testNow))

async function fidsToReconcile(): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`
    select fid from sync.fids where reconcile_reason is not null order by fid
  `
  return rows.map(({ fid }) => fid)
}

/** Flushes while the database refuses what it writes. */
async function failToFlush(users: SelectedUsers): Promise<void> {
  await db`create function refuse_selection() returns trigger language plpgsql as $$begin raise 'no'; end$$`
  await db`
    create trigger refuse_selection before insert or delete on sync.selected_users
    for each row execute function refuse_selection()`
  try {
    await expect(users.flush()).rejects.toThrow('no')
  } finally {
    await db`drop function refuse_selection cascade`
  }
}

describe('the stored selection equals the one in memory', () => {
  test('after a removal and an addition before the flush', async () => {
    await addSelectedUsers(db, [friendship])
    const users = await SelectedUsers.open(db, settings)
    wants(users, follows(false, 1))
    wants(users, follows(true, 2))
    await users.flush()
    expect(hearsFriend(users)).toBe(true)
    expect(hearsFriend(await SelectedUsers.open(db, settings))).toBe(true)
  })

  test('after a flush that failed, and changes since', async () => {
    const users = await SelectedUsers.open(db, settings)
    wants(users, follows(true, 1))
    wants(users, configured.link(other.fid, testNow - 100))
    await failToFlush(users)
    wants(users, configured.link(other.fid, testNow - 90, { remove: true }))
    await users.reload()
    const reopened = await SelectedUsers.open(db, settings)
    for (const each of [users, reopened]) {
      expect(hearsFriend(each)).toBe(true)
      expect(wants(each, other.cast('hello', testNow))).toBe(false)
    }
  })

  test('after a process that could not write lost the log to another, and took it over again', async () => {
    await addSelectedUsers(db, [friendship])
    const users = await SelectedUsers.open(db, settings)
    wants(users, follows(false, 1))
    await failToFlush(users)
    // The other one read the same event, and a later one.
    const another = await SelectedUsers.open(db, settings)
    wants(another, follows(false, 1))
    wants(another, follows(true, 2))
    await another.flush()
    await users.takeOver()
    await users.flush()
    for (const each of [users, await SelectedUsers.open(db, settings)]) expect(hearsFriend(each)).toBe(true)
  })

  test('after an addition and a removal before the flush', async () => {
    const users = await SelectedUsers.open(db, settings)
    wants(users, follows(true, 1))
    wants(users, follows(false, 2))
    await users.flush()
    expect(hearsFriend(users)).toBe(false)
    expect(hearsFriend(await SelectedUsers.open(db, settings))).toBe(false)
  })

  test('with neighbors that a backfill found, for as long as they are some', async () => {
    await addSelectedUsers(db, [friendship])
    const users = await SelectedUsers.open(db, { ...settings, includeNeighbors: false })
    expect(hearsFriend(users)).toBe(true)
    wants(users, follows(false, 1))
    expect(hearsFriend(users)).toBe(false)
    wants(users, follows(true, 2))
    expect(hearsFriend(users)).toBe(false)
  })
})

describe('users that leave the selection', () => {
  test('are no longer compared, and fetched again when they return', async () => {
    const users = await SelectedUsers.open(db, settings)
    wants(users, follows(true, 1))
    await users.flush()
    await markFetched(db, [configured, friend].map(fetched))
    await db`update sync.fids set reconcile_reason = null`

    wants(users, follows(false, 2))
    await users.flush()
    expect(await db`select fid from sync.fids`).toEqual([{ fid: configured.fid }])

    wants(users, follows(true, 3))
    await users.flush()
    expect(await fidsToReconcile()).toEqual([friend.fid])
  })

  test('remain if another reason selects them', async () => {
    const users = await SelectedUsers.open(db, { ...settings, fids: [configured.fid, friend.fid] })
    wants(users, follows(true, 1))
    await users.flush()
    wants(users, follows(false, 2))
    await users.flush()
    expect(await db`select 1 from sync.fids where fid = ${friend.fid}`).toHaveLength(1)
  })

  test('include follows of users that are no longer configured', async () => {
    await addSelectedUsers(db, [friendship])
    const users = await SelectedUsers.open(db, { ...settings, fids: [other.fid] })
    expect(hearsFriend(users)).toBe(false)
    expect(wants(users, configured.cast('hello', testNow))).toBe(false)
  })
})

test('users who were fetched before they are selected are queued, those who are selected for one more reason not', async () => {
  await db`insert into sync.fids (fid, backfilled_at) values (${friend.fid}, now()), (${other.fid}, now())`
  await addSelectedUsers(db, [friendship])
  expect(await fidsToReconcile()).toEqual([friend.fid])
  await db`update sync.fids set reconcile_reason = null`
  await addSelectedUsers(db, [{ fid: friend.fid, reason: 'interaction', via: 0 }])
  expect(await fidsToReconcile()).toEqual([])
})

test('a start drops the users of an earlier selection, and keeps the entry of channels with its reason', async () => {
  await db`
    insert into sync.fids (fid, backfilled_at, reconcile_reason, queued_at)
    values (0, now(), 'a gap', now()), (${other.fid}, now(), 'a gap', now())
  `
  await SelectedUsers.open(db, settings)
  expect([...(await db`select fid, reconcile_reason as reason from sync.fids order by fid`)]).toEqual([
    { fid: 0, reason: 'a gap' },
    { fid: configured.fid, reason: 'newly selected' },
  ])
})

test('users that another process selected are read and queued; unwritten local changes remain', async () => {
  const users = await SelectedUsers.open(db, settings)
  await markFetched(db, [fetched(configured)])
  await db`update sync.fids set reconcile_reason = null`
  await addSelectedUsers(db, [{ fid: other.fid, reason: 'interaction', via: 0 }])
  await markFetched(db, [fetched(other)])
  await db`update sync.fids set reconcile_reason = null`
  wants(users, follows(true, 1))
  expect(wants(users, other.cast('unheard', testNow))).toBe(false)

  await users.reload()
  expect(wants(users, other.cast('heard', testNow))).toBe(true)
  expect(hearsFriend(users)).toBe(true)
  expect(await fidsToReconcile()).toEqual([friend.fid, other.fid])
})

test('users that are added during a reload remain', async () => {
  for (let round = 0; round < 5; round += 1) {
    await db`truncate sync.selected_users, sync.fids`
    const users = await SelectedUsers.open(db, settings)
    // Both wait for the table: the read, and the write of the new user.
    let reloading: Promise<void> | undefined
    let flushing: Promise<void> | undefined
    await db.begin(async (transaction) => {
      await transaction`lock table sync.selected_users in access exclusive mode`
      reloading = users.reload()
      await waitingFor(1)
      wants(users, follows(true, 1))
      flushing = users.flush()
    })
    await Promise.all([reloading, flushing])
    expect(hearsFriend(users)).toBe(true)
  }
})

describe('watchChanges', () => {
  const POLL_MS = 20
  /** How often the selection was read. */
  const readings = { count: 0 }
  const counted = new Proxy(db, {
    apply(target, self, given: [TemplateStringsArray, ...unknown[]]) {
      if (/select fid, reason, via from sync.selected_users$/.test(`${given[0]}`)) readings.count += 1
      return Reflect.apply(target, self, given)
    },
  })

  test('reads the selection once for each change', async () => {
    const users = await SelectedUsers.open(counted, settings)
    const stopping = new AbortController()
    const keeping = users.watchChanges({
      listen: db.listen,
      signal: stopping.signal,
      log: silentLog,
      pollMs: POLL_MS,
    })
    const hearsOther = () => wants(users, other.cast('hello', testNow))
    await expect.poll(() => readings.count).toBeGreaterThan(1)
    expect(hearsOther()).toBe(false)
    const row = { fid: other.fid, reason: 'interaction', via: 0 } as const
    await addSelectedUsers(db, [row])
    await expect.poll(hearsOther).toBe(true)
    await removeSelectedUsers(db, [row])
    await expect.poll(hearsOther).toBe(false)
    // A write without a change notifies nobody.
    const before = readings.count
    await removeSelectedUsers(db, [row])
    await users.flush()
    // Time for 15 polls, none of which may read.
    await pause(15 * POLL_MS, stopping.signal)
    await addSelectedUsers(db, [row])
    await expect.poll(hearsOther).toBe(true)
    expect(readings.count).toBeLessThanOrEqual(before + 2)
    stopping.abort()
    await keeping
  })
})

/** Resolves when this many statements wait for the table. */
async function waitingFor(count: number): Promise<void> {
  const waiting = async () => {
    const [row] = await db<{ count: number }[]>`
      select count(*)::integer as count from pg_locks
      where relation = 'sync.selected_users'::regclass and not granted
    `
    return row!.count
  }
  await expect.poll(waiting).toBe(count)
}

test('concurrent writes of many users never deadlock, in any order', async () => {
  const fids = Array.from({ length: 400 }, (_, n) => n + 1)
  const turned = (by: number) => fids.map((_, n) => fids[(n * by) % fids.length]!)
  const rowsOf = (some: readonly number[]) =>
    some.map((fid) => ({ fid, reason: 'interaction', via: 0 }) as const)
  for (let round = 0; round < 10; round += 1) {
    await db`truncate sync.selected_users, sync.fids`
    await Promise.all([
      ...[1, 3, 7, 399, 201].map((by) => addSelectedUsers(db, rowsOf(turned(by)))),
      ...[3, 11, 399].map((by) => removeSelectedUsers(db, rowsOf(turned(by)))),
      ...[7, 399].map((by) =>
        markFetched(
          db,
          turned(by).map((fid) => fetched({ fid })),
        ),
      ),
    ])
  }
})
