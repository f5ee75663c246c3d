import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { operations } from '../src/app/operations.js'
import { createTestApi, type TestApi } from '../src/app/testing/test-api.js'
import { createTestCrawler, serveSite } from '../src/features/embeds/testing/crawl-site.js'
import { framePage } from '../src/features/frames/testing/served-frame.js'
import { hubMethods } from '../src/hub/methods/hub-methods.js'
import { PrimaryLog } from '../src/platform/db/replicas/primary-log.js'
import { ReadRouting } from '../src/platform/db/replicas/read-routing.js'
import { RecentWrites } from '../src/platform/db/replicas/recent-writes.js'
import { Replica } from '../src/platform/db/replicas/replica.js'
import { silentLog } from '../src/platform/log/log.js'
import { createNetClient } from '../src/platform/outbound/net-client.js'
import { channelIdOf } from '../src/protocol/channel-uri.js'
import { UserDataType } from '../src/protocol/definitions.js'
import type { SignedMessage } from '../src/protocol/message.js'
import { createChainScene } from './house/chain-scene.js'
import { createScene } from './house/scene.js'
import { budgets } from './house/statement-budgets.js'
import { storeTokens } from './house/token-scene.js'
import { storeTopic } from './house/topic-scene.js'
import { createTestHub } from './hub.js'
import { openHubApi } from './hub-api.js'
import { testNow, testNowUnix } from './network.js'
import { startReplicatedCluster } from './replicated-cluster.js'

const clock = () => testNowUnix * 1000
const { primary, replica } = await startReplicatedCluster()
const { db } = primary
const hub = await createTestHub(db)
const { key, appId } = await createTestApi({ db })
const scene = await createScene({ db, hub, appId })
const onchain = await createChainScene(db, db, scene)
await storeTokens(db)
await storeTopic(db)

const net = createNetClient({
  policy: { allowHttp: true, allowLoopback: true },
  userAgent: 'plaza test',
  resolve: async () => ['127.0.0.1'],
})

/** Where the last read ran. */
let outcome: string | null = null
const primaryLog = new PrimaryLog(db, 600_000)
const follower = new Replica({
  url: replica.url,
  name: 'replica',
  poolSize: 4,
  maxLagMs: 600_000,
  primaryLog,
  log: silentLog,
})
const reads = new ReadRouting({
  primary: db,
  primaryLog,
  replicas: [follower],
  writes: new RecentWrites(600_000),
  onRead: (_, read) => {
    outcome = read
  },
})
/**
 * Commits that go on: what an idle primary has on disk may end in the middle of a record, which no replica replays before the next
 * commit. A read that waits for it runs on the primary.
 */
const TICK_MS = 50
const ticking = setInterval(
  () => void db`select pg_logical_emit_message(true, 'tick', '')`.catch(() => {}),
  TICK_MS,
)
const stopping = new AbortController()
const following = [primaryLog, follower].map((each) => each.follow(stopping.signal))
afterAll(async () => {
  clearInterval(ticking)
  await net.close()
  stopping.abort()
  await Promise.all(following)
})

/** The main API with the primary only, and with the replica. */
async function openApis() {
  const context = {
    db,
    hub,
    clock,
    key,
    net,
    publicUrl: () => 'https://plaza.social',
    crawler: createTestCrawler(db),
    ...onchain.context,
  }
  return {
    onPrimary: await createTestApi(context),
    onReplica: await createTestApi({ ...context, reads }),
  }
}
const [hubOnPrimary, hubOnReplica] = [await openHubApi(db, { hub }), await openHubApi(db, { hub, reads })]

const gets = operations.filter(({ method }) => method === 'GET')
const isUsed = (read: string | null) => read === 'used' || read === 'waited'

/** The requests of all operations, by their paths. Some need a preparation, which writes. */
async function buildRequests(api: TestApi): Promise<Map<string, Readonly<Record<string, string>>>> {
  const site = await serveSite((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/html' }).end(framePage)
  })
  const pageUrl = site.url('flowers.social', '/tulips')
  const complete = { ...scene, pageUrl, onchain, api: { ...api, appId } }
  const requests = new Map<string, Readonly<Record<string, string>>>()
  for (const { path } of gets) {
    const { buildRequest } = budgets[`GET ${path}`]!
    requests.set(path, (await buildRequest(complete)) as Record<string, string>)
  }
  return requests
}

function headersOf(path: string, api: TestApi): Readonly<Record<string, string>> | undefined {
  const { headers } = budgets[`GET ${path}`]!
  return typeof headers === 'function' ? headers({ ...scene, pageUrl: '', onchain, api }) : headers
}

/** Queries of the hub's GETs: the values of all parameters, of which each route takes its own. */
const hubQueries = ['1', '2'].map((fid) =>
  new URLSearchParams({
    fid,
    hash: scene.castHash,
    target_fid: '1',
    target_hash: scene.castHash,
    reaction_type: 'Like',
    link_type: 'follow',
    url: scene.channelUrl,
    event_type: 'EVENT_TYPE_SIGNER',
    from_event_id: '0',
    event_id: '16384',
    shard_index: '1',
    shard_id: '1',
    name: 'alice',
    address: `0x${scene.alice.custody.toString('hex')}`,
    signer: `0x${scene.alice.key.publicKey.toString('hex')}`,
    channelId: `0x${channelIdOf('lilies').toString('hex')}`,
    channel_key: 'lilies',
  }).toString(),
)
const hubUrls = hubMethods.flatMap(({ kind, http }) =>
  kind === 'read' && http ? hubQueries.map((query) => `/v1${http.path}?${query}`) : [],
)

/** A random message of a user of the scene. */
const write = fc.record({
  by: fc.constantFrom('alice', 'bob', 'carol'),
  kind: fc.constantFrom('cast', 'reply', 'like', 'follow', 'bio'),
  target: fc.constantFrom(1, 2, 3, 4),
})

let seconds = testNow - 3_000
const castHash = Buffer.from(scene.castHash.slice(2), 'hex')

function messageOf({ by, kind, target }: { by: string; kind: string; target: number }): SignedMessage {
  const user = scene[by as 'alice' | 'bob' | 'carol']
  seconds += 1
  const parentCastId = { fid: scene.alice.fid, hash: castHash }
  if (kind === 'cast') return user.cast(`gardens in ${seconds}`, seconds)
  if (kind === 'reply') return user.cast(`reply of ${seconds}`, seconds, { parentCastId })
  if (kind === 'like') return user.react(scene.alice.cast(`liked in ${seconds}`, seconds), seconds)
  if (kind === 'follow') return user.link(target === user.fid ? 4 : target, seconds)
  return user.userData(UserDataType.BIO, `bio of ${seconds}`, seconds)
}

/** The cursor of a feed has the time at which its first page was read, as its last part. */
function withoutReadTime(body: string): string {
  return body.replace(/"cursor":"([\w-]+)"/g, (whole, cursor: string) => {
    const parts: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return String(parts[0]).startsWith('feed') ? `"cursor":${JSON.stringify(parts.slice(0, -1))}` : whole
  })
}

/**
 * Repeats a read until it ran where it should: a replica whose position could not be read in time is left out for a moment, and
 * one that is behind the caller's write is not waited for long.
 */
async function readWhere<Reply>(
  isOnReplica: boolean,
  name: string,
  read: () => Promise<Reply>,
): Promise<Reply> {
  const replies: Reply[] = []
  const runsOnReplica = async () => {
    outcome = null
    replies.push(await read())
    return isUsed(outcome)
  }
  await expect.poll(runsOnReplica, { interval: 10, message: `${name} ran on the replica` }).toBe(isOnReplica)
  return replies.at(-1)!
}

test('after random writes, every GET of both APIs has the same reply from the replica as from the primary', async () => {
  const { onPrimary, onReplica } = await openApis()
  const requests = await buildRequests(onPrimary)
  const foundPaths = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 20 }), async (writes) => {
      await hub.submit(writes.map(messageOf))
      await expect.poll(() => follower.isUsable, { interval: 10 }).toBe(true)
      await replica.catchUp()
      for (const { path, usesPrimary } of gets) {
        const query = requests.get(path)!
        const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => String(query[name]))
        const expected = await onPrimary.get(filled, query, headersOf(path, onPrimary))
        expect(expected.statusCode, `${path}: ${expected.body}`).toBe(budgets[`GET ${path}`]!.status ?? 200)
        const reply = await readWhere(usesPrimary === undefined, path, () =>
          onReplica.get(filled, query, headersOf(path, onPrimary)),
        )
        expect(reply.statusCode, `${path}: ${reply.body} ${onReplica.lines.at(-1)}`).toBe(expected.statusCode)
        // What such an operation makes is new each time.
        if (!usesPrimary) expect(withoutReadTime(reply.body), path).toBe(withoutReadTime(expected.body))
      }
      for (const url of hubUrls) {
        const expected = await hubOnPrimary.get(url)
        const read = () => hubOnReplica.get(url)
        const reply = await (expected.status === 200 ? readWhere(true, url, read) : read())
        expect([reply.status, reply.text], url).toEqual([expected.status, expected.text])
        if (expected.status === 200) foundPaths.add(url.replace(/\?.*/, ''))
      }
    }),
    { numRuns: 2 },
  )
  const allPaths = new Set(hubUrls.map((url) => url.replace(/\?.*/, '')))
  expect([...allPaths].filter((path) => !foundPaths.has(path))).toEqual([])
})

test('a read that blocks the replay is canceled by PostgreSQL, and runs again on the primary', async () => {
  await db`create table public.removed_rows as select 1 from generate_series(1, 100)`
  await replica.db`alter system set max_standby_streaming_delay = 0`
  await replica.db`select pg_reload_conf()`
  await replica.catchUp()
  await expect.poll(() => follower.isUsable, { interval: 10 }).toBe(true)
  const found = await reads.run([], (chosen) =>
    chosen.begin('isolation level repeatable read', async (transaction) => {
      const [row] = await transaction`
        select count(*) as rows, pg_is_in_recovery() as "isReplica" from public.removed_rows`
      if (row?.isReplica) {
        await db`delete from public.removed_rows`
        // A snapshot of anybody else may keep the rows for a while.
        for (let attempt = 0; attempt < 200; attempt += 1) {
          await db`vacuum public.removed_rows`
          await transaction`select pg_sleep(0.2)`
        }
      }
      return row
    }),
  )
  expect([found, outcome]).toEqual([{ rows: 0, isReplica: false }, 'failed'])
})
