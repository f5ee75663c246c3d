// Fills a database with version 0.1.0 of this repository, and writes it with that version's answers to test/upgrade/0.1.0:
// node scripts/upgrade-fixture.mjs. Needs PostgreSQL of the system (Debian: postgresql), for pg_dump.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { record, requestsOf } from './upgrade-fixture/answers.mjs'
import { apiOf, fill } from './upgrade-fixture/fill.mjs'
import { oldVersion } from './upgrade-fixture/old-version.mjs'
import { startPostgres } from './upgrade-fixture/postgres.mjs'
import { startReceiver } from './upgrade-fixture/receiver.mjs'

/** The last commit of version 0.1.0. */
const COMMIT = 'dca20695a'
const DEMO = [
  '--users',
  '150',
  '--casts',
  '700',
  '--reactions',
  '1200',
  '--follows',
  '1200',
  '--end',
  '2026-11-20',
]
const ADMIN_TOKEN = 'an admin token of the upgrade test'.replaceAll(' ', '-')
const SECRET_KEY = 'a-secret-key-of-version-0.1.0-for-the-upgrade-test'

const { values } = parseArgs({
  options: {
    checkout: { type: 'string' },
    out: { type: 'string', default: 'test/upgrade/0.1.0' },
  },
})
const run = promisify(execFile)
const out = resolve(values.out)

if (values.checkout === undefined) await inWorktree(write)
else await write(resolve(values.checkout))

/** Builds the old version in a worktree of its own, which is removed afterwards. `--checkout` names one that is built. */
async function inWorktree(work) {
  const directory = await mkdtemp(join(tmpdir(), 'plaza-0.1.0-'))
  await run('git', ['worktree', 'add', '--detach', directory, COMMIT])
  try {
    console.log(`building ${COMMIT} in ${directory}`)
    const options = { cwd: directory, maxBuffer: 1 << 26 }
    await run('npm', ['ci'], options)
    await run('npm', ['run', 'build'], options)
    await work(directory)
  } finally {
    await run('git', ['worktree', 'remove', '--force', directory])
    await rm(directory, { recursive: true, force: true })
  }
}

async function write(checkout) {
  const postgres = await startPostgres()
  const receiver = await startReceiver({ '/broken': 500, '/gone': 410 })
  try {
    const fixture = await fillAndRecord(checkout, postgres.url, receiver)
    const dump = await postgres.dump()
    await mkdir(out, { recursive: true })
    await writeCompressed('database.sql.br', dump)
    await writeCompressed('answers.json.br', JSON.stringify(fixture.answers))
    const secretsFile = join(out, 'secrets.json')
    await writeFile(secretsFile, JSON.stringify(fixture.secrets))
    await run('npx', ['biome', 'format', '--write', secretsFile])
  } finally {
    receiver.stop()
    await postgres.stop()
  }
}

async function fillAndRecord(checkout, databaseUrl, receiver) {
  const env = {
    DATABASE_URL: databaseUrl,
    PLAZA_SECRET_KEY: SECRET_KEY,
    ADMIN_TOKEN,
    PORT: '0',
    PUBLIC_URL: 'https://plaza.example.com',
    LOG_LEVEL: 'warn',
    CRAWL_EMBEDS: 'false',
    SCORE_INTERVAL_HOURS: '0',
    ALLOW_PRIVATE_TARGETS: 'loopback',
    WEBHOOK_ALLOW_HTTP: 'true',
    EVENT_RETENTION_DAYS: '3650',
    WEBHOOK_RETENTION_DAYS: '3650',
  }
  const version = oldVersion(checkout, env)
  try {
    return await fillAndAsk(version, receiver)
  } finally {
    version.kill()
  }
}

async function fillAndAsk(version, receiver) {
  await version.plaza('migrate')
  await version.plaza('demo', ...DEMO)
  const server = await version.serve()
  const receiverUrl = `http://127.0.0.1:${receiver.port}`
  const filled = await fill({ version, url: server.url, adminToken: ADMIN_TOKEN, receiverUrl, receiver })
  // Views that were read before the last change are read anew.
  await server.stop()
  const again = await version.serve()
  const requests = requestsOf(filled, await contentsOf(again.url, filled.keys.reader))
  const answers = await record(again.url, requests, {
    reader: { 'x-api-key': filled.keys.reader },
    writer: { 'x-api-key': filled.keys.writer },
    hub: {},
    admin: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  await again.stop()
  const failed = Object.values(answers).flatMap((asked) =>
    Object.entries(asked).filter(([, { status }]) => status >= 400),
  )
  if (failed.length > 0)
    console.log(
      'not answered with 200:',
      failed.map(([path, { status, body }]) => [path, status, body.message ?? body]),
    )
  const receiverPort = receiver.port
  const webhookEvents = receiver.received
    .filter(({ path }) => path === '/in')
    .map(({ body }) => body.event_id)
  return {
    answers,
    secrets: {
      commit: COMMIT,
      secretKey: SECRET_KEY,
      adminToken: ADMIN_TOKEN,
      receiverPort,
      webhookEvents,
      ...filled,
    },
  }
}

/** All users, and casts of many of them. */
async function contentsOf(url, key) {
  const { fids } = await (await fetch(`${url}/v1/fids?pageSize=1000&shard_id=1`)).json()
  const read = apiOf(url, key)
  const casts = []
  for (const fid of fids.slice(0, 60).concat(fids.slice(-5))) {
    const page = await read('GET', `feed/user/casts?fid=${fid}&limit=10`)
    casts.push(...page.casts.map(({ hash }) => hash))
  }
  return { users: fids, casts }
}

async function writeCompressed(name, text) {
  const compressed = await promisify(brotliCompress)(text, {
    params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
  })
  await writeFile(join(out, name), compressed)
  console.log(`${name}: ${text.length} bytes, ${compressed.length} compressed`)
}
