import { execFile } from 'node:child_process'
import { chown, mkdir, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { ensureApp } from '../../src/features/apps/apps.js'
import { createSigner } from '../../src/features/signers/signer-record.js'
import { connect, type Database } from '../../src/platform/db/connection.js'
import { startEmbedded } from '../../src/platform/db/embedded.js'
import { migrate } from '../../src/platform/db/migrate.js'
import { silentLog } from '../../src/platform/log/log.js'
import { createVault } from '../../src/platform/vault/vault.js'
import { SignerEventType } from '../../src/protocol/definitions.js'
import { TestUser } from '../network.js'
import { startTestServer } from '../running-server.js'
import { makeTestDir } from '../stale-test-dirs.js'

const KEY = 'a-key-for-the-test'
const SECRET_KEY = 'the-secret-key-of-a-server-whose-disk-is-full'
const DISK = '64m'
const run = promisify(execFile)

/** Mounts a disk of 64 MB; false where this process may not. */
async function mountDisk(path: string): Promise<boolean> {
  await mkdir(path, { mode: 0o700 })
  const isMounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=0700`, 'tmpfs', path]).then(
    () => true,
    () => false,
  )
  afterAll(async () => {
    if (isMounted) await run('umount', [path])
  })
  return isMounted
}

/** Starts a PostgreSQL whose tables are on that disk, while its log is not: without a log it would end. */
async function startDatabaseOn(path: string, dataDir: string) {
  const settings = { fsync: 'off', full_page_writes: 'off', shared_buffers: '32MB' }
  const embedded = await startEmbedded({
    dataDir,
    command: 'test',
    log: silentLog,
    settings,
    detached: false,
  })
  onTestFinished(() => embedded.stop())
  const admin = connect(Object.assign(new URL(embedded.url), { pathname: '/postgres' }).href, {
    poolSize: 1,
    applicationName: 'plaza test setup',
  })
  const [row] = await admin<{ directory: string }[]>`select current_setting('data_directory') as directory`
  const owner = await stat(row!.directory)
  await chown(path, owner.uid, owner.gid)
  await admin.unsafe(`create tablespace small location '${path}'`)
  await admin`alter database plaza set tablespace small`
  await admin.end({ timeout: 5 })
  await migrate(embedded.url, silentLog)
  const db: Database = connect(embedded.url, { poolSize: 2, applicationName: 'plaza test' })
  onTestFinished(() => db.end({ timeout: 5 }))
  return { db, url: embedded.url }
}

/** Writes a file until nothing is left; returns how to remove it. */
async function fill(path: string): Promise<() => Promise<void>> {
  const filler = join(path, 'filler')
  const file = await open(filler, 'w')
  try {
    for (let size = 2 ** 20; size >= 1; ) {
      const isWritten = await file.write(Buffer.alloc(size)).then(
        ({ bytesWritten }) => bytesWritten === size,
        () => false,
      )
      if (!isWritten) size = Math.floor(size / 2)
    }
  } finally {
    await file.close()
  }
  return () => rm(filler)
}

const dataDir = await makeTestDir()
afterAll(() => rm(dataDir, { recursive: true, force: true }))
const disk = join(dataDir, 'disk')
const isMounted = await mountDisk(disk)

test.skipIf(isMounted)('a full disk: skipped, because this process may not mount one', () => {})

test.skipIf(!isMounted)(
  'a full disk: writes are 503 and say so, reads go on, and writes work again when there is space',
  async () => {
    const { db, url } = await startDatabaseOn(disk, dataDir)
    const server = await startTestServer(url, { PLAZA_SECRET_KEY: SECRET_KEY, CRAWL_EMBEDS: 'false' })
    const user = new TestUser(1)
    const appId = await ensureApp(db, 'development')
    const signer = await createSigner({ db, vault: createVault([SECRET_KEY]) }, appId)
    await server.hub.submitOnChainEvents([
      ...user.onChain({ units: 1_000 }),
      user.signerEvent(SignerEventType.ADD, 1_000, signer.publicKey),
    ])
    const publish = async (text: string) => {
      const reply = await server.send('POST', 'cast', {
        signer_uuid: signer.id,
        text,
        idem: text.slice(0, 20),
      })
      return { status: reply.status, retryAfter: reply.headers.get('retry-after'), body: await reply.json() }
    }
    const get = async (path: string) => {
      const reply = await fetch(`${server.urls.main}${path}`, { headers: { 'x-api-key': KEY } })
      return { status: reply.status, text: await reply.text() }
    }
    const readiness = async () => {
      const { status, text } = await get('/readyz')
      return { httpStatus: status, body: JSON.parse(text) }
    }
    expect((await publish('before')).status).toBe(200)
    await expect.poll(readiness).toMatchObject({ body: { shortages: [] } })

    const free = await fill(disk)
    // Pages that were allocated before still take some.
    let published = 0
    let refused = await publish('0')
    for (; refused.status === 200; published += 1)
      refused = await publish(`${published + 1} ${'x'.repeat(300)}`)
    expect(refused).toMatchObject({
      status: 503,
      retryAfter: '1',
      body: { code: 'Unavailable', status: 503, message: expect.stringContaining('no space left') },
    })
    // A check that takes long on a busy machine says that the server is not ready.
    await expect
      .poll(readiness)
      .toMatchObject({ httpStatus: 200, body: { status: 'ready', shortages: ['InsufficientStorage'] } })
    expect((await get('/metrics')).text).toMatch(
      /^plaza_database_shortages_total\{shortage="InsufficientStorage"\} [1-9]/m,
    )
    expect((await get('/v2/farcaster/feed/user/casts?fid=1&limit=5')).status).toBe(200)

    await free()
    const last = published === 0 ? '0' : `${published} ${'x'.repeat(300)}`
    await expect.poll(async () => (await publish(last)).status).toBe(200)
    expect(await db`select from social.casts where text = ${last}`).toHaveLength(1)
  },
)
