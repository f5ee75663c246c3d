import { createSocket } from 'node:dgram'
import { expect, it, onTestFinished } from 'vitest'
import { nameServerResolve, type Resolve } from './dialer.js'
import { NetFailureError } from './net-failure.js'

const types = { A: 1, AAAA: 28 }
const codes = { ok: 0, serverFailure: 2, noSuchName: 3 }
type Records = {
  readonly A?: readonly Buffer[]
  readonly AAAA?: readonly Buffer[]
  readonly code?: number
  readonly codeOfAAAA?: number
  /** Types of questions that get no answer. */
  readonly dropped?: readonly number[]
  /** Called with the type of each question. */
  readonly onQuestion?: (type: number) => void
}

/** Starts a name server on loopback (RFC 1035 §4) that returns the same answer for every name. */
async function serveName(records: Records): Promise<Resolve> {
  const socket = createSocket('udp4')
  socket.on('message', (query, peer) => {
    const endOfName = query.indexOf(0, 12)
    const question = query.subarray(12, endOfName + 5)
    const type = query.readUInt16BE(endOfName + 1)
    records.onQuestion?.(type)
    if (records.dropped?.includes(type)) return
    const addresses = (type === types.A ? records.A : records.AAAA) ?? []
    const head = Buffer.from(query.subarray(0, 12))
    const code = type === types.AAAA ? (records.codeOfAAAA ?? records.code) : records.code
    head.writeUInt16BE(0x8180 | (code ?? codes.ok), 2)
    head.writeUInt16BE(addresses.length, 6)
    head.writeUInt32BE(0, 8)
    const answers = addresses.map((address) => {
      const record = Buffer.alloc(12)
      record.writeUInt16BE(0xc00c, 0)
      record.writeUInt16BE(type, 2)
      record.writeUInt16BE(1, 4)
      record.writeUInt16BE(address.length, 10)
      return Buffer.concat([record, address])
    })
    socket.send(Buffer.concat([head, question, ...answers]), peer.port, peer.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    socket.close()
  })
  return nameServerResolve([`127.0.0.1:${socket.address().port}`])
}

async function failureOf(resolve: Resolve): Promise<unknown> {
  const error: unknown = await resolve('plaza.social').catch((reason) => reason)
  return error instanceof NetFailureError ? error.failure : error
}

it('finds the addresses of both families', async () => {
  const AAAA = Buffer.alloc(16)
  AAAA[15] = 1
  const resolve = await serveName({
    A: [Buffer.from([192, 0, 2, 1]), Buffer.from([10, 0, 0, 1])],
    AAAA: [AAAA],
  })
  expect(await resolve('plaza.social')).toEqual(['192.0.2.1', '10.0.0.1', '::1'])
})

it('finds addresses of a name with one family', async () => {
  const resolve = await serveName({ A: [Buffer.from([192, 0, 2, 1])] })
  expect(await resolve('plaza.social')).toEqual(['192.0.2.1'])
})

it.each([
  ['AAAA', types.AAAA, '192.0.2.1'],
  ['A', types.A, '::1'],
])(
  'name servers that drop questions for %s -> the addresses of the other family',
  async (_, type, address) => {
    const AAAA = Buffer.alloc(16)
    AAAA[15] = 1
    const questions: number[] = []
    const resolve = await serveName({
      A: [Buffer.from([192, 0, 2, 1])],
      AAAA: [AAAA],
      dropped: [type],
      onQuestion: (asked) => questions.push(asked),
    })
    expect(await resolve('plaza.social')).toEqual([address])
    // A lost question for A is repeated: many machines reach no IPv6.
    const asked = () => questions.filter((each) => each === type).length
    if (type === types.A) await expect.poll(asked).toBeGreaterThan(1)
  },
)

it('distinguishes an unknown name from failing servers', async () => {
  const unknown = { kind: 'unknown-host', detail: 'the name has no address' }
  expect(await failureOf(await serveName({ code: codes.noSuchName }))).toEqual(unknown)
  expect(await failureOf(await serveName({}))).toEqual(unknown)
  const refused = { kind: 'connection', detail: 'the name servers refused the name (ESERVFAIL)' }
  expect(await failureOf(await serveName({ code: codes.serverFailure }))).toEqual(refused)
  expect(await failureOf(await serveName({ codeOfAAAA: codes.serverFailure }))).toEqual(refused)
})
