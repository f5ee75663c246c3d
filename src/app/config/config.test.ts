import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { configTable, configVariables, readConfig } from './config.js'

describe('readConfig', () => {
  it('has a default for everything that is needed', () => {
    const result = readConfig({})
    expect(result).toMatchObject({
      config: { dataDir: './data', port: 8080, host: '127.0.0.1', hubNetwork: 'devnet', hubShards: 1 },
    })
    expect('config' in result && 'databaseUrl' in result.config).toBe(false)
  })

  it('reads numbers, flags and choices, and takes an empty variable as unset', () => {
    const env = { PORT: '0', TRUST_PROXY: '1', HUB_NETWORK: 'mainnet', HUB_SHARDS: ' 2 ', HOST: '' }
    expect(readConfig(env)).toMatchObject({
      config: { port: 0, trustProxy: true, hubNetwork: 'mainnet', hubShards: 2, host: '127.0.0.1' },
    })
  })

  it('names every variable that is wrong, with what would be right', () => {
    const env = { PORT: '65536', HUB_SHARDS: 'two', HUB_NETWORK: 'moonnet', TRUST_PROXY: 'yes' }
    const result = readConfig(env)
    expect('problems' in result && result.problems.split('\n')).toEqual([
      'PORT: "65536" is not a whole number from 0 to 65535',
      'TRUST_PROXY: "yes" is not `true` or `false`',
      'HUB_NETWORK: "moonnet" is not one of `mainnet`, `testnet`, `devnet`',
      'HUB_SHARDS: "two" is not a whole number from 1 to 64',
    ])
  })

  it('never repeats a secret', () => {
    const result = readConfig({ DATABASE_URL: 'mysql://me:hunter2@host/db' })
    expect(result).toEqual({
      problems: 'DATABASE_URL: its value is not an address like `postgres://user:password@host/database`',
    })
  })

  it('refuses neighbours of nobody, which would be the whole network', () => {
    const problem = { problems: 'SYNC_INCLUDE_NEIGHBORS: whose neighbours? Set SYNC_FIDS' }
    expect(readConfig({ SYNC_INCLUDE_NEIGHBORS: 'true' })).toEqual(problem)
    expect(readConfig({ SYNC_INCLUDE_NEIGHBORS: 'true', SYNC_CHANNELS: 'garden' })).toEqual(problem)
    expect(readConfig({ SYNC_INCLUDE_NEIGHBORS: 'true', SYNC_FIDS: '3' })).toHaveProperty('config')
  })

  it('refuses two servers on one port', () => {
    expect(readConfig({ PORT: '9000', HUB_PORT: '9000' })).toEqual({
      problems: 'HUB_PORT: 9000 is the same as PORT',
    })
    expect(readConfig({ PORT: '9000', HUB_PORT: '9001', HUB_GRPC_PORT: '9001' })).toEqual({
      problems: 'HUB_GRPC_PORT: 9001 is the same as HUB_PORT',
    })
  })

  it('takes keys of the hub that are long enough', () => {
    expect(readConfig({ HUB_API_KEYS: 'a2345678901234567, b2345678901234567' })).toHaveProperty('config')
    expect(readConfig({ HUB_API_KEYS: 'short' })).toEqual({
      problems: 'HUB_API_KEYS: its value is not keys of at least 16 characters, separated by commas',
    })
  })

  it('takes issuers of tokens that are named once and safe to ask', () => {
    const problemsOf = (JWT_ISSUERS: string, env = {}) => {
      const result = readConfig({ JWT_ISSUERS, ...env })
      return 'problems' in result ? result.problems : null
    }
    expect(problemsOf('https://a.example=https://a.example/keys?v=1, b=https://b.example/keys')).toBeNull()
    expect(problemsOf('a=http://127.0.0.1:1/keys', { ALLOW_PRIVATE_TARGETS: 'loopback' })).toBeNull()
    expect(problemsOf('a=http://a.example/keys')).toContain('must be https')
    expect(problemsOf('a=https://a.example/1,a=https://a.example/2')).toBe('JWT_ISSUERS: a is given twice')
    expect(problemsOf('a=https://[')).toBe('JWT_ISSUERS: "https://[" is not an address')
    for (const invalidEnv of [
      'https://a.example',
      '=https://a.example/keys',
      'a=ftp://a.example',
      'a=https://a,',
    ]) {
      expect(problemsOf(invalidEnv)).toContain('pairs like')
    }
  })

  it('does not judge variables of others', () => {
    expect(readConfig({ PATH: '/bin', PORTS: 'x' })).toHaveProperty('config')
  })
})

describe('the documentation', () => {
  it('says what each variable does', () => {
    for (const variable of configVariables) expect(variable.description).toMatch(/^[A-Z].*\.$/)
  })

  it.skipIf(!existsSync('README.md'))('has in the README the table that `plaza config` prints', () => {
    const readme = readFileSync('README.md', 'utf8')
    const [, table] = /<!-- config -->\s*(.*?)\s*<!-- \/config -->/s.exec(readme) ?? []
    expect(table).toBe(configTable())
  })
})
