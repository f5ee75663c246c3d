import { describe, expect, it } from 'vitest'
import { configReference, configVariables, readConfig } from './config.js'

describe('readConfig', () => {
  it('has a default for every required variable', () => {
    const result = readConfig({})
    expect(result).toMatchObject({
      config: { dataDir: './data', port: 8080, host: '127.0.0.1', hubNetwork: 'devnet', hubShards: 1 },
    })
    expect('config' in result && 'databaseUrl' in result.config).toBe(false)
  })

  it('reads numbers, flags and choices, and treats an empty variable as unset', () => {
    const env = { PORT: '0', TRUST_PROXY: '1', HUB_NETWORK: 'mainnet', HUB_SHARDS: ' 2 ', HOST: '' }
    expect(readConfig(env)).toMatchObject({
      config: { port: 0, trustProxy: true, hubNetwork: 'mainnet', hubShards: 2, host: '127.0.0.1' },
    })
  })

  it('names every invalid variable and its allowed values', () => {
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
      problems: 'DATABASE_URL: its value is not a URL like `postgres://user:password@host/database`',
    })
  })

  it('never repeats what is secret in a URL', () => {
    const problemOf = (env: Record<string, string>) => {
      const result = readConfig(env)
      return 'problems' in result ? result.problems : ''
    }
    expect(problemOf({ CLIENT_API_URL: 'https://api.example/v2?key=hunter2' })).toBe(
      'CLIENT_API_URL: "https://api.example/…" is not a URL like `https://api.farcaster.xyz`',
    )
    expect(problemOf({ FNAME_REGISTRY_URL: 'http://fnames.example/hunter2' })).toBe(
      'FNAME_REGISTRY_URL: http://fnames.example/… must be https, unless ALLOW_PRIVATE_TARGETS is loopback',
    )
    expect(problemOf({ JWT_ISSUERS: 'a=http://a.example/?key=hunter2' })).toBe(
      'JWT_ISSUERS: http://a.example/… must be https, unless ALLOW_PRIVATE_TARGETS is loopback',
    )
  })

  // The guarded client refuses them, and links would show them to everybody.
  it.each(['PUBLIC_URL', 'FNAME_REGISTRY_URL', 'CLIENT_API_URL', 'JWT_ISSUERS'])(
    'refuses %s with a user and a password',
    (name) => {
      const url = 'https://user:hunter2@a.example/path'
      const result = readConfig({ [name]: name === 'JWT_ISSUERS' ? `a=${url}` : url })
      expect('problems' in result && result.problems).toMatch(
        new RegExp(`^${name}: "(a=)?https://a\\.example/…" is not `),
      )
    },
  )

  it('refuses neighbors without users, which would be the whole network', () => {
    const problem = { problems: 'SYNC_INCLUDE_NEIGHBORS: it needs SYNC_FIDS' }
    expect(readConfig({ SYNC_INCLUDE_NEIGHBORS: 'true' })).toEqual(problem)
    expect(readConfig({ SYNC_INCLUDE_NEIGHBORS: 'true', SYNC_CHANNELS: 'garden' })).toEqual(problem)
    expect(readConfig({ SYNC_INCLUDE_NEIGHBORS: 'true', SYNC_FIDS: '3' })).toHaveProperty('config')
  })

  it('refuses to check claims, or to follow contracts, on networks without an RPC URL', () => {
    const contract = `0x${'a'.repeat(40)}`
    const rpcs = {
      CHAIN_BASE_RPC_URLS: 'https://rpc.example',
      CHAIN_ETHEREUM_RPC_URLS: 'https://rpc.example',
    }
    expect(readConfig({ ...rpcs, SYNC_CHECK_CLAIMS: 'true' })).toEqual({
      problems: 'SYNC_CHECK_CLAIMS: it needs CHAIN_OPTIMISM_RPC_URLS',
    })
    const contracts = { SUBSCRIPTION_CONTRACTS: `base:${contract}, optimism:${contract}` }
    expect(readConfig({ ...rpcs, ...contracts })).toEqual({
      problems: 'SUBSCRIPTION_CONTRACTS: it needs CHAIN_OPTIMISM_RPC_URLS',
    })
    const all = {
      ...rpcs,
      ...contracts,
      CHAIN_OPTIMISM_RPC_URLS: 'https://rpc.example',
      SYNC_CHECK_CLAIMS: 'true',
    }
    expect(readConfig(all)).toHaveProperty('config')
  })

  it('refuses to publish without an upstream', () => {
    expect(readConfig({ PUBLISH_UPSTREAM: 'true' })).toEqual({
      problems: 'PUBLISH_UPSTREAM: it needs UPSTREAM_HUB',
    })
    const upstream = { UPSTREAM_HUB: 'node.example:3383' }
    expect(readConfig({ ...upstream, PUBLISH_UPSTREAM: 'true' })).toMatchObject({
      config: { publishUpstream: true },
    })
    expect(readConfig(upstream)).toMatchObject({ config: { publishUpstream: false } })
  })

  it('refuses several hosts in the URL of one replica', () => {
    expect(readConfig({ DATABASE_REPLICA_URL: 'postgres://a:1,b:2/plaza, postgres://c/plaza' })).toEqual({
      problems: 'DATABASE_REPLICA_URL: a URL has several hosts: give each replica one of its own',
    })
    const replicas = { DATABASE_REPLICA_URL: 'postgres://a:1/plaza, postgres://b:2/plaza' }
    expect(readConfig(replicas)).toHaveProperty('config')
  })

  it('refuses two servers on one port', () => {
    expect(readConfig({ PORT: '9000', HUB_PORT: '9000' })).toEqual({
      problems: 'HUB_PORT: 9000 is the same as PORT',
    })
    expect(readConfig({ PORT: '9000', HUB_PORT: '9001', HUB_GRPC_PORT: '9001' })).toEqual({
      problems: 'HUB_GRPC_PORT: 9001 is the same as HUB_PORT',
    })
  })

  it('requires hub keys of at least 16 characters', () => {
    expect(readConfig({ HUB_API_KEYS: 'a2345678901234567, b2345678901234567' })).toHaveProperty('config')
    expect(readConfig({ HUB_API_KEYS: 'short' })).toEqual({
      problems: 'HUB_API_KEYS: its value is not keys of at least 16 characters, separated by commas',
    })
  })

  it('requires the public APIs to be ones that the server may fetch from', () => {
    const problemsOf = (env: Record<string, string>) => {
      const result = readConfig(env)
      return 'problems' in result ? result.problems : null
    }
    for (const name of ['FNAME_REGISTRY_URL', 'CLIENT_API_URL']) {
      expect(problemsOf({ [name]: 'https://api.example.com' })).toBeNull()
      expect(problemsOf({ [name]: 'http://127.0.0.1:1', ALLOW_PRIVATE_TARGETS: 'loopback' })).toBeNull()
      expect(problemsOf({ [name]: 'http://api.example.com' })).toContain(
        `${name}: http://api.example.com must be https`,
      )
    }
  })

  it('requires URLs that can be asked', () => {
    for (const name of ['PUBLIC_URL', 'FNAME_REGISTRY_URL', 'CLIENT_API_URL']) {
      const result = readConfig({ [name]: 'https://plaza.example:70000' })
      expect(result).toEqual({ problems: `${name}: "https://plaza.example:70000" is not a URL` })
    }
  })

  it('requires token issuers to be unique and their URLs to be safe', () => {
    const problemsOf = (JWT_ISSUERS: string, env = {}) => {
      const result = readConfig({ JWT_ISSUERS, ...env })
      return 'problems' in result ? result.problems : null
    }
    expect(problemsOf('https://a.example=https://a.example/keys?v=1, b=https://b.example/keys')).toBeNull()
    expect(problemsOf('a=http://127.0.0.1:1/keys', { ALLOW_PRIVATE_TARGETS: 'loopback' })).toBeNull()
    expect(problemsOf('a=http://a.example/keys')).toContain('must be https')
    expect(problemsOf('a=https://a.example/1,a=https://a.example/2')).toBe('JWT_ISSUERS: a is given twice')
    expect(problemsOf('a=https://[')).toBe('JWT_ISSUERS: "https://[" is not a URL')
    for (const invalidEnv of [
      'https://a.example',
      '=https://a.example/keys',
      'a=ftp://a.example',
      'a=https://a,',
    ]) {
      expect(problemsOf(invalidEnv)).toContain('pairs like')
    }
  })

  it('ignores unknown variables', () => {
    expect(readConfig({ PATH: '/bin', PORTS: 'x' })).toHaveProperty('config')
  })
})

describe('the reference', () => {
  it('describes each variable in a sentence', () => {
    for (const variable of configVariables) expect(variable.description).toMatch(/^[A-Z].*\.$/)
  })

  it('has every variable in exactly one section', () => {
    const documented = [...configReference().matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name)
    expect(documented.sort()).toEqual(configVariables.map(({ name }) => name).sort())
  })
})
