import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { silentLog } from '../platform/log/log.js'
import { createMetrics } from '../platform/metrics.js'
import { noTracing } from '../platform/tracing/tracing.js'
import { fewestConnections, openConnections, splitConnections } from './connections.js'
import { openReadRouting, writersOf } from './open-read-routing.js'
import { configOf } from './testing/config-of.js'

const { url } = await createTestDatabase()

async function open(replicaUrls: string) {
  const roles = new Set(['api'] as const)
  const connections = openConnections(url, splitConnections(fewestConnections(roles, 1), roles, 1))
  const metrics = createMetrics()
  const config = { ...configOf({}), databaseReplicaUrl: replicaUrls }
  const reads = openReadRouting(config, { connections, metrics, log: silentLog, tracing: noTracing })
  const read = async () =>
    (await metrics.registry.metrics()).split('\n').filter((line) => /^plaza_replica/.test(line))
  async function close() {
    await reads?.stop()
    await connections.end()
  }
  return { reads, read, close }
}

it('without a URL there is no routing', async () => {
  const { reads, read, close } = await open('')
  expect([reads, await read()]).toEqual([null, []])
  await close()
})

it('replicas are named by host and port in the metrics, without user and password', async () => {
  const away = 'postgres://me:hunter2@127.0.0.1:1,127.0.0.1:2/plaza?sslmode=disable'
  const inQuery = 'postgres:///plaza?host=127.0.0.1&port=4, postgres://127.0.0.1/plaza?port=5'
  const { reads, read, close } = await open(`${away}, postgresql://127.0.0.1:3, ${inQuery}`)
  expect(await read()).toEqual([
    'plaza_replica_in_use{replica="127.0.0.1:1,127.0.0.1:2"} 0',
    'plaza_replica_in_use{replica="127.0.0.1:3"} 0',
    'plaza_replica_in_use{replica="127.0.0.1:4"} 0',
    'plaza_replica_in_use{replica="127.0.0.1:5"} 0',
  ])
  expect(await reads!.routing.run([], (db) => db<{ one: number }[]>`select 1 as one`)).toEqual([{ one: 1 }])
  expect(await read()).toContain('plaza_replica_reads_total{replica="none",outcome="unavailable"} 1')
  await close()
})

it('writers are the users of the merged events', () => {
  const event = { shard: 1, id: 1, type: 1, event: Buffer.alloc(0) }
  const events = [{ fid: 7 }, { fid: null }, { fid: 8 }, { fid: 7 }].map((fid) => ({ ...event, ...fid }))
  expect([...writersOf(events as never)]).toEqual(['fid 7', 'fid 8'])
})
