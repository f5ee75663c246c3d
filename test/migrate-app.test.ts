import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createProgram } from '../src/cli/program.js'
import { createTestDatabase } from './database.js'
import { startTestServer } from './running-server.js'
import { webhookEnv } from './webhooks/subscriber.js'

const { db, url } = await createTestDatabase()
const server = await startTestServer(url, webhookEnv, afterAll)
const KEY = 'the-key-at-the-hosted-service'

/** The replies of the hosted service, by path; each request is noted. */
const requests: string[] = []
let replies: (path: string, query: URLSearchParams) => object | null = () => null
const hosted = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://hosted')
  requests.push(request.url ?? '')
  const reply = request.headers['x-api-key'] === KEY ? replies(pathname, searchParams) : null
  response.statusCode = reply === null ? 401 : 200
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(reply ?? { code: 'Unauthorized', message: 'no' }))
})
await new Promise<void>((resolve) => hosted.listen(0, '127.0.0.1', resolve))
afterAll(() => new Promise((resolve) => hosted.close(resolve)))
const from = `http://127.0.0.1:${(hosted.address() as AddressInfo).port}`
beforeEach(() => {
  requests.length = 0
})

async function migrate(args: string[], input = '') {
  const lines: string[] = []
  const problems: string[] = []
  const program = await createProgram({
    env: { DATABASE_URL: url, ...webhookEnv },
    print: (line) => lines.push(line),
    progress: { write: (text) => problems.push(text) },
    stdin: Readable.from([Buffer.from(input)]),
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  })
  const failure = await program.parseAsync(['node', 'plaza', 'migrate', ...args]).then(
    () => null,
    (error: Error) => error.message,
  )
  return { lines, problems, failure }
}

describe('plaza migrate webhooks', () => {
  const never = '0001-01-01T00:00:00Z'
  const webhook = (id: string, filters: object | undefined, more: object = {}) => ({
    object: 'webhook',
    webhook_id: id,
    developer_uuid: 'd',
    target_url: `https://hooks.plaza.social/${id}`,
    title: `the ${id}`,
    active: true,
    http_timeout: '10s',
    rate_limit: 1_000,
    secrets: [],
    deleted_at: null,
    subscription: filters && { object: 'webhook_subscription', subscription_id: 's', filters },
    ...more,
  })
  const secret = {
    uid: 'u',
    value: 'a secret of the hosted service',
    expires_at: '2099-01-01T00:00:00Z',
    deleted_at: never,
  }
  const rotated = { ...secret, value: 'the secret before', expires_at: '2098-01-01T00:00:00Z' }
  const expired = { ...secret, value: 'expired', expires_at: '2020-01-01T00:00:00Z' }
  let webhooks = [
    webhook(
      'casts',
      { 'cast.created': { author_fids: [3], text: '', embeds: null } },
      { secrets: [secret, rotated, expired] },
    ),
    webhook('off', { 'user.created': {} }, { active: false }),
    webhook('mixed', {
      'cast.created': { text: '(?<=a)b' },
      'moon.risen': {},
      'follow.created': { fids: [1] },
    }),
    webhook('private', { 'user.created': {} }, { target_url: 'https://10.0.0.1/hook' }),
    webhook('gone', { 'user.created': {} }, { deleted_at: '2024-01-01T00:00:00Z' }),
    webhook('odd', { 'cast.created': { liked_by: [1] } }),
  ]
  const run = ['webhooks', '--from', from, '--key', KEY, '--json']
  const byId = (lines: readonly string[]) =>
    new Map(lines.map((line) => JSON.parse(line)).map((each) => [each.source_webhook_id, each]))

  it('copies filters, URL, name, state and known secrets, and says what it cannot copy', async () => {
    replies = (path) => (path === '/v2/farcaster/webhook/list' ? { webhooks } : null)
    const { lines, failure } = await migrate(run)
    expect(failure).toBe('3 of 6 webhooks were not copied')
    const copied = byId(lines)
    expect(copied.get('casts')).toMatchObject({ result: 'copied', secret: 'copied', problems: [] })
    expect(copied.get('off')).toMatchObject({ result: 'copied', active: false, secret: 'new' })
    expect(copied.get('mixed').problems).toEqual([
      expect.stringContaining(
        'cast.created is left out: subscription.cast.created.text is not a regular expression',
      ),
      'moon.risen is left out: this server has no such event',
    ])
    expect(copied.get('private').problems).toEqual([expect.stringContaining('not on the public internet')])
    expect(copied.get('gone').problems).toEqual(['it was deleted there'])
    expect(copied.get('odd').problems).toEqual([expect.stringContaining('liked_by')])
    expect(lines.join()).not.toContain('a secret of')

    const { webhooks: here } = await server.get('webhook/list')
    expect(here).toMatchObject([
      {
        title: 'the casts',
        target_url: 'https://hooks.plaza.social/casts',
        active: true,
        secrets: [
          { value: 'a secret of the hosted service', expires_at: expect.stringMatching(/^9999-/) },
          { value: 'the secret before', expires_at: '2098-01-01T00:00:00.000Z' },
        ],
        subscription: { filters: { 'cast.created': { author_fids: [3] } } },
      },
      { title: 'the off', active: false, secrets: [{ value: expect.stringMatching(/^whsec_/) }] },
      { title: 'the mixed', subscription: { filters: { 'follow.created': { fids: [1] } } } },
    ])
  })

  it('a second run copies what changed, and nothing twice', async () => {
    const before = await server.get('webhook/list')
    expect((await migrate(run)).lines.map((line) => JSON.parse(line).result)).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
      'not copied',
      'not copied',
      'not copied',
    ])
    expect(await server.get('webhook/list')).toEqual(before)

    webhooks = [
      { ...webhooks[0]!, title: 'renamed' },
      { ...webhooks[1]!, active: true },
    ]
    const { lines, failure } = await migrate(run.slice(0, -1))
    expect(failure).toBeNull()
    expect(lines.map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
      ['SOURCE', 'NAME', 'RESULT', 'STATE'],
      ['casts', 'renamed', 'updated', 'on'],
      ['off', 'the off', 'updated', 'on'],
    ])
    expect((await migrate([...run, '--inactive'])).lines.map((line) => JSON.parse(line).active)).toEqual([
      false,
      false,
    ])
    const { webhooks: here } = await server.get('webhook/list')
    expect(here).toMatchObject([{ title: 'renamed', active: false }, { active: false }, { active: true }])
  })

  it('a copy whose source has no filters left gets no events, and one that is refused keeps its state', async () => {
    const result = async (...options: string[]) => {
      const { lines } = await migrate([...run, ...options])
      return lines.map((line) => JSON.parse(line)).map(({ result, active }) => [result, active])
    }
    const filters = { 'user.created': {} }
    webhooks = [webhook('emptied', filters), webhook('moved', filters)]
    expect(await result()).toEqual([
      ['copied', true],
      ['copied', true],
    ])
    webhooks = [
      webhook('emptied', {}),
      webhook('moved', filters, { target_url: 'https://10.0.0.1/hook', active: false }),
    ]
    expect(await result()).toEqual([
      ['updated', true],
      ['not copied', true],
    ])
    expect(await result()).toEqual([
      ['unchanged', true],
      ['not copied', true],
    ])
    expect(await result('--inactive')).toEqual([
      ['updated', false],
      ['not copied', false],
    ])
    const { webhooks: here } = await server.get('webhook/list')
    expect(here.slice(-2)).toMatchObject([
      { title: 'the emptied', active: false },
      { title: 'the moved', active: false, subscription: { filters } },
    ])
    expect(here.at(-2).subscription).toBeUndefined()
  })

  it.each([
    [['--from', from, '--key', 'wrong'], 'status 401'],
    [['--from', 'https://10.0.0.1', '--key', KEY], 'ALLOW_PRIVATE_TARGETS=loopback'],
    [['--from', from, '--key', KEY, '--app', 'nobody'], 'there is no app nobody'],
  ])('refuses %j without showing the key', async (args, message) => {
    const { failure } = await migrate(['webhooks', ...args])
    expect(failure).toContain(message)
    expect(failure).not.toContain(KEY)
  })
})

describe('plaza migrate tokens', () => {
  const client = 'https://api.client.social/notify'
  const token = (fid: number, more: object = {}) => ({
    object: 'notification_token',
    fid,
    url: client,
    token: `token-${fid}`,
    status: 'enabled',
    created_at: '2025-01-01T00:00:00Z',
    updated_at: '2025-01-02T00:00:00Z',
    ...more,
  })
  const stored = () => db`
    select fid, client_fid, token, state from miniapps.tokens order by fid, client_fid`
  const named = ['--client', 'api.client.social=9152']
  beforeEach(() => db`truncate miniapps.tokens cascade`)

  it('imports all pages of the hosted service, with the key piped in', async () => {
    const all = Array.from({ length: 250 }, (_, index) => token(index + 1))
    replies = (path, query) => {
      if (path !== '/v2/farcaster/frame/notification_tokens') return null
      const [start, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit'))]
      const end = start + limit
      return {
        notification_tokens: all.slice(start, end),
        next: { cursor: end < all.length ? String(end) : null },
      }
    }
    const run = ['tokens', '--from', `${from}/v2/farcaster/`, '--key', '-', ...named]
    expect(await migrate(run, `${KEY}\n`)).toMatchObject({ lines: ['added: 250'], failure: null })
    expect(requests).toHaveLength(3)
    expect(await migrate(run, KEY)).toMatchObject({ lines: ['added: 0', 'unchanged: 250'], failure: null })
    const { notification_tokens: shown } = await server.get('frame/notification_tokens?limit=1')
    expect(shown).toEqual([
      { ...token(1), client_fid: 9152, created_at: expect.any(String), updated_at: expect.any(String) },
    ])
  })

  it.each([
    ['CSV', `fid,token,url,client_fid\n1,token-1,${client},9152\n"2","token-2","${client}",\n`],
    ['JSON lines', `${JSON.stringify(token(1, { client_fid: '9152' }))}\n${JSON.stringify(token(2))}\n`],
    [
      'pages as the operation replies',
      [[token(1)], [token(2)]]
        .map((page) => JSON.stringify({ notification_tokens: page, next: { cursor: null } }, null, 2))
        .join('\n'),
    ],
    ['an array', JSON.stringify([token(1), token(2)])],
  ])('imports %s', async (_format, text) => {
    expect(await migrate(['tokens', '-', ...named], text)).toMatchObject({
      lines: ['added: 2'],
      failure: null,
    })
    expect((await stored()).map((row) => [...Object.values(row)])).toEqual([
      [1, 9152, 'token-1', 'enabled'],
      [2, 9152, 'token-2', 'enabled'],
    ])
  })

  it('reports invalid records and tokens without a client, and imports the rest', async () => {
    const text = [token(1), token(0), token(2, { url: 'ftp://x.social' }), token(3, { token: 'a b' }), 7]
    const { lines, problems, failure } = await migrate(
      ['tokens', '-'],
      text.map((each) => JSON.stringify(each)).join('\n'),
    )
    expect(failure).toBe('4 tokens were not imported')
    expect(problems.join('')).toMatch(/token 2: fid.*\ntoken 3: url.*\ntoken 4: token.*\ntoken 5: .*\n/)
    expect(lines).toEqual([
      'added: 1',
      'invalid: 4',
      '1 tokens of api.client.social name no client: they are stored for client 0. If you know its fid: --client api.client.social=FID',
    ])
  })

  it('of tokens of a user at two hosts without clients one is stored, and the others when their clients are named', async () => {
    const importAll = (options: string[], ...tokens: object[]) =>
      migrate(['tokens', '-', ...options], tokens.map((each) => JSON.stringify(each)).join('\n'))
    const other = { url: 'https://other.social/notify', token: 'other' }
    const newer = token(1, { ...other, updated_at: '2026-01-01T00:00:00Z' })
    const older = token(2, { ...other, updated_at: '2024-01-01T00:00:00Z' })
    const all = [token(1), newer, token(2), older]
    const expected = [
      '1 tokens of api.client.social name no client: they are stored for client 0. If you know its fid: --client api.client.social=FID',
      '1 tokens of other.social name no client: they are stored for client 0. If you know its fid: --client other.social=FID',
      '1 tokens of api.client.social are not stored: the user has a token at another host. Name the client: --client api.client.social=FID',
      '1 tokens of other.social are not stored: the user has a token at another host. Name the client: --client other.social=FID',
    ]
    for (const counts of ['added: 2', 'added: 0']) {
      const { lines, failure } = await importAll([], ...all)
      expect([lines[0], lines.at(-5), ...lines.slice(-4).sort()]).toEqual([
        counts,
        'not stored: 2',
        ...expected.sort(),
      ])
      expect(failure).toBe('2 tokens were not imported')
    }
    const slots = [
      { fid: 1, token: 'other' },
      { fid: 2, token: 'token-2' },
    ]
    expect(await stored()).toMatchObject(slots)
    const [json] = (await importAll(['--json'], ...all)).lines
    expect(JSON.parse(json!)).toMatchObject({
      unchanged: 2,
      not_stored: 2,
      without_client: { 'other.social': 1, 'api.client.social': 1 },
      not_stored_by_host: { 'other.social': 1, 'api.client.social': 1 },
    })
    // Also one that changed later, alone.
    const later = token(2, { ...other, updated_at: '2026-01-01T00:00:00Z' })
    expect((await importAll([], later)).lines.slice(0, 2)).toEqual(['added: 0', 'not stored: 1'])
    expect(await stored()).toMatchObject(slots)
    expect(await db`select from miniapps.replaced_tokens`).toEqual([])
    expect(await importAll(named, ...all)).toMatchObject({ failure: null })
    expect((await stored()).map(({ fid, client_fid, token }) => [fid, client_fid, token])).toEqual([
      [1, 0, 'other'],
      [1, 9152, 'token-1'],
      [2, 0, 'other'],
      [2, 9152, 'token-2'],
    ])
    const clients = [...named, '--client', 'other.social=8']
    expect((await importAll(clients, ...all)).lines).toEqual(['added: 0', 'updated: 2', 'unchanged: 2'])
    expect((await importAll([], ...all)).lines).toEqual(['added: 0', 'unchanged: 4'])
  })

  it('a repetition names the client of tokens that were imported without one, and no token is there twice', async () => {
    const lines = [token(1), token(2, { status: 'disabled' })].map((each) => JSON.stringify(each)).join('\n')
    await migrate(['tokens', '-'], lines)
    expect(await stored()).toMatchObject([{ client_fid: 0 }, { client_fid: 0 }])
    expect((await migrate(['tokens', '-', ...named], lines)).lines).toEqual(['added: 0', 'updated: 2'])
    for (const again of [named, []])
      expect((await migrate(['tokens', '-', ...again], lines)).lines.slice(0, 2)).toEqual([
        'added: 0',
        'unchanged: 2',
      ])
    expect(await stored()).toMatchObject([
      { fid: 1, client_fid: 9152, state: 'enabled' },
      { fid: 2, client_fid: 9152, state: 'disabled' },
    ])
  })

  it('a repetition without clients brings no token back that a client has replaced, and the newest stays', async () => {
    const importAll = async (options: string[], ...tokens: object[]) =>
      (await migrate(['tokens', '-', ...options], tokens.map((each) => JSON.stringify(each)).join('\n')))
        .lines
    const at = (year: number) => ({ updated_at: `${year}-01-01T00:00:00Z` })
    const later = token(1, { token: 'later', ...at(2026) })
    await importAll(named, token(1, at(2024)))
    await importAll([], later)
    expect(await importAll(named, later)).toEqual(['added: 0', 'updated: 1'])
    expect((await importAll([], token(1, at(2024)))).slice(0, 2)).toEqual([
      'added: 0',
      'kept what is here: 1',
    ])
    expect(await stored()).toMatchObject([{ client_fid: 9152, token: 'later', state: 'enabled' }])
    const undated = token(1, { token: 'undated', created_at: null, updated_at: null })
    await importAll([], undated)
    expect(await importAll(named, undated)).toEqual(['added: 0', 'kept what is here: 1'])
    expect(await stored()).toMatchObject([{ client_fid: 9152, token: 'later', state: 'enabled' }])
    expect((await importAll([], undated))[1]).toBe('kept what is here: 1')
    expect(await stored()).toHaveLength(1)
  })

  it('a token that ended before its client was named does not replace the one of the client', async () => {
    const importAll = async (options: string[], each: object) =>
      (await migrate(['tokens', '-', ...options], JSON.stringify(each))).lines
    const at = (year: number) => ({ updated_at: `${year}-01-01T00:00:00Z` })
    await importAll(named, token(1, { token: 'working', ...at(2024) }))
    const later = token(1, { token: 'ended', ...at(2025) })
    await importAll([], later)
    await db`update miniapps.tokens set state = 'invalid' where token = 'ended'`
    expect(await importAll(named, later)).toEqual(['added: 0', 'kept what is here: 1'])
    expect(await stored()).toMatchObject([{ client_fid: 9152, token: 'working', state: 'enabled' }])
    expect(await stored()).toHaveLength(1)
  })

  it('a token that is kept beside one that gets its client is no replaced one', async () => {
    const importAll = async (...tokens: object[]) =>
      (await migrate(['tokens', '-', ...named], tokens.map((each) => JSON.stringify(each)).join('\n'))).lines
    const undated = { created_at: null, updated_at: null }
    const ofOther = (name: string, more: object) => token(1, { token: name, client_fid: 8, ...more })
    await importAll(ofOther('first', { updated_at: '2024-01-01T00:00:00Z' }))
    await migrate(['tokens', '-'], JSON.stringify(token(1)))
    await importAll(token(1), ofOther('second', undated))
    await importAll(ofOther('second', { updated_at: '2026-01-01T00:00:00Z' }))
    expect(await stored()).toMatchObject([{ client_fid: 8, token: 'second' }, { client_fid: 9152 }])
  })

  it('of two clients at one host the one with the token gets it', async () => {
    const lines = (...tokens: object[]) => tokens.map((each) => JSON.stringify(each)).join('\n')
    await migrate(['tokens', '-'], lines(token(1)))
    await migrate(
      ['tokens', '-'],
      lines(token(1, { client_fid: 8, token: 'other' }), token(1, { client_fid: 9 })),
    )
    expect(await stored()).toMatchObject([
      { client_fid: 8, token: 'other' },
      { client_fid: 9, token: 'token-1' },
    ])
  })

  it('the newer token stays, and what has ended does not come back', async () => {
    const importAll = async (...tokens: object[]) =>
      (await migrate(['tokens', '-', ...named], tokens.map((each) => JSON.stringify(each)).join('\n'))).lines
    const at = (year: number) => ({ updated_at: `${year}-01-01T00:00:00Z` })
    await importAll(token(1, at(2024)), token(1, { token: 'second', ...at(2025) }), token(2, at(2024)))
    expect((await stored())[0]).toMatchObject({ token: 'second' })
    expect(await importAll(token(1, { token: 'third', ...at(2026) }))).toEqual(['added: 0', 'updated: 1'])
    expect(await importAll(token(1, { token: 'second', ...at(2027) }))).toEqual([
      'added: 0',
      'kept what is here: 1',
    ])
    expect(await importAll(token(2, { status: 'disabled' }))).toEqual(['added: 0', 'updated: 1'])
    expect(await importAll(token(2))).toEqual(['added: 0', 'unchanged: 1'])
    expect(await stored()).toMatchObject([{ token: 'third' }, { fid: 2, state: 'disabled' }])
  })

  it.each([
    [[], 'give a file, or --from and --key'],
    [['--from', 'https://api.plaza.social'], '--from needs --key'],
    [['-', '--client', 'x'], '--client must be HOST=FID'],
    [['/nowhere/tokens.csv'], "no such file or directory, open '/nowhere/tokens.csv'"],
    [['--from', from, '--key', 'another'], 'status 401, it refuses the key'],
  ])('refuses %j', async (args, message) => {
    expect((await migrate(['tokens', ...args])).failure).toContain(message)
  })
})

it('plaza migrate alone migrates the schema, as before', async () => {
  expect((await migrate([])).lines).toEqual(['the schema is up to date'])
})
