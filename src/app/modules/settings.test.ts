import { describe, expect, it } from 'vitest'
import { workPrices } from '../../platform/limits/work-prices.js'
import { operations } from '../operations.js'
import { otherAppsTargetPolicy } from '../target-policies.js'
import { configOf } from '../testing/config-of.js'
import { openCommandLedger } from './accounts.js'
import { chainSettings } from './chains.js'
import { openCommandUpstreams } from './sync.js'
import { webhookSettings } from './webhooks.js'

describe('the part of the network that is synced', () => {
  function subsetOf(env: Readonly<Record<string, string>>) {
    const { upstreams, subset } = openCommandUpstreams(
      configOf({ UPSTREAM_HUB: '127.0.0.1:1', ...env }),
      () => {},
    )
    upstreams.close()
    return subset
  }

  it('is all of it unless users or channels are named', () => {
    expect(subsetOf({})).toBeNull()
  })

  it('has users, and channels by their ids and URLs', () => {
    expect(subsetOf({ SYNC_FIDS: '3, 8', SYNC_INCLUDE_NEIGHBORS: 'true' })).toEqual({
      fids: [3, 8],
      channelUrls: [],
      includeNeighbors: true,
    })
    expect(subsetOf({ SYNC_CHANNELS: 'garden, https://a.example/c' })).toEqual({
      fids: [],
      channelUrls: [
        'https://farcaster.xyz/~/channel/garden',
        'https://warpcast.com/~/channel/garden',
        'https://a.example/c',
      ],
      includeNeighbors: false,
    })
  })

  it('needs an upstream, which is trusted where the operator says so', () => {
    expect(() => openCommandUpstreams(configOf({}), () => {})).toThrow(
      'there is no upstream: set UPSTREAM_HUB',
    )
    for (const [UPSTREAM_TRUSTED, isTrusted] of [
      ['true', true],
      ['false', false],
    ] as const) {
      const config = configOf({ UPSTREAM_HUB: '127.0.0.1:1', UPSTREAM_TRUSTED, UPSTREAM_HEADERS: 'a=b' })
      const { upstreams, trusted } = openCommandUpstreams(config, () => {})
      upstreams.close()
      expect(trusted).toBe(isTrusted)
    }
  })
})

const rpc = { CHAIN_OPTIMISM_RPC_URLS: 'http://127.0.0.1:1', CHAIN_BASE_RPC_URLS: 'http://127.0.0.1:2' }

it('chains: those with RPC URLs, with the numbers of the operator', () => {
  expect(chainSettings(configOf({})).chains.size).toBe(0)
  const settings = chainSettings(
    configOf({ ...rpc, CHAIN_IDS: 'optimism=31337', CHAIN_CONFIRMATIONS: '7', CHAIN_FIRST_BLOCK: '5' }),
  )
  expect(Object.fromEntries(settings.chains)).toMatchObject({
    optimism: { chainId: 31_337, rpcUrls: ['http://127.0.0.1:1'], confirmations: 7 },
    base: { chainId: 8_453, rpcUrls: ['http://127.0.0.1:2'], confirmations: 7 },
  })
  expect(settings.firstBlock('base')).toBe(5)
  const address = `0x${'1a'.repeat(20)}`
  const { contracts } = chainSettings(configOf({ ...rpc, CHAIN_CONTRACTS: `idRegistry=base:${address}` }))
  expect(contracts.idRegistry.chain).toBe('base')
})

describe('the ledger of a command', () => {
  const networkOf = (env: Readonly<Record<string, string>>, name?: string) =>
    openCommandLedger(configOf(env), name)?.network ?? null

  it('is that of the chain of the registries, or the named one', () => {
    expect(networkOf(rpc)).toBe('eip155:10')
    expect(networkOf(rpc, 'eip155:8453')).toBe('eip155:8453')
    expect(networkOf(rpc, 'eip155:1')).toBeNull()
  })

  it('is the local one on a devnet without chains, and nowhere else', () => {
    expect(networkOf({})).toBe('local')
    expect(networkOf({}, 'local')).toBe('local')
    expect(networkOf({}, 'eip155:10')).toBeNull()
    expect(networkOf({ HUB_NETWORK: 'mainnet' })).toBeNull()
  })
})

describe('targets of requests to other apps', () => {
  it('are on the internet and by https, unless development allows loopback', () => {
    expect(otherAppsTargetPolicy(configOf({}))).toEqual({ allowHttp: false, allowLoopback: false })
    const development = configOf({ ALLOW_PRIVATE_TARGETS: 'loopback' })
    expect(otherAppsTargetPolicy(development)).toEqual({ allowHttp: true, allowLoopback: true })
  })

  it('of webhooks may be http where the operator says so', () => {
    const policyOf = (env: Readonly<Record<string, string>>) => webhookSettings(configOf(env)).targetPolicy
    expect(policyOf({})).toEqual({ allowHttp: false, allowLoopback: false })
    expect(policyOf({ WEBHOOK_ALLOW_HTTP: 'true' })).toEqual({ allowHttp: true, allowLoopback: false })
    expect(policyOf({ ALLOW_PRIVATE_TARGETS: 'loopback' })).toEqual({ allowHttp: true, allowLoopback: true })
    const env = { WEBHOOK_TIMEOUT_MS: '1234', WEBHOOK_RATE_LIMIT: '77', WEBHOOKS_PER_APP: '9' }
    expect(webhookSettings(configOf(env))).toMatchObject({
      httpTimeoutMs: 1_234,
      rateLimit: 77,
      rateLimitMs: 60_000,
      maxPerApp: 9,
    })
  })
})

describe('operations', () => {
  it('63 reads are public, and nothing that belongs to an app, costs money or fetches a URL', () => {
    const paths = new Set(operations.filter(({ isPublic }) => isPublic).map(({ path }) => path))
    expect(paths.size).toBe(63)
    for (const path of ['block/list', 'fungible/trades', 'fungible/trending', 'user/balance']) {
      expect(paths.has(path), path).toBe(true)
    }
    for (const path of ['webhook', 'signer', 'notifications', 'frame/transaction/pay', 'cast/embed/crawl']) {
      expect(paths.has(path)).toBe(false)
    }
  })

  const priceOf = new Map(
    operations.flatMap(({ method, path, price }) => (price ? [[`${method} ${path}`, price]] : [])),
  )

  it('feeds that leave out casts of an author are heavy, and whole ones cost nothing', () => {
    for (const [name, query, isHeavy] of [
      ['GET feed/channels', {}, false],
      ['GET feed/channels', { fids: '1' }, true],
      ['GET feed/user/casts', { fid: '1', include_replies: 'true' }, false],
      ['GET feed/user/casts', { fid: '1', include_replies: 'True' }, false],
      ['GET feed/user/casts', { include_replies: '0' }, true],
      ['GET feed/user/casts', { app_fid: '1' }, true],
      ['GET feed/user/casts', { channel_id: 'a' }, true],
      ['GET feed/user/casts', { parent_url: 'https://a.example' }, true],
      ['GET feed/user/replies_and_recasts', {}, true],
      ['GET feed/user/:fid/replies_and_recasts', {}, true],
      ['GET feed/user/replies_and_recasts', { filter: 'recasts' }, false],
    ] as const) {
      expect(priceOf.get(name)!(query), `${name} ${JSON.stringify(query)}`).toEqual(
        isHeavy ? workPrices.search : null,
      )
    }
  })

  it('of twenty some or all requests are heavy, and lookups of few users and most feeds cost nothing', () => {
    const always = [
      'GET cast/conversation',
      'GET cast/metrics',
      'GET cast/search',
      'GET channel/users',
      'GET feed/frames',
      'GET frame/validate/analytics',
      'GET fungible/owner/relevant',
      'GET fungible/owner/relevant/bulk',
      'POST webhook/preview',
    ]
    const byLength = ['GET casts', 'GET channel/followers', 'GET user/bulk', 'GET user/bulk-by-address']
    const byKind = ['GET channel/trending', 'GET feed', 'GET feed/trending']
    const filtered = [
      'GET feed/channels',
      'GET feed/user/casts',
      'GET feed/user/replies_and_recasts',
      'GET feed/user/:fid/replies_and_recasts',
    ]
    expect([...priceOf.keys()].sort()).toEqual([...always, ...byLength, ...byKind, ...filtered].sort())
    const fids = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
    for (const name of always) expect(priceOf.get(name)!({})).not.toBeNull()
    const priceOfFeed = priceOf.get('GET feed')!
    for (const filter_type of ['embed_url', 'embed_types']) {
      expect(priceOfFeed({ filter_type })).not.toBeNull()
      expect(priceOfFeed({ feed_type: 'following', filter_type })).toBeNull()
    }
    expect(priceOfFeed({ filter_type: 'channel_id' })).toBeNull()
    expect(priceOfFeed({ fid: '1' })).toBeNull()
    const trending = { filter_type: 'global_trending' }
    expect(priceOfFeed(trending)).toBeNull()
    expect(priceOfFeed({ ...trending, cursor: 'a-later-page' })).toEqual(workPrices.search)
    expect(priceOfFeed({ feed_type: 'following', ...trending, cursor: 'a-later-page' })).toBeNull()
    expect(priceOfFeed({ filter_type: 'channel_id', cursor: 'a-later-page' })).toBeNull()
    const priceOfUsers = priceOf.get('GET user/bulk')!
    expect(priceOfUsers({ fids: fids(50).join(',') })).toBeNull()
    expect(priceOfUsers({ fids: fids(51).join(',') })).not.toBeNull()
    expect(priceOfUsers({ fids: fids(51) })).not.toBeNull()
    expect(priceOfUsers({})).toBeNull()
    expect(priceOf.get('GET casts')!({ casts: fids(51).join(',') })).not.toBeNull()
    const priceOfHolders = priceOf.get('GET user/bulk-by-address')!
    expect(priceOfHolders({ addresses: fids(50).join(',') })).toBeNull()
    expect(priceOfHolders({ addresses: fids(51).join(',') })).not.toBeNull()
    for (const name of ['GET feed/trending', 'GET channel/trending']) {
      const priceOfTrending = priceOf.get(name)!
      expect([priceOfTrending({}), priceOfTrending({ cursor: 'a-later-page' })]).toEqual([
        null,
        workPrices.search,
      ])
    }
    const priceOfConversation = priceOf.get('GET cast/conversation')!
    for (const query of [{ sort_type: 'algorithmic' }, { fold: 'above' }])
      expect(priceOfConversation(query)).toEqual(workPrices.search)
    expect(priceOfConversation({ sort_type: 'chron' })).toEqual(workPrices.largeReply)
    const priceOfOwners = priceOf.get('GET fungible/owner/relevant/bulk')!
    expect(priceOf.get('GET fungible/owner/relevant')!({})).toEqual(workPrices.search)
    expect(priceOfOwners({ contract_addresses: '0x1,0x2,0x3' })).toMatchObject({ msPerRequest: 90 })
    const priceOfFollowers = priceOf.get('GET channel/followers')!
    expect([priceOfFollowers({}), priceOfFollowers({ limit: '50' })]).toEqual([null, null])
    expect(priceOfFollowers({ limit: '51' })).not.toBeNull()
  })
})
