import { afterAll, expect, it } from 'vitest'
import { verifyWebhook } from '../../packages/verify-webhook/index.js'
import { startReceiver } from '../../scripts/upgrade-fixture/receiver.mjs'
import { registerUser } from '../../scripts/upgrade-fixture/register-user.mjs'
import { createTestDatabase } from '../database.js'
import { runCommand, startServerProcess } from '../server-process.js'
import { makeTestDir } from '../stale-test-dirs.js'
import { compareMembers, type Difference } from './compare.js'
import { deliberateDifferences } from './deliberate-differences.js'
import { type Caller, readOldVersion } from './fixture.js'

// Starts a server, and commands.
const { db, url } = await createTestDatabase({ migrated: false })
const receiver = await startReceiver()
afterAll(() => receiver.stop())
const { secrets, answers, dump } = await readOldVersion(receiver.port)
const { people, signers, keys } = secrets
// A dump sets its own search path.
const restoring = await db.reserve()
await restoring.unsafe(dump).simple()
await restoring.unsafe('reset all')
restoring.release()
const env = {
  DATABASE_URL: url,
  PLAZA_SECRET_KEY: secrets.secretKey,
  ADMIN_TOKEN: secrets.adminToken,
  PUBLIC_URL: 'https://plaza.example.com',
  CRAWL_EMBEDS: 'false',
  SCORE_INTERVAL_HOURS: '0',
  ALLOW_PRIVATE_TARGETS: 'loopback',
  WEBHOOK_ALLOW_HTTP: 'true',
  EVENT_RETENTION_DAYS: '3650',
  WEBHOOK_RETENTION_DAYS: '3650',
}
const dataDir = await makeTestDir()
const server = await startServerProcess({ dataDir, env, atEnd: afterAll })

const headers: Readonly<Record<Caller, Readonly<Record<string, string>>>> = {
  reader: { 'x-api-key': keys.reader },
  writer: { 'x-api-key': keys.writer },
  hub: {},
  admin: { authorization: `Bearer ${secrets.adminToken}` },
}
const prefixes = { reader: '/v2/social/', writer: '/v2/social/', hub: '/v1/', admin: '/admin/' }

/** Sends a request, and returns status and body. */
async function send(
  caller: Caller,
  path: string,
  body?: object,
  { method = body === undefined ? 'GET' : 'POST', ...more }: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(`${server.url}${prefixes[caller]}${path}`, {
    method,
    headers: { ...headers[caller], ...more, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as ReturnType<typeof JSON.parse> }
}

async function plaza(...args: string[]): Promise<string> {
  const command = await runCommand(args, { dataDir, env })
  expect(await command.ended, command.output()).toMatchObject({ code: 0 })
  return command.output()
}

async function publish(signer: keyof typeof signers, text: string) {
  return await send('writer', 'cast', { signer_uuid: signers[signer].signer_uuid, text })
}

/**
 * Rows of the tables that replay, recount and rebuild write. `merged_at` of a reaction is when
 * its row was written.
 */
async function readModel(): Promise<Record<string, string[]>> {
  const tables = await db<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('social', 'inbox', 'moderation', 'channels') or tablename = 'set_counts' order by name`
  const rows = tables.map(async ({ name }) => {
    const found = await db.unsafe<{ row: string }[]>(
      `select (to_jsonb(t) - 'merged_at')::text as row from ${name} t order by row`,
    )
    return [name, found.map(({ row }) => row)] as const
  })
  return Object.fromEntries(await Promise.all(rows))
}

it('the server is ready, and its log has no warning', async () => {
  const readiness = async () => await (await fetch(`${server.url}/readyz`)).json()
  await expect.poll(readiness).toMatchObject({ status: 'ready', migrations: 'applied' })
  expect(server.output()).toContain('schema migrated')
  expect(server.output()).not.toMatch(/"level":[4-6]0/)
})

it('apps, the operator and clients of the hub get the answers of 0.1.0, but for the named differences', async () => {
  const found: Difference[] = []
  for (const [caller, asked] of Object.entries(answers)) {
    for (const [request, before] of Object.entries(asked)) {
      const now = await send(caller as Caller, request)
      found.push(...compareMembers(before, now).map((each) => ({ caller, request, ...each })))
    }
  }
  const used = new Set<string>()
  const unnamed = found.filter((difference) => {
    const named = deliberateDifferences.filter(({ matches }) => matches(difference))
    for (const { name } of named) used.add(name)
    return named.length === 0
  })
  expect(unnamed).toEqual([])
  expect([...used].sort()).toEqual(deliberateDifferences.map(({ name }) => name).sort())
})

it('a key that was revoked is refused', async () => {
  const { status } = await send('reader', 'user/bulk?fids=1', undefined, { 'x-api-key': keys.revoked })
  expect(status).toBe(401)
})

it('replay, recount and inbox rebuild change no row', async () => {
  const before = await readModel()
  expect(await plaza('recount')).not.toContain('wrong')
  expect(await readModel()).toEqual(before)
  expect(await plaza('replay')).toContain('the read model is rebuilt')
  expect(await readModel()).toEqual(before)
  await plaza('inbox', 'rebuild')
  expect(await readModel()).toEqual(before)
})

it('new messages of an old signer: events go on behind the old ones, webhooks sign with the old secrets', async () => {
  // Storage of the fixture has an end.
  await plaza('storage', 'rent', '--fid', `${people.alice.fid}`)
  const [{ last }] = await db<[{ last: string }]>`select max(id) as last from hub.events`
  const { status, body } = await publish('approved', 'tulips and roses, after the upgrade')
  expect(status, JSON.stringify(body)).toBe(200)
  const { events } = (await send('hub', `events?from_event_id=${BigInt(last) + 1n}`)).body
  const merged = events.filter(({ type }: { type: string }) => type === 'HUB_EVENT_TYPE_MERGE_MESSAGE')
  expect(merged.at(-1).mergeMessageBody.message.hash).toBe(body.cast.hash)
  const [{ doubled }] = await db<[{ doubled: string }]>`
    select count(*) - count(distinct id) as doubled from hub.events`
  expect(Number(doubled)).toBe(0)
  expect((await send('reader', `cast?type=hash&identifier=${body.cast.hash}`)).body.cast.text).toContain(
    'after',
  )

  const arrivals = () => receiver.received.filter(({ raw }) => raw.includes(body.cast.hash))
  await expect.poll(() => arrivals().length).toBe(2)
  const expected = secrets.webhooks.filter(({ name }) => ['words and reactions', 'rotated'].includes(name))
  for (const {
    secrets: [secret],
  } of expected) {
    const signed = arrivals().filter((each) => verifyWebhook(each.raw, each.headers, [secret!]))
    expect(signed).toHaveLength(1)
    expect(secrets.webhookEvents).not.toContain(signed[0]!.body.event_id)
  }
})

it('a delivery that 0.1.0 could not make is made again, as it was', async () => {
  const { id, secrets: signing } = secrets.webhooks.find(({ name }) => name === 'broken')!
  const read = async () => (await send('writer', `webhook/deliveries?webhook_id=${id}`)).body.deliveries
  // It has been tried once more, unless it is older than a day.
  await expect.poll(async () => (await read())[0].status).toMatch(/^(delivered|failed)$/)
  const [{ delivery_id }] = await read()
  const arrivals = () => receiver.received.filter(({ body }) => body.delivery_id === delivery_id)
  const before = arrivals().length
  expect((await send('writer', 'webhook/deliveries/redeliver', { delivery_id })).status).toBe(200)
  await expect.poll(() => arrivals().length).toBe(before + 1)
  for (const { raw, headers: signed, body } of arrivals()) {
    expect(body.data.text).toBe('a quote')
    expect(verifyWebhook(raw, signed, signing)).toBe(true)
  }
})

it('signers have the state and the permissions that they had', async () => {
  const codeOf = async (signer: keyof typeof signers) => (await publish(signer, 'hello')).body.code ?? 'OK'
  await plaza('storage', 'rent', '--fid', `${people.bob.fid}`)
  expect(await codeOf('limited')).toBe('OK')
  const like = {
    signer_uuid: signers.limited.signer_uuid,
    reaction_type: 'like',
    target: 'https://plaza.example',
  }
  expect((await send('writer', 'reaction', like)).body.code).toBe('PermissionMissing')
  expect(await codeOf('revoked')).toBe('SignerRevoked')
  expect(await codeOf('refused')).toBe('SignerRevoked')
  expect(await codeOf('pending')).toBe('SignerNotApproved')
  expect(await codeOf('generated')).toBe('SignerNotApproved')
})

it('mini app tokens receive notifications, and those that have ended do not', async () => {
  const { alice, bob, carol, maker } = people
  const { body } = await send('writer', 'frame/notifications', {
    notification: { title: 'Upgraded', body: 'Go on', target_url: 'https://garden.example.com/play' },
    target_fids: [alice.fid, bob.fid, carol.fid, maker.fid],
  })
  expect(body).toMatchObject({ success_count: 3, failure_count: 0, not_attempted_count: 1 })
  const sent = receiver.received.filter(({ body: each }) => each.title === 'Upgraded')
  expect(sent.flatMap(({ body: each }) => each.tokens).sort()).toEqual([
    'token-of-alice',
    'token-of-bob',
    'token-of-maker',
  ])
})

it('a wallet of 0.1.0 registers a user with a fid of its pool, who gets a working signer', async () => {
  const write = async (method: string, path: string, body?: object, wallet?: string) => {
    const reply = await send('writer', path, body, { method, ...(wallet && { 'x-wallet-id': wallet }) })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    return reply.body
  }
  const { fid, signer_uuid } = await registerUser(write, secrets.wallet, 'after-upgrade')
  expect(fid).toBeGreaterThan(people.registered.fid)
  const { cast } = await write('POST', 'cast', { signer_uuid, text: 'hello' })
  expect(cast.author).toMatchObject({ fid, username: 'after-upgrade' })
})
