import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { readFollowingFeed } from './feeds-following.js'

const { db } = await createTestDatabase()

const [viewer, author, stranger] = [1, 30, 31]
/** Enough that the read of everyone runs: it reads twice as many rows as users are followed. */
const FOLLOWED = 20
const recasted = '0a'.repeat(20)

beforeEach(async () => {
  await db`truncate social.users, social.user_counts, social.follows, social.casts, social.reactions`
  await db`
    insert into social.users (fid, custody_address, registered_at)
    select n, decode(lpad(to_hex(n), 40, '0'), 'hex'), 0 from generate_series(1, 40) n
  `
  await db`
    insert into social.follows (fid, target_fid, ts, signer)
    select ${viewer}::bigint, n, 0, '' from generate_series(2, ${FOLLOWED + 1}::integer) n
  `
  await db`insert into social.user_counts values (${viewer}, 0, ${FOLLOWED})`
  await db`
    insert into social.casts (hash, fid, ts, text, thread_hash, embeds, mentions, mention_positions, signer)
    select hash, ${author}::bigint, ts, '', hash, '[]', '{}', '{}', ''
    from (
      select decode(lpad(to_hex(n), 40, '0'), 'hex') as hash, 1000 + n as ts
      from generate_series(1, ${2 * FOLLOWED - 1}::integer) n
      union all
      select decode(${recasted}, 'hex'), 1
    ) casts
  `
  await db`analyze social.users`
})

test.each([
  ['a stranger', [stranger, 2]],
  ['somebody followed', [2, stranger]],
] as const)(
  'a cast recasted twice in the last second of the read of everyone is found, first by %s',
  async (_, recasters) => {
    for (const fid of recasters) {
      await db`insert into social.reactions values (${fid}, 2, decode(${recasted}, 'hex'), ${author}, 500, '')`
    }
    const entries = await readFollowingFeed(db, { fid: viewer, recasts: true }, { before: null, count: 10 })
    expect(new Set(entries.map(({ hash }) => hash))).toEqual(new Set([recasted]))
  },
)

test('a row found at the end of the read of everyone is not repeated', async () => {
  await db`insert into social.reactions values (2, 2, decode(${recasted}, 'hex'), ${author}, 500, '')`
  await db`
    insert into social.casts (hash, fid, ts, text, thread_hash, embeds, mentions, mention_positions, signer)
    values (decode('0b', 'hex'), 3, 400, '', decode('0b', 'hex'), '[]', '{}', '{}', '')
  `
  const entries = await readFollowingFeed(db, { fid: viewer, recasts: true }, { before: null, count: 2 })
  expect(entries.map(({ hash }) => hash)).toEqual([recasted, '0b'])
})
