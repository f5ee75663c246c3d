import { describe, expect, it } from 'vitest'
import { configOf } from '../testing/config-of.js'
import { configReference, configurationEntries, readConfig, readServerConfig } from './config.js'

function entryOf(name: string, env: Readonly<Record<string, string>> = {}) {
  return configurationEntries(configOf(env)).find((entry) => entry.name === name)
}

describe('the configuration as the operator sees it', () => {
  it('has the value, the default, and where the value is from', () => {
    expect(entryOf('PORT', { PORT: '0' })).toEqual({
      object: 'configuration_entry',
      name: 'PORT',
      task: 'Run a server',
      description: expect.stringMatching(/^[A-Z].*\.$/),
      source: 'environment',
      is_secret: false,
      value: '0',
      default: '8080',
    })
    expect(entryOf('PORT')).toMatchObject({ source: 'default', value: '8080' })
    expect(entryOf('PORT', { PORT: '8080' })).toMatchObject({ source: 'environment' })
    expect(entryOf('HUB_PORT')).toMatchObject({ source: 'not set', value: null, default: null })
    expect(entryOf('DATABASE_POOL')).toMatchObject({ value: '20', default: expect.stringContaining('') })
  })

  it('has no secret, and no password of a URL', () => {
    const secret = 'a-secret-of-many-characters-0123456789'
    expect(entryOf('ADMIN_TOKEN', { ADMIN_TOKEN: secret })).toMatchObject({
      source: 'environment',
      is_secret: true,
      value: null,
    })
    const url = 'https://user:hunter2@plaza.example/traces'
    expect(entryOf('PUBLIC_URL', { PUBLIC_URL: 'https://plaza.example' })).toMatchObject({ is_secret: false })
    expect(entryOf('OTEL_EXPORTER_OTLP_ENDPOINT', { OTEL_EXPORTER_OTLP_ENDPOINT: url })!.value).toBe(
      'https://plaza.example/…',
    )
  })

  it('has every variable once, by task', () => {
    const entries = configurationEntries(configOf({}))
    expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length)
    expect([...new Set(entries.map(({ task }) => task))]).toEqual([
      'Run a server',
      'Trace requests',
      'Serve the hub',
      'Serve the main API',
      'Deliver webhooks',
      'Send mini app notifications',
      'Sync with the network',
      'Follow chains',
      'Use a language model',
    ])
    // A configuration that was changed after it was read: what differs from its default was given.
    const changed = configurationEntries({ ...configOf({}), port: 9 })
    const sourceOf = (name: string) => changed.find((entry) => entry.name === name)!.source
    expect([sourceOf('PORT'), sourceOf('HOST')]).toEqual(['environment', 'default'])
  })
})

describe('readConfig', () => {
  const problemsOf = (env: Readonly<Record<string, string>>, read = readConfig) => {
    const result = read(env)
    return 'problems' in result ? result.problems.split('\n') : null
  }

  it('reads flags as words and as numbers, and nothing else', () => {
    const flag = (value: string) => configOf({ TRUST_PROXY: value, ETAGS: value })
    for (const value of ['true', '1']) expect(flag(value)).toMatchObject({ trustProxy: true, etags: true })
    for (const value of ['false', '0']) expect(flag(value)).toMatchObject({ trustProxy: false, etags: false })
    expect(problemsOf({ TRUST_PROXY: 'TRUE' })).toHaveLength(1)
  })

  it.each(['1.5', '1e3', '0x10', '-1', '1a', 'a1', '--1'])('%s is no port', (PORT) => {
    expect(problemsOf({ PORT })).toEqual([`PORT: "${PORT}" is not a whole number from 0 to 65535`])
  })

  it('names the new variable in place of a former one, unless it is empty', () => {
    expect(problemsOf({ FOLLOW_FIDS: '3', WEBHOOK_PARALLEL: '4' })).toEqual([
      'WEBHOOK_PARALLEL: this variable is now called WEBHOOK_CONCURRENCY',
      'FOLLOW_FIDS: this variable is now called SYNC_FIDS',
    ])
    expect(problemsOf({ FOLLOW_FIDS: ' ' })).toBeNull()
  })

  it('requires enough connections for the roles of a server, whose other processes may have fewer', () => {
    expect(problemsOf({ DATABASE_POOL: '14' }, readServerConfig)).toEqual([
      'DATABASE_POOL: 14 is too small for ROLES=api,worker,sync: at least 15',
    ])
    expect(problemsOf({ DATABASE_POOL: '15' }, readServerConfig)).toBeNull()
    expect(problemsOf({ DATABASE_POOL: 'x' }, readServerConfig)).toHaveLength(1)
    expect(configOf({ DATABASE_POOL: '14' }).databasePool).toBe(14)
    expect(configOf({}).databasePool).toBe(20)
    expect(configOf({ ROLES: 'sync', HUB_SHARDS: '3' }).databasePool).toBe(16)
  })

  it('says what is wrong with the address of a database, without it', () => {
    const [problem] = problemsOf({ DATABASE_URL: 'postgres://me:hunter2@host/db?sslmode=other' })!
    expect(problem).toMatch(/^DATABASE_URL: /)
    expect(problem).not.toContain('hunter2')
    expect(problemsOf({ DATABASE_URL: 'postgres://me:hunter2@host/db' })).toBeNull()
  })

  it('allows one port twice only where each is chosen anew', () => {
    expect(problemsOf({ PORT: '0', HUB_PORT: '0', HUB_GRPC_PORT: '0' })).toBeNull()
    expect(problemsOf({ PORT: '9000', HUB_PORT: '9001', HUB_GRPC_PORT: '9000' })).toEqual([
      'HUB_GRPC_PORT: 9000 is the same as PORT',
    ])
  })
})

describe('the reference', () => {
  it('has a table for each task, with default, values and description', () => {
    const text = configReference()
    const [first] = text.split('\n\n## ')
    expect(first).toMatch(
      /^## Run a server\n\n\| Variable \| Default \| Value \| Description \|\n\|---\|---\|---\|---\|\n\| `/,
    )
    expect(text).toContain('\n\n## Follow chains\n\n|')
    const rowOf = (name: string) => text.split('\n').find((line) => line.startsWith(`| \`${name}\``))!
    expect(rowOf('PORT')).toContain('| `8080` | a whole number from 0 to 65535 |')
    expect(rowOf('TRUST_PROXY')).toContain('| `false` | `true` or `false` |')
    expect(rowOf('HUB_NETWORK')).toContain('| `devnet` | one of `mainnet`, `testnet`, `devnet` |')
    expect(rowOf('SYNC_FIDS')).toContain('|  | fids, separated by commas |')
    expect(rowOf('OTEL_SERVICE_NAME')).toContain('| a text |')
    expect(rowOf('DATABASE_POOL')).not.toContain('undefined')
  })
})
