import { getInsecureHubRpcClient, Metadata } from '@farcaster/hub-nodejs'
import { afterAll, expect, it } from 'vitest'
import { encodeMessage } from '../src/protocol/codec.js'
import { createTestDatabase } from './database.js'
import { TestUser } from './network.js'
import { startTestServer, type TestServer } from './running-server.js'
import { type ReceivedSpan, startTraceReceiver } from './trace-receiver.js'
import { startReceiver } from './webhooks/receiver.js'
import { callApi, subscribe, webhookEnv } from './webhooks/subscriber.js'

const { db, url } = await createTestDatabase()
const alice = new TestUser(1)
const now = () => Math.floor(Date.now() / 1000) - 1_609_459_200
/** A trace of the caller, which is recorded there. */
const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

const receiver = await startTraceReceiver(afterAll)
const server = await startTestServer(
  url,
  {
    ...webhookEnv,
    HUB_GRPC_PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_RESOURCE_ATTRIBUTES: 'host.name=here%20now',
  },
  afterAll,
)
await server.hub.submitOnChainEvents(alice.onChain({ units: 5 }))

/** Waits for the spans of a trace until one has this name. */
async function spansOf(trace: string, name: string): Promise<readonly ReceivedSpan[]> {
  const find = () => receiver.spans.filter((span) => span.traceId === trace)
  await expect.poll(() => find().map((span) => span.name)).toContain(name)
  return find()
}

async function submit({ urls }: TestServer, text: string, headers: Record<string, string> = {}) {
  const reply = await fetch(`${urls.main}/v1/submitMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: encodeMessage(alice.cast(text, now())),
  })
  expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('hash')])
}

function childrenOf(spans: readonly ReceivedSpan[], parent: ReceivedSpan): ReceivedSpan[] {
  return spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId)
}

it('a request -> a span with route and status, and its statements below it', async () => {
  await fetch(`${server.urls.main}/v2/farcaster/user/bulk?fids=1&viewer_fid=7654321`, {
    headers: { 'x-api-key': 'a-key-for-the-test' },
  })
  await fetch(`${server.urls.main}/healthz`)
  await expect.poll(() => receiver.spans.filter(({ kind }) => kind === 'server')).toHaveLength(1)
  const { spans } = receiver
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === '')
  expect(roots).toMatchObject([
    {
      name: 'GET /v2/farcaster/user/bulk',
      kind: 'server',
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v2/farcaster/user/bulk',
        'http.response.status_code': 200,
        'url.path': '/v2/farcaster/user/bulk',
      },
      isError: false,
      resource: { 'service.name': 'plaza', 'plaza.roles': 'api,worker,sync', 'host.name': 'here now' },
    },
  ])
  const statements = childrenOf(spans, roots[0]!)
  expect(statements.length).toBeGreaterThan(1)
  expect(statements.map(({ name }) => name)).toContain('select apps.api_keys')
  for (const { kind, attributes } of statements) {
    expect(kind).toBe('client')
    expect(attributes['db.query.text']).toContain('$1')
  }
  expect(receiver.text()).not.toMatch(/a-key-for-the-test|7654321/)
})

it('a traceparent is continued through merge, consumer and delivery', async () => {
  const target = await startReceiver()
  const { webhook_id } = await subscribe(server, `${target.url}?token=hunter2`, { 'cast.created': {} })
  await submit(server, 'hello', { traceparent, tracestate: 'vendor=1' })
  const [delivery] = await target.waitForCount(1)
  await callApi(server, 'DELETE', 'webhook', { webhook_id })
  // A consumer hears of its commit after others may have delivered what it wrote.
  await spansOf(traceId, 'consume webhooks')
  const spans = await spansOf(traceId, 'deliver webhooks')

  const [request] = spans.filter(({ kind }) => kind === 'server')
  expect(request).toMatchObject({ name: 'POST /v1/submitMessage', parentSpanId: 'b7ad6b7169203331' })
  const [merge] = childrenOf(spans, request!).filter(({ name }) => name === 'merge')
  expect(merge).toMatchObject({ attributes: { 'plaza.items': 1 } })
  const [transaction] = childrenOf(spans, merge!).filter(({ name }) => name === 'transaction')
  const statements = childrenOf(spans, transaction!).map(({ name }) => name)
  expect(statements).toEqual(expect.arrayContaining(['insert hub.messages', 'insert hub.events']))
  const [consume] = childrenOf(spans, merge!).filter(({ name }) => name === 'consume webhooks')
  expect(childrenOf(spans, consume!).map(({ name }) => name)).toContain('insert webhooks.deliveries')
  const [deliver] = childrenOf(spans, merge!).filter(({ name }) => name === 'deliver webhooks')
  expect(deliver).toMatchObject({
    kind: 'producer',
    attributes: { 'plaza.event.type': 'cast.created', 'plaza.delivery.attempt': 1 },
  })
  const [sent] = childrenOf(spans, deliver!)
  expect(sent).toMatchObject({
    name: 'POST',
    kind: 'client',
    attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 200 },
  })
  expect(delivery!.headers.traceparent).toBe(`00-${traceId}-${sent!.spanId}-01`)
  expect(JSON.stringify(spans)).not.toMatch(/hunter2|hello/)
})

it('a caller that does not record -> no span here, and the target gets its own trace', async () => {
  const silentReceiver = await startTraceReceiver()
  const sampling = await startTestServer(url, {
    ...webhookEnv,
    ROLES: 'api',
    OTEL_EXPORTER_OTLP_ENDPOINT: silentReceiver.url,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  const target = await startReceiver()
  const { webhook_id } = await subscribe(server, target.url, { 'cast.created': {} })
  await submit(sampling, 'unseen', { traceparent: traceparent.replace(/01$/, '00') })
  const [delivery] = await target.waitForCount(1)
  await callApi(server, 'DELETE', 'webhook', { webhook_id })
  expect(delivery!.headers.traceparent).toMatch(/^00-(?!0af7651916cd43dd)[\da-f]{32}-[\da-f]{16}-01$/)
  await sampling.stop()
  expect(silentReceiver.spans).toEqual([])
  expect(
    await db`select from webhooks.events where traceparent is not null and subject::text ~ 'unseen'`,
  ).toEqual([])
})

it('requests that merge together -> each is the parent of its merge, or linked from it', async () => {
  const ids = Array.from({ length: 8 }, (_, index) => `${index + 1}`.repeat(32))
  await Promise.all(
    ids.map((id) => submit(server, `cast ${id}`, { traceparent: traceparent.replace(traceId, id) })),
  )
  const merges = () =>
    receiver.spans.filter(
      ({ name, ...span }) => name === 'merge' && tracesOf(span).some((id) => ids.includes(id)),
    )
  const tracesOf = ({ traceId: own, links }: Pick<ReceivedSpan, 'traceId' | 'links'>) => [
    own,
    ...links.map((link) => link.traceId),
  ]
  await expect.poll(() => merges().flatMap(tracesOf).sort()).toEqual(ids)
  expect(merges().reduce((sum, { attributes }) => sum + Number(attributes['plaza.items']), 0)).toBe(8)
})

it('a failure -> the span has the error, without values', async () => {
  const id = 'e'.repeat(32)
  await db`alter table social.users rename to people`
  try {
    const reply = await fetch(`${server.urls.main}/v2/farcaster/user/bulk?fids=1234`, {
      headers: { 'x-api-key': 'a-key-for-the-test', traceparent: traceparent.replace(traceId, id) },
    })
    expect(reply.status).toBe(500)
  } finally {
    await db`alter table social.people rename to users`
  }
  const spans = await spansOf(id, 'GET /v2/farcaster/user/bulk')
  const failed = spans.filter(({ isError }) => isError)
  expect(failed.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['server', 'client']))
  for (const { events, attributes } of failed) {
    expect(events).toMatchObject([
      {
        name: 'exception',
        attributes: {
          'exception.message': 'relation … does not exist',
          'exception.stacktrace': expect.stringMatching(/^ +at /),
        },
      },
    ])
    expect(attributes['error.type']).toBe(attributes['http.response.status_code'] === 500 ? '500' : '42P01')
  }
})

it('a gRPC call -> a span that continues the trace of its metadata', async () => {
  const id = 'c'.repeat(32)
  const client = getInsecureHubRpcClient(server.urls.grpc!, { 'grpc.use_local_subchannel_pool': 1 })
  const metadata = new Metadata()
  metadata.set('traceparent', traceparent.replace(traceId, id))
  expect((await client.getCurrentStorageLimitsByFid({ fid: 1 }, metadata)).isOk()).toBe(true)
  client.$.close()
  const spans = await spansOf(id, 'HubService/GetCurrentStorageLimitsByFid')
  const [call] = spans.filter(({ kind }) => kind === 'server')
  expect(call).toMatchObject({
    attributes: { 'rpc.system': 'grpc', 'rpc.grpc.status_code': 0 },
  })
  expect(childrenOf(spans, call!).length).toBeGreaterThan(0)
})

it('latencies name the trace of their last request, in the format of OpenMetrics', async () => {
  const id = 'd'.repeat(32)
  await fetch(`${server.urls.main}/v2/farcaster/user/bulk?fids=1`, {
    headers: { 'x-api-key': 'a-key-for-the-test', traceparent: traceparent.replace(traceId, id) },
  })
  await spansOf(id, 'GET /v2/farcaster/user/bulk')
  const read = async (accept: string) => {
    const reply = await fetch(`${server.urls.main}/metrics`, { headers: { accept } })
    return { type: reply.headers.get('content-type'), text: await reply.text() }
  }
  const open = await read('application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5')
  expect(open.type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
  expect(open.text).toMatch(
    /^plaza_http_request_duration_seconds_bucket\{[^}]*route="\/v2\/farcaster\/user\/bulk"[^}]*\} \d+ # \{trace_id="d{32}"\} [\d.e-]+ [\d.]+$/m,
  )
  expect(open.text).toMatch(
    /^# TYPE plaza_trace_spans counter\nplaza_trace_spans_total\{result="exported"\} \d+$/m,
  )
  expect(open.text).not.toContain('_total_total')
  expect(open.text).toMatch(/\n# EOF\n$/)

  const classic = await read('*/*')
  expect(classic.type).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(classic.text).toContain('# TYPE plaza_trace_spans_total counter\n')
  expect(classic.text).not.toMatch(/# (EOF|\{)/)
})
