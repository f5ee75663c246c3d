import { expect, it } from 'vitest'
import { openUpstreams } from '../../src/hub/sync/client/upstreams.js'
import { PlazaError } from '../../src/platform/errors.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { startTcpProxy } from '../tcp-proxy.js'
import { startTestSync } from './test-sync.js'

const a = await createTestDatabase()
const { server } = await openHubGrpc(a.db, {
  authorize: async () => {
    throw new PlazaError('unauthenticated', 'a valid API key is needed')
  },
})
const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)

it('each reason of a failed sync or reconciliation is logged once, with advice', async () => {
  const proxy = await startTcpProxy(server.address)
  proxy.target = '127.0.0.1:1'
  await db`insert into sync.fids (fid, reconcile_reason, queued_at) values (1, 'a test', now())`
  const other = await startTcpProxy('127.0.0.1:1')
  const addresses = [proxy.address, other.address]
  const settings = { addresses, tls: false, headers: new Map(), trusted: false }
  const upstreams = openUpstreams(settings, { answerTimeoutMs: 0 })
  const { log, metrics, stop } = startTestSync(db, hub, { addresses, reconcileWith: upstreams })
  const reported = (message: string) =>
    log.lines.flatMap((line) =>
      'err' in line.fields && line.message === message ? [String(line.fields.err)] : [],
    )
  await expect.poll(() => metrics.disconnects.length).toBeGreaterThan(3)
  for (const each of [proxy, other]) each.target = server.address
  const refusals = () => metrics.disconnects.filter((status) => status === 'UNAUTHENTICATED').length
  await expect.poll(refusals).toBeGreaterThan(3)
  const followed = reported('sync failed')
  for (const address of addresses) {
    const ofOne = followed.filter((reason) => reason.includes(address))
    const codes = ofOne.map((reason) => reason.split(': ')[2])
    expect(codes).toEqual(expect.arrayContaining(['UNAVAILABLE', 'UNAUTHENTICATED']))
    expect(new Set(codes).size).toBe(codes.length)
    expect(ofOne.at(-1)).toMatch(/a valid API key is needed; set its key in UPSTREAM_HEADERS$/)
  }
  const compared = () => reported('reconciliation failed')
  await expect.poll(() => compared().length).toBeGreaterThan(0)
  expect(new Set(compared()).size).toBe(compared().length)
  await stop()
  upstreams.close()
})
