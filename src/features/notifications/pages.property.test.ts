import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { testNow, testNowUnix } from '../../../test/network.js'
import { MessageType } from '../../protocol/definitions.js'
import { kinds, type NotificationKind, notificationKinds } from './kinds.js'
import type { InboxCursor, InboxSelection } from './notification-list.js'
import {
  type InboxRow,
  MAX_UNSEEN,
  markSeen,
  readInbox,
  readInboxWithUnseen,
  SHOWN_MEMBERS,
} from './pages.js'
import { consumeInbox } from './testing/consume-inbox.js'
import { type HistoryStep, histories, users } from './testing/inbox-history.js'
import { groupsOf, type ModelRow, membersOf, storedMessages } from './testing/inbox-model.js'
import { createInboxNetwork } from './testing/inbox-network.js'

const { db, hub, shards, reset, submit } = await createInboxNetwork()
beforeEach(() => reset())

const fid = fc.constantFrom(...users.map((user) => user.fid))
const pair = fc.tuple(fid, fid).filter(([one, other]) => one !== other)
const urls = ['https://example.com/a', 'https://example.com/b']

const selections = fc.record({
  fid,
  kinds: fc.subarray([...notificationKinds], { minLength: 1 }),
  below: fc.option(fc.subarray(urls, { minLength: 1 })),
})

/** Returns the users hidden from a viewer. */
async function hiddenFrom(viewer: number): Promise<Set<number>> {
  const messages = await storedMessages(db)
  const blocks = messages
    .filter(({ data }) => data.type === MessageType.LINK_ADD && data.linkBody!.type === 'block')
    .map(({ data }) => [data.fid, data.linkBody!.targetFid!] as const)
  const mutes = await db<
    { target_fid: number }[]
  >`select target_fid from moderation.mutes where fid = ${viewer}`
  return new Set([
    ...blocks.flatMap(([one, other]) => (one === viewer ? [other] : other === viewer ? [one] : [])),
    ...mutes.map((row) => row.target_fid),
  ])
}

interface Listed extends Pick<InboxRow, 'name' | 'hash' | 'ts' | 'count'> {
  readonly members: number[] | null
}

const isGroup = (kind: string) => ['follows', 'likes', 'recasts'].includes(kind)

/** Reference implementation of the list. */
async function expectedList({ fid: viewer, kinds: requested, below }: InboxSelection): Promise<Listed[]> {
  const messages = await storedMessages(db)
  const casts = new Map(
    messages
      .filter(({ data }) => data.type === MessageType.CAST_ADD)
      .map((cast) => [cast.hash.toString('hex'), cast.data.fid]),
  )
  const hidden = await hiddenFrom(viewer)
  const mine = membersOf(messages).filter(
    (row) =>
      row.fid === viewer &&
      !hidden.has(row.actor) &&
      requested.includes(row.kind as NotificationKind) &&
      (row.kind === 'follows' || casts.get(row.hash) === (isGroup(row.kind) ? viewer : row.actor)) &&
      (!below || (row.rootUrl !== null && 'urls' in below && below.urls.includes(row.rootUrl))),
  )
  const says = (row: ModelRow, kind: string) =>
    mine.some((each) => each.hash === row.hash && each.kind === kind)
  const listed = groupsOf(mine).filter((row) => {
    if (row.kind === 'mentions') return !says(row, 'replies') && !says(row, 'quotes')
    return row.kind !== 'quotes' || !says(row, 'replies')
  })
  const withMembers = listed.map(({ kind, hash, ts }): Listed => {
    const name = kind as NotificationKind
    if (!isGroup(kind)) return { name, hash, ts, count: null, members: null }
    const all = mine
      .filter((row) => row.kind === kind && row.hash === hash)
      .sort((a, b) => b.ts - a.ts || b.actor - a.actor)
    return {
      name,
      hash,
      ts,
      count: all.length,
      members: all.slice(0, SHOWN_MEMBERS).map(({ actor }) => actor),
    }
  })
  return withMembers.sort(
    (a, b) => b.ts - a.ts || kinds[a.name] - kinds[b.name] || (a.hash < b.hash ? 1 : -1),
  )
}

function plain({ name, hash, ts, count, members }: InboxRow): Listed {
  return { name, hash, ts, count, members: members?.map((member) => member.fid) ?? null }
}

async function countUnseen(selection: InboxSelection): Promise<number> {
  return (await readInboxWithUnseen(db, selection, { limit: 1 })).unseen
}

/** Reads all pages, each of them alone and with the count; the callback runs between two of them. */
async function readPages(
  selection: InboxSelection,
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<InboxRow[]> {
  const read: InboxRow[] = []
  let before: InboxCursor | undefined
  for (;;) {
    const rows = await readInbox(db, selection, { before, limit: limit + 1 })
    const counted = await readInboxWithUnseen(db, selection, { before, limit: limit + 1 })
    expect(counted).toEqual({ rows, unseen: await countUnseen(selection) })
    read.push(...rows.slice(0, limit))
    if (rows.length <= limit) return read
    before = rows[limit - 1]!
    await between()
  }
}

async function play(steps: readonly HistoryStep[]): Promise<void> {
  for (const step of steps) await submit(step)
}

const block = ([one, other]: readonly [number, number], remove = false) => ({
  message: users[one - 1]!.link(other, testNow - 1, { type: 'block', remove }),
})

async function mute(pairs: readonly (readonly [number, number])[]): Promise<void> {
  for (const [one, other] of pairs) {
    await db`
      insert into moderation.mutes (fid, target_fid, muted_at) values (${one}, ${other}, ${testNowUnix})
      on conflict do nothing
    `
  }
}

test('readInbox: pages show each visible notification once, in order, with its members', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.array(pair, { maxLength: 3 }),
      fc.array(pair, { maxLength: 3 }),
      fc.array(selections, { minLength: 4, maxLength: 4 }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, blocks, mutes, requested, limit) => {
        await reset()
        await play(steps)
        await consumeInbox(db, { shards })
        await play(blocks.map((each) => block(each)))
        await mute(mutes)
        for (const { fid: viewer, kinds: list, below } of requested) {
          const selection = { fid: viewer, kinds: list, ...(below ? { below: { urls: below } } : {}) }
          const expected = await expectedList(selection)
          expect((await readPages(selection, limit)).map(plain)).toEqual(expected)
          expect(await countUnseen(selection)).toBe(expected.length)
        }
      },
    ),
    { numRuns: 30 },
  )
})

test('readInbox: unchanged entries are neither repeated nor skipped while others change', async () => {
  const nameOf = ({ name, hash, ts }: Listed) => `${name} ${hash} ${ts}`
  await fc.assert(
    fc.asyncProperty(histories, fid, fc.integer({ min: 1, max: 2 }), async (steps, viewer, limit) => {
      await reset()
      const selection = { fid: viewer, kinds: notificationKinds }
      const half = Math.floor(steps.length / 2)
      await play(steps.slice(0, half))
      await consumeInbox(db, { shards })
      const stood = new Set((await expectedList(selection)).map(nameOf))
      let next = half
      const pages = await readPages(selection, limit, async () => {
        await play(steps.slice(next, next + 5))
        next += 5
        await consumeInbox(db, { shards })
        const now = new Set((await expectedList(selection)).map(nameOf))
        for (const name of stood) if (!now.has(name)) stood.delete(name)
      })
      const read = pages.map(plain).map(nameOf)
      for (const name of stood) expect(read.filter((each) => each === name)).toEqual([name])
      expect(new Set(read).size).toBe(read.length)
    }),
    { numRuns: 20 },
  )
})

test('markSeen: marks one kind of one user; later notifications stay unseen', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      fid,
      fc.subarray([...notificationKinds], { minLength: 1 }),
      async (steps, viewer, marked) => {
        await reset()
        await play(steps)
        await consumeInbox(db, { shards })
        await markSeen(db, viewer, marked, testNowUnix * 1000)
        for (const { fid: other } of users) {
          const selection = { fid: other, kinds: notificationKinds }
          const rows = await readPages(selection, 4)
          for (const row of rows) expect(row.isSeen).toBe(other === viewer && marked.includes(row.name))
          expect(await countUnseen(selection)).toBe(rows.filter(({ isSeen }) => !isSeen).length)
        }
        const later = users[viewer % 4]!.cast('later', testNow, {
          mentions: [viewer],
          mentionsPositions: [0],
        })
        const wasTaken = (await hub.submit([later]))[0] === null
        await consumeInbox(db, { shards })
        const [newest] = await readInbox(db, { fid: viewer, kinds: ['mentions'] }, { limit: 1 })
        if (wasTaken) expect(newest).toMatchObject({ hash: later.hash.toString('hex'), isSeen: false })
      },
    ),
    { numRuns: 15 },
  )
})

test('markSeen: a clock that is ahead is followed for at most a minute', async () => {
  const [alice, bob] = [users[0]!, users[1]!]
  const mention = (text: string, at: number) =>
    alice.cast(text, at, { mentions: [2], mentionsPositions: [0] })
  const selection = { fid: bob.fid, kinds: notificationKinds }
  const mark = () => markSeen(db, 2, notificationKinds, testNowUnix * 1000)
  await hub.submit([mention('from a clock that is ahead', testNow + 40)])
  await consumeInbox(db, { shards })
  await mark()
  expect(await countUnseen(selection)).toBe(0)
  await hub.submit([mention('from far ahead', testNow + 500)])
  await consumeInbox(db, { shards })
  await mark()
  await hub.submit([mention('a moment later', testNow + 61)])
  await consumeInbox(db, { shards })
  expect((await readInbox(db, selection, { limit: 9 })).map(({ isSeen }) => isSeen)).toEqual([
    false,
    false,
    true,
  ])
})

test('readInboxWithUnseen: the count stops at its bound', async () => {
  const casts = Array.from({ length: MAX_UNSEEN + 20 }, (_, n) =>
    users[0]!.cast(`cast ${n}`, testNow - 500 + n, { mentions: [2], mentionsPositions: [0] }),
  )
  await hub.submit(casts)
  await consumeInbox(db, { shards })
  expect(await countUnseen({ fid: 2, kinds: notificationKinds })).toBe(MAX_UNSEEN)
})
