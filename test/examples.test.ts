import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { english, generateMnemonic, mnemonicToAccount } from 'viem/accounts'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type KeyHolder, registerKeyHolder } from '../src/features/signers/testing/key-holder.js'
import { LocalRegistry } from '../src/hub/registry/registry.js'
import { freePort } from '../src/platform/process/free-port.js'
import { browserPath, createTestBrowser, noBrowser } from './browser/browser.js'
import { injectWallet } from './browser/wallet.js'
import { createTestDatabase } from './database.js'
import { startExample } from './example-process.js'
import { startTestServer } from './running-server.js'

// Each example starts a process, which loads the published SDK.
const ADMIN_TOKEN = 'an-admin-token-of-this-test-only-1234'
const API_KEY = 'a-key-for-the-test'

const { url: databaseUrl } = await createTestDatabase()
const server = await startTestServer(
  databaseUrl,
  {
    ...{ ALLOW_PRIVATE_TARGETS: 'loopback', CRAWL_EMBEDS: 'false', HUB_GRPC_PORT: '0', ADMIN_TOKEN },
    PLAZA_SECRET_KEY: 'a-secret-key-of-the-examples-for-this-test',
  },
  afterAll,
)
const parts = { db: server.db, hub: server.hub, clock: Date.now }
const registry = new LocalRegistry(parts)
const PLAZA_URL = server.urls.main
const { openPage } = createTestBrowser()

/** A user with a name and an approved signer of the app. */
interface Member extends KeyHolder {
  readonly signerUuid: string
}

async function post(path: string, body: object, key = API_KEY): Promise<ReturnType<typeof JSON.parse>> {
  const response = await fetch(`${PLAZA_URL}/v2/farcaster/${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const reply = JSON.parse(await response.text())
  expect(response.ok, JSON.stringify(reply)).toBe(true)
  return reply
}

async function admin(method: string, path: string, body?: object): Promise<ReturnType<typeof JSON.parse>> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const response = await fetch(`${PLAZA_URL}/admin/${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return JSON.parse(await response.text())
}

async function createMember(name: string): Promise<Member> {
  const holder = await registerKeyHolder(parts)
  const { signer_uuid: signerUuid, public_key } = await post('signer', {})
  await registry.addSigner(holder.fid, Buffer.from(public_key.slice(2), 'hex'))
  await registry.registerName(name, holder.fid)
  const profile = { signer_uuid: signerUuid, username: name, display_name: name.toUpperCase() }
  const reply = await server.send('PATCH', 'user', profile)
  expect(await reply.json()).toMatchObject({ success: true })
  return { ...holder, signerUuid }
}

async function publish(author: Member, text: string): Promise<string> {
  return (await post('cast', { signer_uuid: author.signerUuid, text })).cast.hash
}

const alice = await createMember('alice')
const bob = await createMember('bob')

it('each example has a README and under 150 lines of code', () => {
  const folders = readdirSync('examples', { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const sizes = folders.map(({ name }) => {
    const files = readdirSync(`examples/${name}`).filter((file) => /\.(mjs|html)$/.test(file))
    const lines = files.map((file) => readFileSync(`examples/${name}/${file}`, 'utf8').split('\n').length - 1)
    return {
      name,
      lines: lines.reduce((sum, count) => sum + count),
      isExplained: existsSync(`examples/${name}/README.md`),
    }
  })
  expect(sizes.length).toBe(7)
  expect(sizes.filter(({ lines, isExplained }) => lines >= 150 || !isExplained)).toEqual([])
})

it('reply bot: a mention -> a reply that can be read; a wrong signature -> refused', async () => {
  const bot = await createMember('wordcount')
  const example = startExample('reply-bot/bot.mjs', { API_KEY, PLAZA_URL, SIGNER_UUID: bot.signerUuid })
  const botUrl = await example.waitFor(/reply bot of fid \d+ on (\S+)/)

  const forged = await fetch(botUrl, { method: 'POST', body: '{"type":"cast.created"}' })
  expect(forged.status).toBe(401)

  const hash = await publish(alice, '@wordcount how many words?')
  await example.waitFor(new RegExp(`replied to ${hash}`))
  const { conversation } = await server.get(
    `cast/conversation?identifier=${hash}&type=hash&reply_depth=1&limit=5`,
  )
  expect(conversation.cast.direct_replies).toMatchObject([
    { author: { fid: bot.fid }, text: '@alice you wrote 4 words', mentioned_profiles: [{ fid: alice.fid }] },
  ])

  const ended = new Promise((resolve) => example.child.once('exit', resolve))
  example.child.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect((await server.get('webhook/list')).webhooks).toEqual([])
})

it.each([
  ['lasting', 'it takes its webhook', async () => {}],
  [
    'forgotten',
    'a webhook that was switched off meanwhile is replaced',
    async () => {
      const [{ webhook_id }] = (await server.get('webhook/list')).webhooks
      const { status } = await server.send('PATCH', 'webhook', { webhook_id, active: 'false' })
      expect(status).toBe(200)
    },
  ],
] as const)(
  'reply bot %s: killed and started again -> %s, and deleted at Ctrl-C',
  async (name, _, meanwhile) => {
    const bot = await createMember(name)
    const PORT = String(await freePort())
    const env = { API_KEY, PLAZA_URL, SIGNER_UUID: bot.signerUuid, PORT }
    const killed = startExample('reply-bot/bot.mjs', env)
    await killed.waitFor(/reply bot of fid \d+ on/)
    const gone = new Promise((resolve) => killed.child.once('exit', resolve))
    killed.child.kill('SIGKILL')
    await gone
    await meanwhile()

    const next = startExample('reply-bot/bot.mjs', env)
    await next.waitFor(/reply bot of fid/)
    const hash = await publish(alice, `@${name} still there?`)
    await next.waitFor(new RegExp(`replied to ${hash}`))
    const ended = new Promise((resolve) => next.child.once('exit', resolve))
    next.child.kill('SIGINT')
    expect(await ended).toBe(0)
    expect((await server.get('webhook/list')).webhooks).toEqual([])
  },
)

it('mini app: a watered garden -> a notification to those who enabled them', async () => {
  const { apps } = await admin('GET', 'apps')
  const MINI_APP_DOMAIN = 'garden.example.com'
  const association = { header: 'e30', payload: 'e30', signature: 'AA' }
  const { app } = await admin('PATCH', `apps/${apps[0].id}`, { mini_app_domain: MINI_APP_DOMAIN })
  const example = startExample('mini-app/server.mjs', {
    ...{ API_KEY, PLAZA_URL, MINI_APP_DOMAIN },
    EVENTS_URL: app.events_url,
    ACCOUNT_ASSOCIATION: JSON.stringify(association),
  })
  const miniAppUrl = await example.waitFor(/mini app on (\S+)/)
  const manifest = JSON.parse(await (await fetch(`${miniAppUrl}/.well-known/farcaster.json`)).text())
  expect(manifest.accountAssociation).toEqual(association)
  const icon = await fetch(new URL(new URL(manifest.miniapp.iconUrl).pathname, miniAppUrl))
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(manifest.miniapp).toMatchObject({
    homeUrl: 'https://garden.example.com',
    webhookUrl: app.events_url,
  })
  expect(await (await fetch(miniAppUrl)).text()).toContain('sdk.actions.addMiniApp()')

  for (const { signerUuid, fid } of [alice, bob])
    await post('app_host/user/event', {
      ...{ signer_uuid: signerUuid, fid, app_domain: MINI_APP_DOMAIN },
      event: 'notifications_enabled',
    })
  const reply = await fetch(`${miniAppUrl}/water?fid=${alice.fid}`, { method: 'POST' })
  expect(JSON.parse(await reply.text())).toMatchObject({ success_count: 1, failure_count: 0 })
  const inboxOf = async ({ fid }: Member) =>
    (await server.get(`app_host/user/notifications?fid=${fid}`)).notifications
  expect(await inboxOf(bob)).toMatchObject([{ title: 'The garden is green', body: 'alice has watered it' }])
  expect(await inboxOf(alice)).toEqual([])
})

it('hub followers: a new cast -> printed by both; SSE continues where it stopped', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-follow-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // Without an id, a subscription begins when it has reached the server, which its client does not see.
  const overGrpc = startExample('follow-grpc/follow.mjs', { HUB_GRPC: server.urls.grpc!, FROM_EVENT_ID: '0' })
  const overSse = startExample('follow-sse/follow.mjs', { PLAZA_URL }, folder)
  await Promise.all([overSse.waitFor(/following from now on/), overGrpc.waitFor(/following/)])

  const line = (hash: string, text: string) => new RegExp(`^${alice.fid} ${hash} ${text}$`, 'm')
  const first = await publish(alice, 'first')
  await Promise.all([overSse, overGrpc].map((follower) => follower.waitFor(line(first, 'first'))))
  // A line is printed before its position is written, and heartbeats have written others.
  const page = await (await fetch(`${PLAZA_URL}/v1/events?from_event_id=0&reverse=true`)).text()
  const { id } = JSON.parse(page).events.find(
    (event: { mergeMessageBody?: { message: { hash: string } } }) =>
      event.mergeMessageBody?.message.hash === first,
  )
  const position = () => readFile(join(folder, 'position.txt'), 'utf8').catch(() => '')
  await expect.poll(async () => Number.parseInt(await position(), 10)).toBeGreaterThanOrEqual(id)
  overSse.child.kill('SIGKILL')

  // A line separator is no end of a line of an event stream, and JSON does not escape it.
  const text = 'second\u2028line'
  const second = await publish(alice, text)
  await overGrpc.waitFor(line(second, text))
  const restarted = startExample('follow-sse/follow.mjs', { PLAZA_URL }, folder)
  await restarted.waitFor(line(second, text))
  expect(restarted.output()).toContain('following where it stopped')
  expect(restarted.output()).not.toContain(first)
})

it('MCP server: an agent lists tools, calls one, and is told of wrong arguments', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['examples/mcp-server/server.mjs'],
    env: { API_KEY, PLAZA_URL },
    stderr: 'ignore',
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  onTestFinished(() => client.close())

  const { tools } = await client.listTools()
  expect(tools.find(({ name }) => name === 'getUserByUsername')).toMatchObject({
    description: expect.stringMatching(/username/i),
    inputSchema: { required: ['username'], properties: { username: { type: 'string' } } },
  })
  // Nothing that writes or belongs to the app.
  expect(tools.filter(({ name }) => !name.startsWith('get'))).toEqual([])
  const call = async (name: string, given: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: given })
    return { isError, reply: JSON.parse((content as [{ text: string }])[0].text) }
  }
  expect(await call('getUserBulk', { fids: [alice.fid, bob.fid] })).toMatchObject({
    isError: false,
    reply: { users: [{ username: 'alice' }, { username: 'bob' }] },
  })
  expect(await call('getUserBulk', { fids: 'everybody' })).toMatchObject({
    isError: true,
    reply: { code: 'InvalidField', property: 'fids' },
  })
})

describe.skipIf(browserPath === null)('in a browser', () => {
  it('feed reader: a username -> the casts of those that the user follows', async () => {
    await post('user/follow', { signer_uuid: bob.signerUuid, target_fids: [alice.fid] })
    await publish(alice, 'a cast with <b>markup</b>')
    const example = startExample('feed-reader/server.mjs', { API_KEY, PLAZA_URL })
    const address = await example.waitFor(/feed reader on (\S+)/)
    const { page, errors } = await openPage(address)
    await page.goto(address)
    await page.fill('[name=username]', 'bob')
    await page.click('[type=submit]')
    // Casts of one second are ordered by their hashes.
    const cast = page.locator('article p', { hasText: 'markup' })
    await cast.waitFor()
    expect(await cast.textContent()).toBe('a cast with <b>markup</b>')
    expect(await page.locator('article b').first().textContent()).toBe('ALICE @alice')
    expect(errors).toEqual([])

    await page.fill('[name=username]', 'nobody-here')
    await page.click('[type=submit]')
    await page.locator('#status', { hasText: 'no user has this name' }).waitFor()
    expect(await page.locator('article').count()).toBe(0)
  })

  it('sign-in: a user approves the signer -> the app casts for them', async () => {
    const mnemonic = generateMnemonic(english)
    const { address } = mnemonicToAccount(mnemonic)
    await registry.createFid(Buffer.from(address.slice(2), 'hex'))
    const example = startExample('sign-in/server.mjs', { API_KEY, PLAZA_URL, APP_MNEMONIC: mnemonic })
    const appUrl = await example.waitFor(/sign-in on (\S+)/)
    const { page } = await openPage(appUrl)
    await page.goto(appUrl)
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('#sign-in')])
    const approvalUrl = popup.url()
    await popup.close()

    const { page: approval } = await openPage(PLAZA_URL)
    await injectWallet(approval, alice.account)
    await approval.goto(approvalUrl)
    await approval.click('button[type=submit]')
    await approval.locator('#status', { hasText: 'Approved' }).waitFor()

    await page.locator('#status', { hasText: 'You are @alice' }).waitFor()
    await page.fill('[name=text]', 'cast by an app')
    await page.click('[type=submit]')
    await page.locator('#status', { hasText: 'Published 0x' }).waitFor()
    const { casts } = await server.get(`feed/user/casts?fid=${alice.fid}&limit=1`)
    expect(casts).toMatchObject([{ text: 'cast by an app', author: { fid: alice.fid } }])
  })
})

if (browserPath === null) it('pages of examples are seen in a browser', ({ skip }) => skip(noBrowser))
