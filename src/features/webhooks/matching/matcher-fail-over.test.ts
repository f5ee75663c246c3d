import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createFailOverDatabase } from '../../../../test/fail-over.js'
import type { Database } from '../../../platform/db/connection.js'
import { Matcher } from './matcher.js'

/** Webhooks in a database that fails over and loses commits. */

const { db, stopReplication, failOver } = await createFailOverDatabase()
const other = await createTestDatabase()

beforeAll(() => Promise.all([addApp(db), addApp(other.db)]))

async function addApp(sql: Database): Promise<void> {
  await sql`insert into apps.apps (name) values ('app')`
}

/** Stores a webhook for the casts of a user as the next change. */
async function store(sql: Database, title: string, fid: number): Promise<string> {
  const filters = JSON.stringify({ 'cast.created': { author_fids: [fid] } })
  const [row] = await sql<{ id: string }[]>`
    with next as (update webhooks.revision set revision = revision + 1 returning revision)
    insert into webhooks.webhooks (
      app_id, title, target_url, filters, revision, http_timeout_ms, rate_limit, rate_limit_ms
    )
    select apps.id, ${title}, 'https://example.com', ${filters}::text::jsonb, next.revision, 1, 1, 1 from apps.apps, next
    returning id`
  return row!.id
}

/** Points a webhook at the casts of another user. */
async function change(sql: Database, id: string, fid: number): Promise<void> {
  const filters = JSON.stringify({ 'cast.created': { author_fids: [fid] } })
  await sql`
    with next as (update webhooks.revision set revision = revision + 1 returning revision)
    update webhooks.webhooks set filters = ${filters}::text::jsonb, revision = next.revision from next where id = ${id}`
}

function castBy(authorFid: number) {
  return {
    kind: 'cast.created',
    authorFid,
    authorScore: 0,
    mentionedFids: [],
    parentFid: null,
    parentHash: null,
    parentUrl: null,
    rootParentUrl: null,
    embeddedFids: [],
    embeddedHashes: [],
    embeddedUrls: [],
    text: '',
  } as const
}

test('after a fail-over that lost changes, webhooks are those of the database that is there', async () => {
  const matcher = new Matcher()
  const kept = await store(db, 'kept', 1)
  await stopReplication()
  await change(db, kept, 2)
  for (const title of ['lost', 'lost as well', 'and this']) await store(db, title, 3)
  await matcher.refresh(db)
  expect(matcher.match(castBy(3))).toHaveLength(3)

  await failOver()
  // Fewer changes than were lost.
  const later = await store(db, 'later', 4)
  await matcher.refresh(db)
  expect([1, 2, 3, 4].map((fid) => matcher.match(castBy(fid)))).toEqual([[kept], [], [], [later]])
  expect(matcher.size).toBe(2)

  // The next changes are found as always.
  await change(db, later, 5)
  await matcher.refresh(db)
  expect(matcher.match(castBy(5))).toEqual([later])
})

test('after a failure all are loaded, whatever the numbers of changes', async () => {
  const matcher = new Matcher()
  const sql = other.db
  const webhook = await store(sql, 'one', 1)
  await matcher.refresh(sql)
  matcher.set({ webhookId: crypto.randomUUID(), filters: { 'cast.created': { author_fids: [2] } } })
  matcher.forget()
  await matcher.refresh(sql)
  expect([1, 2].map((fid) => matcher.match(castBy(fid)))).toEqual([[webhook], []])
})

test('two refreshes at once know the newest change', async () => {
  const matcher = new Matcher()
  const sql = other.db
  const webhook = await store(sql, 'two', 10)
  for (const fid of [11, 12, 13]) {
    await change(sql, webhook, fid)
    await Promise.all([1, 2, 3].map(() => sql.begin((transaction) => matcher.refresh(transaction))))
    expect(matcher.match(castBy(fid))).toEqual([webhook])
    expect(matcher.match(castBy(fid - 1))).toEqual([])
  }
})
