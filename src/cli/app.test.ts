import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createTestHub } from '../../test/hub.js'
import { TestUser } from '../../test/network.js'
import { ethAccount, newPrivateKey } from '../hub/registry/eth-account.js'
import { createProgram } from './program.js'

const { db, url } = await createTestDatabase()
const hub = await createTestHub(db)
await hub.submitOnChainEvents(new TestUser(7).onChain())

const nobody = '00000000-0000-4000-8000-000000000000'

/** The lines that a command prints. */
async function plaza(...args: string[]): Promise<string[]> {
  return plazaWith('', ...args)
}

/** As `plaza`, with text that is piped in. */
async function plazaWith(input: string, ...args: string[]): Promise<string[]> {
  const lines: string[] = []
  const program = await createProgram({
    env: { DATABASE_URL: url, PLAZA_SECRET_KEY: 'the-secret-key-of-the-commands-0123456789' },
    print: (line) => lines.push(line),
    progress: process.stderr,
    stdin: Readable.from([Buffer.from(input)]),
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  })
  await program.parseAsync(['node', 'plaza', ...args])
  return lines
}

/** The cells of a table that a command prints. */
const table = async (...args: string[]) => (await plaza(...args)).map((line) => line.trim().split(/ {2,}/))

const json = async (...args: string[]) => (await plaza(...args, '--json')).map((line) => JSON.parse(line))

describe('plaza app', () => {
  it('creates, edits and lists apps, as text and as JSON', async () => {
    const [made] = await json('app', 'create', 'Köder & “Co” 🎣', '--fid', '7')
    expect(made).toMatchObject({
      object: 'app',
      name: 'Köder & “Co” 🎣',
      fid: 7,
      mini_app_domain: null,
      events_url: `/f/app/${made.id}/event`,
      key_count: 0,
    })

    const edited = { ...made, name: 'bait', mini_app_domain: 'bait.example' }
    const edit = ['app', 'edit', made.name, '--name', 'bait', '--mini-app-domain', 'Bait.example']
    expect(await json(...edit)).toEqual([edited])

    const [id] = await plaza('app', 'create', 'bait too', '--developer', made.developer_uuid)
    expect(await table('app', 'list')).toEqual([
      ['ID', 'NAME', 'KEYS', 'FID', 'MINI APP', 'DEVELOPER', 'EVENTS URL'],
      [made.id, 'bait', '0', '7', 'bait.example', made.developer_uuid, `/f/app/${made.id}/event`],
      [id, 'bait too', '0', '-', '-', made.developer_uuid, `/f/app/${id}/event`],
    ])

    const bare = { ...edited, fid: null, mini_app_domain: null }
    expect(await json('app', 'edit', made.id, '--no-fid', '--no-mini-app-domain')).toEqual([bare])
    expect((await json('app', 'list'))[0]).toEqual(bare)
  })

  it('sets what a browser sign-in needs, and never prints the custody key', async () => {
    const privateKey = newPrivateKey()
    const { address } = ethAccount(privateKey)
    await db`update hub.fids set custody_address = ${address}::bytea where fid = 7`
    const origins = ['--authorized-origins', 'https://A.example,http://localhost:3000']
    const [made] = await json('app', 'create', 'signs in', '--fid', '7', ...origins)
    expect(made).toMatchObject({
      authorized_origins: ['https://a.example', 'http://localhost:3000'],
      sign_in_permission: 'read_and_write',
      has_custody_key: false,
    })
    const hex = `0x${privateKey.toString('hex')}`
    const printed = await plazaWith(`${hex}\n`, 'app', 'custody-key', 'signs in')
    expect(printed).toEqual(['the custody key of signs in is stored'])
    const edit = ['--no-authorized-origins', '--sign-in-permission', 'read_only']
    expect(await json('app', 'edit', 'signs in', ...edit)).toEqual([
      { ...made, authorized_origins: [], sign_in_permission: 'read_only', has_custody_key: true },
    ])
    await plaza('app', 'custody-key', 'signs in', '--remove')
    expect((await json('app', 'edit', 'signs in'))[0]).toMatchObject({ has_custody_key: false })

    const otherKey = newPrivateKey().toString('hex')
    const store = (input: string, app: string) => plazaWith(input, 'app', 'custody-key', app)
    await expect(store(otherKey, 'signs in')).rejects.toThrow('not the custody address of fid 7')
    await expect(store(hex, nobody)).rejects.toThrow(`there is no app ${nobody}`)
    await plaza('app', 'edit', 'signs in', '--no-fid')
    await expect(store(hex, 'signs in')).rejects.toThrow('the app has no fid')
    for (const text of ['x', '', '00'.repeat(32)]) await expect(store(text, 'signs in')).rejects.toThrow()
  })

  it.each([
    [['app', 'create', 'y', '--authorized-origins', 'https://*.example'], 'authorized_origins must be'],
    [['app', 'create', 'bait'], 'another app has this name'],
    [['app', 'create', 'a\tb'], 'name must be'],
    [['app', 'create', 'x', '--fid', '999'], 'fid 999 is not registered'],
    [['app', 'create', 'x', '--developer', 'me'], 'developer_uuid must be a UUID'],
    [
      ['app', 'edit', 'bait', '--mini-app-domain', 'https://x.example'],
      'mini_app_domain must be a host name',
    ],
    [['app', 'edit', 'nobody', '--no-fid'], 'there is no app nobody: the apps are bait, bait too, signs in'],
    [['app', 'edit', nobody, '--no-fid'], `there is no app ${nobody}`],
  ])('plaza %j is refused', async (args, message) => {
    await expect(plaza(...args)).rejects.toThrow(message)
  })
})

describe('plaza key', () => {
  it('creates, lists, limits and revokes keys, as text and as JSON', async () => {
    const [app] = await plaza('app', 'create', 'keyed')
    const [made] = await json('key', 'create', '--app', app!, '--rate-limit', '600')
    const { api_key, key } = made
    expect(api_key).toMatchObject({
      app_id: app,
      rate_limit: 600,
      prefix: key.slice(0, 12),
      revoked_at: null,
    })
    const [second] = await plaza('key', 'create', '--app', 'keyed')
    expect(second).toMatch(/^plaza_[\w-]{43}$/)

    expect((await json('key', 'list', '--app', 'keyed'))[0]).toEqual(api_key)
    expect(await table('key', 'list', '--app', app!)).toEqual([
      ['ID', 'APP', 'KEY', 'LIMIT', 'LAST USE', 'STATE'],
      [String(api_key.id), 'keyed', `${api_key.prefix}…`, '600', 'never used', 'good'],
      [String(api_key.id + 1), 'keyed', `${second!.slice(0, 12)}…`, 'default', 'never used', 'good'],
    ])
    expect(await json('key', 'edit', String(api_key.id), '--rate-limit', 'default')).toEqual([
      { ...api_key, rate_limit: null },
    ])
    expect((await table('key', 'edit', String(api_key.id), '--rate-limit', '0'))[1]).toEqual([
      String(api_key.id),
      'keyed',
      `${api_key.prefix}…`,
      '0',
      'never used',
      'good',
    ])
    expect(await json('key', 'revoke', String(api_key.id))).toMatchObject([
      { id: api_key.id, revoked_at: expect.stringMatching(/Z$/) },
    ])
    await expect(plaza('key', 'revoke', String(api_key.id))).rejects.toThrow('there is no valid key')
  })

  it('refuses an unknown app id', async () => {
    await expect(plaza('key', 'create', '--app', nobody)).rejects.toThrow(`there is no app ${nobody}`)
    await expect(plaza('key', 'edit', '999', '--rate-limit', '1')).rejects.toThrow('there is no key')
    await expect(plaza('key', 'list', '--app', 'nobody')).rejects.toThrow('there is no app nobody')
  })
})
