import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { observeOutgoing } from './publish-metrics.js'

const { db, connect } = await createTestDatabase()

/** The values of a scrape, which reads all metrics at the same time. */
async function scrape(registry: Registry): Promise<Record<string, number>> {
  const values = (await registry.metrics()).matchAll(/^plaza_publish_(\S+) (\S+)$/gm)
  return Object.fromEntries([...values].map(([, name, value]) => [name, Number(value)]))
}

it('a message that waits -> counted, with its age', async () => {
  const registry = new Registry()
  observeOutgoing(registry, db)
  const none = { 'queue_messages{state="pending"}': 0, 'queue_messages{state="refused"}': 0 }
  expect(await scrape(registry)).toEqual({ ...none, oldest_pending_seconds: 0 })
  await db`
    insert into hub.outgoing_messages (fid, message, merged_at)
    values (1, '', now() - interval '10 minutes'), (2, '', now())`
  const waiting = await scrape(registry)
  expect(waiting).toMatchObject({ 'queue_messages{state="pending"}': 2 })
  expect(waiting.oldest_pending_seconds).toBeGreaterThanOrEqual(600)
  await db`delete from hub.outgoing_messages`
  expect(await scrape(registry)).toMatchObject({ oldest_pending_seconds: 0 })
})

it('without the database -> no values', async () => {
  const gone = connect()
  await gone.end()
  const registry = new Registry()
  observeOutgoing(registry, gone)
  expect(await scrape(registry)).toEqual({})
})
