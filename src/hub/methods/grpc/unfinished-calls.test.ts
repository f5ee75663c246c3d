import { type ClientHttp2Session, connect } from 'node:http2'
import { getInsecureHubRpcClient, HubServiceService } from '@farcaster/hub-nodejs'
import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { openHubGrpc } from '../../../../test/hub-grpc.js'
import { limitUnfinishedCalls, type UnfinishedCallLimits } from './unfinished-calls.js'

const BODY_LIMIT = 200_000
/** Eight of the largest messages without the 64 kB of each call that are free. */
const CALLS_OF_ADDRESS = 11
const [OK, INVALID, TOO_LATE, EXHAUSTED] = [
  status.OK,
  status.INVALID_ARGUMENT,
  status.DEADLINE_EXCEEDED,
  status.RESOURCE_EXHAUSTED,
].map(String)

const { db } = await createTestDatabase()

/** Starts the hub's server and a connection to it. */
async function openServer() {
  const config = { bodyLimit: BODY_LIMIT, trustProxy: true }
  const { server } = await openHubGrpc(db, { config })
  return { address: server.address, session: openSession(server.address) }
}

function openSession(address: string): ClientHttp2Session {
  const session = connect(`http://${address}`)
  afterAll(() => session.destroy())
  return session
}

interface RawCall {
  readonly path?: string
  readonly from?: string
  /** Length of the message. */
  readonly length?: number
  readonly headers?: Record<string, string>
}

/** Sends all of a message but its last byte. */
function begin(session: ClientHttp2Session, call: RawCall = {}) {
  const { path = HubServiceService.submitMessage.path, from = '192.0.2.1', length = BODY_LIMIT } = call
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    'x-forwarded-for': from,
    ...call.headers,
  })
  const message = Buffer.alloc(5 + length)
  message.writeUInt32BE(length, 1)
  stream.write(message.subarray(0, -1))
  const answer = new Promise<string>((resolve) => {
    const read = (headers: Record<string, unknown>) => {
      if (headers['grpc-status'] !== undefined) resolve(String(headers['grpc-status']))
    }
    stream.on('response', read)
    stream.on('trailers', read)
  })
  const closed = new Promise<void>((resolve) => stream.on('close', resolve))
  stream.on('error', () => {})
  stream.resume()
  return { answer, closed, end: () => stream.end(message.subarray(-1)), cancel: () => stream.close() }
}

/** The status of a call that is complete. */
async function send(session: ClientHttp2Session, call: RawCall = {}): Promise<string> {
  const { answer, end } = begin(session, call)
  end()
  return await answer
}

const small = { path: HubServiceService.getCast.path, length: 100 }

it('large calls that an address does not complete keep out only more of its own', async () => {
  const { session } = await openServer()
  const calls = Array.from({ length: CALLS_OF_ADDRESS + 1 }, () => begin(session))
  const refused = await Promise.race(calls.map(async (call) => ({ call, answer: await call.answer })))
  expect(refused.answer).toBe(EXHAUSTED)
  // What came of its message is kept no longer.
  await refused.call.closed
  expect(await send(session, small)).toBe(INVALID)
  expect(await send(session, { from: '192.0.2.2' })).toBe(INVALID)

  const [first] = calls.filter((call) => call !== refused.call)
  first!.end()
  expect(await first!.answer).toBe(INVALID)
  expect(await send(session)).toBe(INVALID)
})

it('large calls of many addresses that are not complete keep out no ordinary calls', async () => {
  const { session } = await openServer()
  const calls = Array.from({ length: 5 * (CALLS_OF_ADDRESS - 1) }, (_, index) =>
    begin(session, { from: `192.0.2.${index % 5}` }),
  )
  expect(await Promise.race(calls.map(({ answer }) => answer))).toBe(EXHAUSTED)
  expect(await send(session, { ...small, from: '192.0.2.9' })).toBe(INVALID)
  for (const { cancel } of calls) cancel()
  await expect.poll(() => send(session)).toBe(INVALID)
})

it('compressed messages are refused as by the reference node, and plain ones of the same client are not', async () => {
  const { address, session } = await openServer()
  const client = getInsecureHubRpcClient(address, { 'grpc.default_compression_algorithm': 2 })
  afterAll(() => client.$.close())
  const error = (await client.getInfo({}))._unsafeUnwrapErr()
  expect(error.message).toContain('messages compressed with gzip are not accepted')
  expect(await send(session, { headers: { 'grpc-encoding': 'deflate' } })).toBe(String(status.UNIMPLEMENTED))
  expect(await send(session, { headers: { 'grpc-encoding': 'identity' } })).toBe(INVALID)
})

it('a call whose deadline has passed is closed, and what came of it is not kept', async () => {
  const { session } = await openServer()
  const call = begin(session, { headers: { 'grpc-timeout': '50m' } })
  expect(await call.answer).toBe(TOO_LATE)
  await call.closed
})

/** Starts a server without methods, whose callers are told apart by the header `x-forwarded-for`. */
async function openLimited(limits: Partial<UnfinishedCallLimits>): Promise<string> {
  const addressOf: UnfinishedCallLimits['addressOf'] = ({ metadata }) =>
    String(metadata.get('x-forwarded-for')[0])
  const limit = limitUnfinishedCalls({ bodyLimit: BODY_LIMIT, addressOf, ...limits })
  const server = new Server({ interceptors: [limit] })
  server.addService(HubServiceService, {})
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  afterAll(() => server.forceShutdown())
  return `127.0.0.1:${port}`
}

it('a call that is not ended in time is answered and closed', async () => {
  const call = begin(openSession(await openLimited({ limitMs: 50 })))
  expect(await call.answer).toBe(TOO_LATE)
  await call.closed
})

const [UNIMPLEMENTED, CALL_BYTES] = [String(status.UNIMPLEMENTED), 50_000]

it('small calls that an address does not complete on several connections keep out only more of its own', async () => {
  const maxSmallBytes = { total: 10 ** 9, ofAddress: 20 * CALL_BYTES, ofAnyAddress: 0 }
  const address = await openLimited({ maxSmallBytes })
  const sessions = [openSession(address), openSession(address)]
  const calls = sessions.flatMap((session) =>
    Array.from({ length: 10 }, () => begin(session, { length: CALL_BYTES })),
  )
  expect(await Promise.race(calls.map(({ answer }) => answer))).toBe(EXHAUSTED)
  expect(await send(sessions[0]!, { ...small, from: '192.0.2.2' })).toBe(UNIMPLEMENTED)
  for (const { cancel } of calls) cancel()
  await expect.poll(() => send(sessions[1]!, small)).toBe(UNIMPLEMENTED)
})

it('calls without a message count, too', async () => {
  const maxSmallBytes = { total: 10 ** 9, ofAddress: CALL_BYTES, ofAnyAddress: 0 }
  const session = openSession(await openLimited({ maxSmallBytes }))
  const calls = Array.from({ length: 10 }, () => begin(session, { length: 1 }))
  expect(await Promise.race(calls.map(({ answer }) => answer))).toBe(EXHAUSTED)
})

it('small calls of many addresses that are not complete keep out no address with few', async () => {
  const maxSmallBytes = { total: 20 * CALL_BYTES, ofAddress: 10 ** 9, ofAnyAddress: 2 * CALL_BYTES }
  const session = openSession(await openLimited({ maxSmallBytes }))
  const calls = Array.from({ length: 40 }, (_, index) =>
    begin(session, { length: CALL_BYTES, from: `192.0.2.${index % 4}` }),
  )
  expect(await Promise.race(calls.map(({ answer }) => answer))).toBe(EXHAUSTED)
  expect(await send(session, { ...small, from: '192.0.2.9' })).toBe(UNIMPLEMENTED)
})

it('a call of the largest size is served', async () => {
  const { session } = await openServer()
  expect([await send(session), await send(session)]).toEqual([INVALID, INVALID])
  expect(await send(session, { path: HubServiceService.getInfo.path, length: 0 })).toBe(OK)
})
