import { createServer } from 'node:http'
import { Registry } from 'prom-client'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../src/app/config/config.js'
import { startImporters } from '../../src/app/modules/importers.js'
import { importChannels } from '../../src/features/channels/import-channels.js'
import { loadUsers } from '../../src/graph/load/user-record.js'
import { createNameLookup } from '../../src/hub/sync/import/name-lookup.js'
import { importNames } from '../../src/hub/sync/import/name-transfers.js'
import { openPublicApi, type PublicApi } from '../../src/hub/sync/import/public-api.js'
import { importVerifiedAccounts } from '../../src/hub/sync/import/verified-accounts.js'
import { type Refusal, refuse } from '../../src/platform/errors.js'
import { createNetClient, type NetClient } from '../../src/platform/outbound/net-client.js'
import { UserDataType } from '../../src/protocol/definitions.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow, testNowUnix } from '../network.js'
import { createRecordingLog } from './test-sync.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const users = [1, 2, 3, 4].map((fid) => new TestUser(fid))
await hub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
const registry = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const wrongSigner = privateKeyToAccount(`0x${'22'.repeat(32)}`)

type Answer = (url: URL) => {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly json: unknown
}

/** Serves an API and records its requests. */
async function serve(answer: Answer): Promise<{
  readonly api: PublicApi
  readonly net: NetClient
  readonly url: string
  readonly requests: string[]
}> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    requests.push(`${url.pathname}${url.search}`)
    const { status = 200, headers = {}, json } = answer(url)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'test' })
  const stopping = new AbortController()
  onTestFinished(async () => {
    stopping.abort()
    await net.close()
    await new Promise((resolve) => server.close(resolve))
  })
  const url = `http://127.0.0.1:${address.port}`
  return { api: openPublicApi({ net, url, signal: stopping.signal, pauseMs: 1 }), net, url, requests }
}

async function transfer(id: number, name: string, to: number, signer = registry) {
  const timestamp = testNowUnix - 1000 + id
  const owner = `0x${'ab'.repeat(20)}` as const
  const signature = await signer.signTypedData({
    domain: {
      name: 'Farcaster name verification',
      version: '1',
      chainId: 1,
      verifyingContract: '0xe3be01d99baa8db9905b33a3ca391238234b79d1',
    },
    types: {
      UserNameProof: [
        { name: 'name', type: 'string' },
        { name: 'timestamp', type: 'uint256' },
        { name: 'owner', type: 'address' },
      ],
    },
    primaryType: 'UserNameProof',
    message: { name, timestamp: BigInt(timestamp), owner },
  })
  return {
    id,
    timestamp,
    username: name,
    owner,
    from: 0,
    to,
    user_signature: '0x',
    server_signature: signature,
  }
}

it("name transfers are imported in order, once, and only with the registry's signature", async () => {
  const all = await Promise.all([
    transfer(1, 'alice', 1),
    transfer(2, 'bob', 2),
    transfer(3, 'stolen', 3, wrongSigner),
    transfer(4, 'alice', 4),
    transfer(5, 'bob', 0),
  ])
  const { api, requests } = await serve((url) => {
    const from = Number(url.searchParams.get('from_id'))
    return { json: { transfers: all.filter(({ id }) => id > from).slice(0, 2) } }
  })
  const log = createRecordingLog()
  const options = { db, hub, api, signer: Buffer.from(registry.address.slice(2), 'hex'), log }
  expect(await importNames(options)).toBe(5)
  const names = await db`select name, fid from hub.username_proofs order by name`
  expect(names).toEqual([
    { name: 'alice', fid: 4 },
    { name: 'bob', fid: 0 },
  ])
  expect(log.lines).toHaveLength(1)
  expect(await importNames(options)).toBe(0)
  expect(requests.at(-1)).toBe('/transfers?from_id=5')
})

it('a wrong signer -> the import fails and waits; with another one it begins anew', async () => {
  await db`truncate sync.imports`
  const all = await Promise.all([transfer(201, 'one', 1), transfer(202, 'two', 2), transfer(203, 'three', 3)])
  const { api, requests } = await serve((url) => {
    const from = Number(url.searchParams.get('from_id'))
    return { json: { transfers: all.filter(({ id }) => id > from) } }
  })
  const options = { db, hub, api, log: createRecordingLog() }
  const run = (account: typeof registry) =>
    importNames({ ...options, signer: Buffer.from(account.address.slice(2), 'hex') })
  await expect(run(wrongSigner)).rejects.toThrow(/^FNAME_REGISTRY_SIGNER has signed none of transfers 201/)
  await expect(run(wrongSigner)).rejects.toThrow('FNAME_REGISTRY_SIGNER')
  expect(requests).toEqual(['/transfers?from_id=0', '/transfers?from_id=0'])
  expect(await run(registry)).toBe(3)
  all.push(await transfer(204, 'four', 4, wrongSigner))
  // One transfer of the new signer: the others of the page are passed over, and its names are taken.
  expect(await run(wrongSigner)).toBe(4)
  expect(await run(registry)).toBe(4)
  expect(requests.slice(2).map((path) => path.split('=')[1])).toEqual(['0', '203', '0', '204', '0', '204'])
  const names = await db`select name from hub.username_proofs where name in ('one', 'four') order by name`
  expect(names).toEqual([{ name: 'four' }, { name: 'one' }])
  await db`truncate sync.imports`
})

it('another registry -> its transfers are read from the first, also below those of the registry before', async () => {
  await db`truncate sync.imports`
  const registryOf = async (...ids: number[]) => {
    const all = await Promise.all(ids.map((id) => transfer(id, `name-${id}`, 1)))
    return await serve((url) => {
      const from = Number(url.searchParams.get('from_id'))
      return { json: { transfers: all.filter(({ id }) => id > from) } }
    })
  }
  const [one, other] = [await registryOf(901, 902), await registryOf(301, 302)]
  const options = {
    db,
    hub,
    signer: Buffer.from(registry.address.slice(2), 'hex'),
    log: createRecordingLog(),
  }
  expect(await importNames({ ...options, api: one.api })).toBe(2)
  expect(await importNames({ ...options, api: other.api })).toBe(2)
  expect(await importNames({ ...options, api: other.api })).toBe(0)
  expect(other.requests.map((path) => path.split('=')[1])).toEqual(['0', '302', '302'])
  // A cursor of a version that did not write down its registry goes on.
  await db`delete from sync.imports where name = 'registry of fnames'`
  expect(await importNames({ ...options, api: other.api })).toBe(0)
  expect(await importNames({ ...options, api: one.api })).toBe(2)
  await db`truncate sync.imports`
})

it('a name transfer that the hub refuses is logged', async () => {
  const { api } = await serve((url) => ({
    json: { transfers: url.searchParams.get('from_id') === '0' ? [signed] : [] },
  }))
  const signed = await transfer(211, 'refused', 1)
  const outcome = refuse('bad_request.validation_failure', 'no')
  const [log, signer] = [createRecordingLog(), Buffer.from(registry.address.slice(2), 'hex')]
  const refusing = { submitNameTransfers: async () => [outcome] }
  expect(await importNames({ db, hub: refusing, api, log, signer })).toBe(1)
  expect(log.lines).toEqual([
    { fields: { name: 'refused', fid: 1, outcome }, message: 'the hub refused a name transfer' },
  ])
  await db`truncate sync.imports`
})

it('a malformed name transfer or verified account is skipped, and logged once', async () => {
  const nameless = { ...(await transfer(102, 'no', 2)), username: 'Not a name!' }
  const all = [await transfer(101, 'early', 1), nameless, { ...nameless, id: 103 }]
  const later = [{ ...nameless, id: 104 }, await transfer(105, 'late', 2)]
  const wrong = [
    account(2, 'x', '', 10),
    account(2, 'x', 'a\u0000b', 10),
    { ...account(2, 'x', 'ok', 10), fid: 'two' },
  ]
  const log = createRecordingLog()
  const { net, url } = await serve(({ pathname, searchParams }) => {
    const from = Number(searchParams.get('from_id'))
    if (pathname === '/transfers')
      return { json: { transfers: from < 101 ? all : from < 104 ? later.slice(0, 1) : later.slice(1) } }
    const verifications = [...wrong, account(4, 'github', 'good', 10)]
    return { json: { result: { verifications } } }
  })
  const { signal } = new AbortController()
  const api = openPublicApi({ net, url, signal, pauseMs: 1, log })
  await db`truncate sync.imports`
  const signer = Buffer.from(registry.address.slice(2), 'hex')
  // The last page is read again, and has nothing new.
  expect(await importNames({ db, hub, api, signer, log })).toBe(5)
  expect(await db`select fid from hub.username_proofs where name in ('early', 'late') order by fid`).toEqual([
    { fid: 1 },
    { fid: 2 },
  ])
  expect(await importVerifiedAccounts(db, api, async () => {})).toBe(1)
  expect(log.lines.map(({ fields }) => (fields as { fault: string }).fault)).toEqual([
    expect.stringContaining('/username'),
    expect.stringContaining('/platformUsername'),
    expect.stringContaining('/platformUsername'),
    expect.stringContaining('/fid'),
  ])
  await db`truncate sync.imports, social.verified_accounts`
})

/** A hub that asks a registry which answers so; the requests are recorded. */
async function hubWithRegistry(answer: Answer, countFor: (fid: number) => Refusal | null = () => null) {
  const { net, url, requests } = await serve(answer)
  const signer = Buffer.from(registry.address.slice(2), 'hex')
  const findName = createNameLookup({ net, url, signer, countFor, log: createRecordingLog() })
  return { asking: await createTestHub(db, { findName }), requests }
}

const usernameOf = (fid: number, name: string) =>
  users[fid - 1]!.userData(UserDataType.USERNAME, name, testNow)
const unknownName = { code: 'bad_request.validation_failure', message: 'fname is not registered for fid' }

it('a username right after its fname was registered -> the registry is asked, and the username merged', async () => {
  const current = await transfer(11, 'daisy', 1)
  const { asking, requests } = await hubWithRegistry(() => ({ json: { transfer: current } }))
  expect(await asking.submit([usernameOf(1, 'daisy')], { origin: 'client' })).toEqual([null])
  expect(requests).toEqual(['/transfers/current?name=daisy'])
  expect(await db`select fid from hub.username_proofs where name = 'daisy'`).toEqual([{ fid: 1 }])
})

it('an fname that is free, of another user or not signed by the registry -> the username is refused', async () => {
  const transfers = [
    await transfer(12, 'elm', 4),
    await transfer(13, 'fern', 2, wrongSigner),
    await transfer(14, 'gorse', 0),
  ]
  const { asking } = await hubWithRegistry((url) => {
    const found = transfers.find(({ username }) => username === url.searchParams.get('name'))
    return found
      ? { json: { transfer: found } }
      : { status: 404, json: { error: 'Could not resolve current name' } }
  })
  for (const name of ['elm', 'fern', 'gorse', 'heath'])
    expect(await asking.submit([usernameOf(2, name)], { origin: 'client' })).toMatchObject([unknownName])
})

it('a registry that does not answer, or a user who asks too often -> the username is refused for now', async () => {
  const broken = await hubWithRegistry(() => ({ status: 500, json: {} }))
  expect(await broken.asking.submit([usernameOf(3, 'iris')], { origin: 'client' })).toMatchObject([
    { code: 'unavailable' },
  ])
  const tooOften = refuse('bad_request.rate_limited', 'wait')
  const { asking, requests } = await hubWithRegistry(
    () => ({ status: 404, json: {} }),
    () => tooOften,
  )
  expect(await asking.submit([usernameOf(3, 'iris')], { origin: 'client' })).toEqual([tooOften])
  expect(requests).toEqual([])
})

it('many usernames in one submission ask for one name, and those of an upstream for none', async () => {
  const { asking, requests } = await hubWithRegistry(() => ({ status: 404, json: {} }))
  const all = [1, 2, 3].map((fid) => usernameOf(fid, `juniper${fid}`))
  expect(await asking.submit(all, { origin: 'client' })).toMatchObject(all.map(() => unknownName))
  expect(requests).toHaveLength(1)
  expect(await asking.submit(all, { origin: 'log' })).toMatchObject(all.map(() => unknownName))
  expect(requests).toHaveLength(1)
})

it('Retry-After of a busy API is obeyed', async () => {
  let refusals = 0
  const { api, requests } = await serve(() => {
    refusals += 1
    if (refusals === 1) return { status: 429, headers: { 'retry-after': '0.05' }, json: {} }
    return { json: { result: { channels: [] } } }
  })
  expect(
    await importChannels({ db, clock: Date.now, api, log: createRecordingLog(), includeMembers: [] }),
  ).toBe(0)
  expect(requests).toHaveLength(2)
})

it('channels and users of followed ones are imported; a malformed one stops no others', async () => {
  const channel = {
    id: 'garden',
    url: 'https://warpcast.com/~/channel/garden',
    name: 'Garden',
    description: 'what grows',
    imageUrl: 'https://images.example/garden.png',
    leadFid: 1,
    moderatorFids: [2],
    createdAt: testNowUnix - 5000,
    followerCount: 2,
    memberCount: 3,
    publicCasting: true,
  }
  const { api, requests } = await serve((url) => {
    const page = url.searchParams.get('cursor')
    if (url.pathname === '/v2/all-channels') {
      return {
        json: {
          result: {
            channels: [
              { ...channel, id: 'Not An Id' },
              channel,
              { ...channel, id: 'sea', url: 'chain://sea' },
            ],
          },
        },
      }
    }
    if (url.pathname === '/v1/channel-followers') {
      const users = [{ fid: page === null ? 3 : 4, followedAt: testNowUnix - 100 }]
      return { json: { result: { users }, ...(page === null && { next: { cursor: 'more' } }) } }
    }
    const members = [1, 2, 3].map((fid) => ({ fid, memberAt: testNowUnix - 90 }))
    return { json: { result: { members } } }
  })
  const log = createRecordingLog()
  expect(await importChannels({ db, clock: Date.now, api, log, includeMembers: [channel.url] })).toBe(2)
  expect(log.lines.map(({ message }) => message)).toEqual(['a channel of the public client was not imported'])
  const [garden] = await db`
    select name, parent_url, lead_fid, follower_count from channels.channels where id = 'garden'`
  expect(garden).toEqual({ name: 'Garden', parent_url: channel.url, lead_fid: 1, follower_count: 2 })
  // Casts name either form of its own URL; a channel with another URL has only that.
  expect(await db`select url from channels.urls where channel_id in ('garden', 'sea') order by url`).toEqual([
    { url: 'chain://sea' },
    { url: 'https://farcaster.xyz/~/channel/garden' },
    { url: channel.url },
  ])
  const members = await db`select fid, role from channels.members where channel_id = 'garden' order by fid`
  expect(members).toEqual([
    { fid: 2, role: 'moderator' },
    { fid: 3, role: 'member' },
  ])
  expect(requests).toContain('/v1/channel-followers?channelId=garden&limit=1000&cursor=more')
})

it('verified accounts appear in profiles without one, and the next run resumes', async () => {
  const pages: Record<string, object> = {
    '': {
      result: { verifications: [account(1, 'x', 'alice_x', 10), account(1, 'other', 'no', 10)] },
      next: { cursor: 'a' },
    },
    a: { result: { verifications: [account(2, 'github', 'bob-gh', 20)] }, next: { cursor: 'b' } },
    b: { result: { verifications: [] } },
  }
  const { api, requests } = await serve((url) => ({ json: pages[url.searchParams.get('cursor') ?? ''] }))
  const changed: number[] = []
  const run = () => importVerifiedAccounts(db, api, async (_, fids) => void changed.push(...fids))
  expect(await run()).toBe(2)
  expect(changed).toEqual([1, 2])
  const records = await loadUsers(db, [1, 2, 3])
  expect([1, 2, 3].map((fid) => [records.get(fid)?.twitter, records.get(fid)?.github])).toEqual([
    ['alice_x', null],
    [null, 'bob-gh'],
    [null, null],
  ])
  pages.b = { result: { verifications: [account(1, 'x', 'alice_new', 30)] } }
  expect(await run()).toBe(1)
  expect(requests.slice(-1)).toEqual(['/fc/account-verifications?limit=1000&cursor=b'])
  expect((await loadUsers(db, [1])).get(1)?.twitter).toBe('alice_new')
})

it('verified accounts that a whole list does not have end, once a day; a list with a gap ends none', async () => {
  await db`truncate sync.imports, social.verified_accounts`
  const lastPage = { result: { verifications: [account(4, 'github', 'dan', 5)] }, next: { cursor: 'end' } }
  const pages: Record<string, object> = {
    '': {
      result: { verifications: [account(1, 'x', 'moved', 10), account(3, 'x', 'stays', 20)] },
      next: { cursor: 'end' },
    },
    end: lastPage,
  }
  const { api, requests } = await serve((url) => ({ json: pages[url.searchParams.get('cursor') ?? ''] }))
  const changed: number[] = []
  const run = () => importVerifiedAccounts(db, api, async (_, fids) => void changed.push(...fids))
  const stored = async () =>
    (await db`select fid, username from social.verified_accounts order by fid`).map(
      ({ fid, username }) => `${fid} ${username}`,
    )
  const letDayPass = () => db`update sync.imports set imported_at = imported_at - interval '25 hours'`
  await run()
  expect([await stored(), requests.length]).toEqual([['1 moved', '3 stays', '4 dan'], 2])
  // The name passes to another user; a renamed one is listed as verified earlier.
  pages[''] = {
    result: {
      verifications: [
        account(2, 'x', 'moved', 30),
        account(3, 'x', 'other', 1),
        account(3, 'x', 'renamed', 15),
      ],
    },
    next: { cursor: 'end' },
  }
  await run()
  expect([await stored(), requests.length]).toEqual([['1 moved', '3 stays', '4 dan'], 3])
  pages.end = { result: { verifications: [account(2, 'x', 'moved', 30)] }, next: { cursor: 'last' } }
  pages.last = { ...lastPage, next: { cursor: 'last' } }
  changed.length = 0
  await letDayPass()
  await run()
  expect(await stored()).toEqual(['2 moved', '3 renamed', '4 dan'])
  expect(changed.toSorted()).toEqual([1, 2, 3])
  await db`
    insert into social.verified_accounts (fid, platform, username, verified_at)
    select n, 'x', 'many', 1 from generate_series(100, 1300) n`
  const all = await stored()
  await letDayPass()
  await expect(run()).rejects.toThrow('1201 of 1204 verified accounts are missing. None was removed')
  pages[''] = { result: { verifications: [] } }
  await db`delete from social.verified_accounts where fid >= 100`
  await letDayPass()
  await expect(run()).rejects.toThrow('looks incomplete')
  expect(await stored()).toEqual(all.slice(0, 3))
})

it('an importer that is not configured does not run; log and metrics say so', async () => {
  async function open(env: Record<string, string>) {
    const [result, registry, log] = [readConfig(env), new Registry(), createRecordingLog()]
    if ('problems' in result) throw new Error(result.problems)
    const connections = { sync: db }
    const app = { config: result.config, connections, hub, metrics: { registry }, log, clock: Date.now }
    const { jobs, stop } = startImporters(app)
    await stop()
    const metrics = await registry.metrics()
    const states = metrics.split('\n').filter((line) => line.startsWith('plaza_importer_configured'))
    return { chores: jobs.length, states, reported: log.lines.map(({ message }) => message) }
  }
  expect(await open({})).toEqual({
    chores: 0,
    states: [
      'plaza_importer_configured{importer="fnames"} 0',
      'plaza_importer_configured{importer="channels"} 0',
      'plaza_importer_configured{importer="verified_accounts"} 0',
    ],
    reported: [
      'importing fnames: not configured',
      'importing channels: not configured',
      'importing verified accounts: not configured',
    ],
  })
  const some = await open({ FNAME_REGISTRY_URL: 'https://fnames.example/some/path' })
  expect(some).toMatchObject({
    chores: 1,
    reported: ['importing fnames', expect.anything(), expect.anything()],
  })
  expect(some.states[0]).toBe('plaza_importer_configured{importer="fnames"} 1')
})

function account(fid: number, platform: string, platformUsername: string, verifiedAt: number) {
  return { fid, platform, platformId: '1', platformUsername, verifiedAt }
}
