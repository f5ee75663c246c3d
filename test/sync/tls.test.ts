import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { status } from '@grpc/grpc-js'
import { expect, it, onTestFinished } from 'vitest'
import { UpstreamFailure } from '../../src/hub/sync/client/upstream-failure.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'
import { createDataDir, startServerProcess } from '../server-process.js'
import { type CertifiedKey, createAuthority } from './certificates.js'
import { hubSnapshot } from './hub-snapshot.js'
import { startTestSync } from './test-sync.js'

const a = await createTestDatabase()
const upstreamHub = await createTestHub(a.db)
const { server } = await openHubGrpc(a.db, { hub: upstreamHub })
const b = await createTestDatabase()
const hubOfB = await createTestHub(b.db)
const authority = createAuthority('somebody of a network of her own')

/** Terminates TLS in front of the upstream, like a proxy. */
async function serveTls(certified: CertifiedKey): Promise<string> {
  const [host = '', port = ''] = server.address.split(':')
  const proxy = createServer({ ...certified, ALPNProtocols: ['h2'] }, (socket) => {
    const plain = connect(Number(port), host)
    for (const each of [socket, plain])
      each.on('error', () => {}).on('close', () => void [socket.destroy(), plain.destroy()])
    socket.pipe(plain).pipe(socket)
  })
  proxy.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close())
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return `localhost:${address.port}`
}

/** The first log line of a sync that fails. */
async function refusal(address: string): Promise<string> {
  await b.db`truncate sync.cursors`
  const { log, stop } = startTestSync(b.db, hubOfB, { addresses: [address], tls: true })
  const warnings = () => log.lines.filter(({ message }) => message === 'sync failed')
  await expect.poll(() => warnings().length).toBeGreaterThan(0)
  await stop()
  expect(await b.db`select 1 from sync.cursors`).toEqual([])
  const [{ fields } = { fields: {} }] = warnings()
  return 'err' in fields && fields.err instanceof Error ? fields.err.message : ''
}

it('an upstream behind TLS is followed with a private authority', async () => {
  const user = new TestUser(1)
  await upstreamHub.submitOnChainEvents(user.onChain())
  const address = await serveTls(authority.certify('localhost'))
  const directory = await mkdtemp(join(tmpdir(), 'plaza-tls-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'authority.pem')
  await writeFile(file, authority.cert)
  await b.db`insert into sync.cursors values (${address}, 1, 0, 0)`
  const follower = await startServerProcess({
    dataDir: await createDataDir(),
    env: {
      DATABASE_URL: b.url,
      UPSTREAM_HUB: address,
      UPSTREAM_TLS: 'true',
      NODE_EXTRA_CA_CERTS: file,
      CRAWL_EMBEDS: 'false',
      SCORE_INTERVAL_HOURS: '0',
    },
  })
  await upstreamHub.submit([user.cast('over TLS', testNow - 10)])
  const wanted = await hubSnapshot(a.db)
  await expect
    .poll(async () => (await hubSnapshot(b.db)) === wanted || follower.output(), {
      interval: 250,
    })
    .toBe(true)
  follower.child.kill()
  await follower.ended
})

it('an invalid certificate is refused, and the log says what to do', async () => {
  expect(await refusal(await serveTls(authority.certify('localhost')))).toMatch(/NODE_EXTRA_CA_CERTS/)
  expect(await refusal(server.address.replace('127.0.0.1', 'localhost'))).toMatch(/unset UPSTREAM_TLS/)
})

it('the log has hints for other TLS failures', () => {
  const reported = (details: string) =>
    new UpstreamFailure(status.UNAVAILABLE, 'node.example:3383', details).message
  expect(reported("Hostname/IP does not match certificate's altnames: Host: a. is not cert's CN: b")).toMatch(
    /UPSTREAM_HUB as its certificate/,
  )
  expect(reported('certificate has expired')).toMatch(/renewed/)
  expect(reported('self-signed certificate in certificate chain')).toMatch(/NODE_EXTRA_CA_CERTS/)
  expect(reported('connect ECONNREFUSED')).toMatch(/ECONNREFUSED$/)
})
