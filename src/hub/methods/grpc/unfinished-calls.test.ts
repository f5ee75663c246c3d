import { connect } from 'node:http2'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { afterAll, expect, it } from 'vitest'
import { limitUnfinishedCalls, type UnfinishedCallLimits } from './unfinished-calls.js'

/** Fits into one frame. */
const CALL_BYTES = 10_000
const EXHAUSTED = '8'
const TOO_LATE = '4'

/** A server that answers with the length of what it is asked, and a client of single frames. */
async function start(limits: UnfinishedCallLimits) {
  const server = new Server({ interceptors: [limitUnfinishedCalls(limits)] })
  const same = (bytes: Buffer) => bytes
  server.addService(
    {
      measure: {
        path: '/test/measure',
        requestStream: false,
        responseStream: false,
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: same,
        responseDeserialize: same,
      },
    },
    {
      measure: ({ request }: { request: Buffer }, answer: (error: null, reply: Buffer) => void) =>
        answer(null, Buffer.from(String(request.length))),
    },
  )
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  const session = connect(`http://127.0.0.1:${port}`)
  afterAll(() => {
    session.destroy()
    server.forceShutdown()
  })
  const message = Buffer.alloc(CALL_BYTES)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)

  /** Sends a message without ending the call. */
  return function call() {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/test/measure',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stream.write(Buffer.concat([head, message]))
    const status = new Promise<unknown>((resolve) => {
      stream.on(
        'response',
        (headers) => headers['grpc-status'] !== undefined && resolve(headers['grpc-status']),
      )
      stream.on('trailers', (headers) => resolve(headers['grpc-status']))
    })
    stream.resume()
    return { status, end: () => stream.end(), cancel: () => stream.close() }
  }
}

it('calls that are not ended hold no more than their limit together, and what ends makes room', async () => {
  const call = await start({ maxHeldBytes: 2 * CALL_BYTES })
  const [first, second] = [call(), call()]
  // One connection keeps the order.
  expect(await call().status).toBe(EXHAUSTED)
  first.end()
  expect(await first.status).toBe('0')
  const third = call()
  expect(await call().status).toBe(EXHAUSTED)
  third.end()
  second.end()
  expect([await third.status, await second.status]).toEqual(['0', '0'])
})

it('a call that is cancelled makes room', async () => {
  const call = await start({ maxHeldBytes: CALL_BYTES })
  const first = call()
  expect(await call().status).toBe(EXHAUSTED)
  first.cancel()
  const next = async () => {
    const another = call()
    another.end()
    return await another.status
  }
  await expect.poll(next).toBe('0')
})

it('a call that is not ended in time is answered', async () => {
  const call = await start({ limitMs: 50 })
  expect(await call().status).toBe(TOO_LATE)
})
