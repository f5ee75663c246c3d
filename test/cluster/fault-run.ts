import { isDeepStrictEqual } from 'node:util'
import { expect, vi } from 'vitest'
import { readLogEnds } from '../../src/hub/log/read.js'
import type { Database } from '../../src/platform/db/connection.js'
import { type Receiver, startReceiver } from '../webhooks/receiver.js'
import { loadEnv } from './load-users.js'
import { type AcknowledgedWrite, isTransient, MixedLoad, readPaths } from './mixed-load.js'
import type { Plazas } from './plazas.js'
import { mergedHash, readLog, StreamReader } from './stream-reader.js'

/** Acknowledged writes before a fault, after it and after its end. */
const SOME_WRITES = 60

/** For streams that read the log behind a fail-over. */
const untilLearned = { timeout: 60_000, interval: 500 }

/** Others usually have the same cause. */
const MAX_SHOWN_FAILURES = 3

/** A fault and its end. */
export interface Fault {
  readonly name: string
  /** Returns when the fault has happened: the load then runs until writes succeed again. */
  inject(load: MixedLoad): Promise<void>
  /** Ends it, where it does not end by itself. */
  readonly repair?: () => Promise<void>
  /** True where commits that were acknowledged may be lost: asynchronous replication. */
  readonly mayLose?: boolean
}

/** What a fault did to acknowledged writes. */
export interface FaultResult {
  readonly acknowledged: number
  readonly lost: number
}

/**
 * Runs the mixed load across a fault, and checks what must hold afterwards: acknowledged writes, streams, webhooks and
 * caches against the database. Prints how long nothing was written and read.
 */
export async function runFault(plazas: Plazas, fault: Fault): Promise<FaultResult> {
  const { cluster, db, apis } = plazas
  await cluster.untilHealthy()
  const receiver = await startReceiver()
  const webhookId = await subscribe(apis[0].url, receiver.url)
  const [end] = await readLogEnds(db, [1])
  const streams = apis.map(({ url }, index) => {
    const other = apis[1 - index]!.url
    return new StreamReader([url, other], end!.lastId + 1)
  })
  const load = new MixedLoad(plazas, `${fault.name} ${Date.now()}`)
  const untilMoreWrites = async () => {
    const before = load.acknowledged
    await expect.poll(() => load.acknowledged).toBeGreaterThan(before + SOME_WRITES)
  }
  let faultAtMs = 0
  try {
    await untilMoreWrites()
    faultAtMs = performance.now()
    await fault.inject(load)
    await untilMoreWrites()
    await fault.repair?.()
    await cluster.untilHealthy()
    await untilMoreWrites()
  } finally {
    await load.stop()
  }
  const lost = await lostWrites(db, load, end!.lastId + 1)
  const silentSeconds = silenceOf(receiver, faultAtMs)
  report(fault, load, { faultAtMs, silentSeconds, lost, streams })
  if (!fault.mayLose) expect(lost).toEqual([])
  expect(unexpectedFailures(plazas, load)).toEqual([])
  expect(await repeatedTexts(db)).toEqual([])
  await checkStreams(db, streams)
  await checkWebhooks(db, receiver, { name: load.name, mayLose: fault.mayLose ?? false })
  await checkReads(plazas)
  await unsubscribe(apis[0].url, webhookId)
  return { acknowledged: load.acknowledged, lost: lost.length }
}

/** Answers that tell a client to give up, each with what its server logged about the request. */
function unexpectedFailures({ apis }: Plazas, load: MixedLoad): string[] {
  const answers = [load.writes, load.reads].flatMap(({ failures }) => Object.keys(failures))
  const logs = apis.flatMap((api) => api.output().split('\n'))
  return answers
    .filter((answer) => !isTransient(answer))
    .slice(0, MAX_SHOWN_FAILURES)
    .map((answer) => {
      const [request] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(answer) ?? []
      return [answer, ...logs.filter((line) => request !== undefined && line.includes(request))].join('\n')
    })
}

/** Acknowledged messages and casts that the log does not have. A later message may have replaced one that is in it. */
async function lostWrites(db: Database, load: MixedLoad, firstId: number): Promise<AcknowledgedWrite[]> {
  const logged = new Set((await readLog(db, firstId)).map(mergedHash))
  const rows = await db<{ hash: string }[]>`
    select '0x' || encode(hash, 'hex') as hash from social.casts where starts_with(text, ${load.name})`
  const stored = new Set(rows.map(({ hash }) => hash))
  return [
    ...load.messages.filter(({ hash }) => !logged.has(hash)),
    ...load.published.filter(({ hash }) => !logged.has(hash) || !stored.has(hash)),
  ]
}

/** Texts of casts that are stored more than once: each was sent with one `idem` or as one message. */
async function repeatedTexts(db: Database): Promise<string[]> {
  const rows = await db<{ text: string }[]>`select text from social.casts group by text having count(*) > 1`
  return rows.map(({ text }) => text)
}

/** A stream learns within seconds that the log went back: until then it may have what the log has lost. */
async function checkStreams(db: Database, streams: readonly StreamReader[]): Promise<void> {
  const none = { missing: [], different: [], repeated: [], unknown: [] }
  for (const stream of streams) {
    await vi
      .waitUntil(async () => isDeepStrictEqual(await stream.compare(db), none), untilLearned)
      .catch(() => {})
    await stream.stop()
    expect(await stream.compare(db), stream.describe()).toEqual(none)
  }
}

/** Every stored cast was delivered once, and a cast that is not stored never; except where commits were lost. */
async function checkWebhooks(
  db: Database,
  receiver: Receiver,
  { name, mayLose }: { name: string; mayLose: boolean },
): Promise<void> {
  const rows = await db<{ hash: string }[]>`
    select '0x' || encode(hash, 'hex') as hash from social.casts where starts_with(text, ${name})`
  const stored = rows.map(({ hash }) => hash)
  const deliveries = () => {
    const idsOf = new Map<string, Set<string>>()
    for (const { body } of receiver.received) {
      const ids = idsOf.get(body.data.hash) ?? new Set()
      idsOf.set(body.data.hash, ids.add(body.delivery_id))
    }
    return idsOf
  }
  await expect.poll(() => stored.filter((hash) => !deliveries().has(hash))).toEqual([])
  const delivered = deliveries()
  // A cast that was lost with its commit, and published again, is delivered again: as another event.
  if (mayLose) return
  const isStored = new Set(stored)
  expect(stored.filter((hash) => delivered.get(hash)!.size > 1)).toEqual([])
  expect([...delivered.keys()].filter((hash) => !isStored.has(hash))).toEqual([])
}

/** The same answers from both API processes, from one that has just started, and from the tables. */
async function checkReads(plazas: Plazas): Promise<void> {
  const { db, apis, users } = plazas
  const fresh = await plazas.startApi()
  const paths = [...readPaths(users), ...(await newestCastPaths(db))]
  const readAll = async (url: string) => Promise.all(paths.map((path) => readJson(`${url}${path}`)))
  for (const { url } of apis) {
    await expect
      .poll(async () => differingPaths(paths, await readAll(url), await readAll(fresh.url)))
      .toEqual([])
  }
  const [counts] = await db<{ followers: number; following: number }[]>`
    select (select count(*) from social.follows where target_fid = 1)::int as followers,
      (select count(*) from social.follows where fid = 1)::int as following`
  for (const { url } of [...apis, fresh]) {
    const { users: found } = await readJson(`${url}/v2/farcaster/user/bulk?fids=1`)
    expect({ followers: found[0].follower_count, following: found[0].following_count }).toEqual(counts)
  }
  fresh.child.kill('SIGTERM')
  await fresh.ended
}

/** Casts with their counts. */
async function newestCastPaths(db: Database): Promise<string[]> {
  const rows = await db<{ hash: string }[]>`
    select '0x' || encode(hash, 'hex') as hash from social.casts order by ts desc, hash limit 40`
  return rows.map(({ hash }) => `/v2/farcaster/cast?type=hash&identifier=${hash}&viewer_fid=1`)
}

function differingPaths(
  paths: readonly string[],
  some: readonly unknown[],
  others: readonly unknown[],
): string[] {
  const text = (body: unknown) => JSON.stringify(body, (key, value) => (key === 'next' ? null : value))
  return paths.filter((_, index) => text(some[index]) !== text(others[index]))
}

async function readJson(url: string): Promise<ReturnType<typeof JSON.parse>> {
  const response = await fetch(url, {
    headers: { 'x-api-key': loadEnv.PLAZA_DEV_API_KEY },
    signal: AbortSignal.timeout(20_000),
  })
  const body = await response.json()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${JSON.stringify(body)}`)
  return body
}

async function subscribe(serverUrl: string, targetUrl: string): Promise<string> {
  const body = { name: 'cluster', url: targetUrl, subscription: { 'cast.created': {} } }
  const { webhook, message } = await sendJson('POST', `${serverUrl}/v2/farcaster/webhook`, body)
  if (!webhook) throw new Error(message)
  return webhook.webhook_id
}

async function unsubscribe(serverUrl: string, webhookId: string): Promise<void> {
  await sendJson('DELETE', `${serverUrl}/v2/farcaster/webhook`, { webhook_id: webhookId })
}

async function sendJson(method: string, url: string, body: object): Promise<ReturnType<typeof JSON.parse>> {
  const headers = { 'x-api-key': loadEnv.PLAZA_DEV_API_KEY, 'content-type': 'application/json' }
  return await (await fetch(url, { method, headers, body: JSON.stringify(body) })).json()
}

/** The longest time without a webhook after a moment, in seconds. */
function silenceOf(receiver: Receiver, startMs: number): number {
  const start = performance.timeOrigin + startMs
  const times = [start, ...receiver.received.map(({ atMs }) => atMs).filter((atMs) => atMs > start)]
  return Math.max(0, ...times.slice(1).map((atMs, index) => atMs - times[index]!)) / 1000
}

function report(
  { name }: Fault,
  load: MixedLoad,
  found: {
    faultAtMs: number
    silentSeconds: number
    lost: readonly AcknowledgedWrite[]
    streams: readonly StreamReader[]
  },
): void {
  const seconds = (value: number) => `${value.toFixed(1)} s`
  const failures = new Map<string, number>()
  for (const [answer, count] of [load.writes, load.reads].flatMap((each) => Object.entries(each.failures))) {
    const status = answer.replace(/^(\d+) .*$/s, '$1')
    failures.set(status, (failures.get(status) ?? 0) + count)
  }
  const parts = [
    `no writes ${seconds(load.writes.longestGapAfter(found.faultAtMs))}`,
    `no reads ${seconds(load.reads.longestGapAfter(found.faultAtMs))}`,
    `no webhooks ${seconds(found.silentSeconds)}`,
    `${load.acknowledged} acknowledged, ${lostText(found.lost, found.faultAtMs)}`,
    `log resets ${found.streams.map(({ resets }) => resets).join(' and ')}`,
    `failed requests ${[...failures].map(([status, count]) => `${status}: ${count}`).join(', ') || 'none'}`,
  ]
  process.stdout.write(`${name}: ${parts.join('; ')}\n`)
}

/** How many, and when they were acknowledged. */
function lostText(lost: readonly AcknowledgedWrite[], faultAtMs: number): string {
  if (lost.length === 0) return '0 lost'
  const seconds = lost.map(({ atMs }) => (atMs - faultAtMs) / 1000)
  const [first, last] = [Math.min(...seconds), Math.max(...seconds)]
  return `${lost.length} lost, acknowledged ${first.toFixed(1)} to ${last.toFixed(1)} s after the fault`
}
