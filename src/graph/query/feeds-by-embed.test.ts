import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { readEmbedFeed } from './feeds-by-embed.js'

const { db } = await createTestDatabase()

/** The newest embeds that are read before the rare ones are read by index. */
const NEWEST = 2_000
/** Embeds two URLs; the second is the first that is not among the newest. */
const border = '0a'.repeat(20)
const older = '0b'.repeat(20)

beforeAll(async () => {
  await db`
    insert into social.url_embeds (url, ts, hash, fid)
    select 'https://common.example/' || n, 1000 + n, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1
    from generate_series(1, ${NEWEST - 1}::integer) n
  `
  for (const [url, ts, hash] of [
    ['https://one.example/a.pdf', 900, border],
    ['https://two.example/b.mp4', 900, border],
    ['https://one.example/c.pdf', 800, older],
    ['https://two.example/d.mp4', 800, older],
  ] as const) {
    await db`insert into social.url_embeds values (${url}, ${ts}, decode(${hash}, 'hex'), 2)`
    const kind = url.endsWith('pdf') ? 'application/pdf' : 'video/mp4'
    await db`insert into embeds.urls (url, host, kind) values (${url}, 'example', ${kind})`
  }
})

describe('a cast with embeds on both sides of the newest', () => {
  const pageRequest = { before: null, count: 10 }
  const found = [border, older]

  test.each(['https://one.example', 'https://two.example'])('is found by its embed of %s', async (prefix) => {
    const entries = await readEmbedFeed(db, { prefix, isHost: true }, pageRequest)
    expect([...new Set(entries.map(({ hash }) => hash))]).toEqual(found)
  })

  test.each(['application/pdf', 'video/mp4'] as const)('is found by its embed of %s', async (kind) => {
    const entries = await readEmbedFeed(db, { kinds: [kind] }, pageRequest)
    expect([...new Set(entries.map(({ hash }) => hash))]).toEqual(found)
  })
})
