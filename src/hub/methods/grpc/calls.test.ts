import { readFileSync } from 'node:fs'
import {
  getInsecureClient,
  type HubServiceClient,
  HubServiceService,
  Metadata,
  type ReactionType,
  type UserDataType,
} from '@farcaster/hub-nodejs'
import { type ServiceError, status } from '@grpc/grpc-js'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { openHubGrpc } from '../../../../test/hub-grpc.js'
import { TestUser, testNow } from '../../../../test/network.js'
import { PlazaError } from '../../../platform/errors.js'
import { silentLog } from '../../../platform/log/log.js'

const { db } = await createTestDatabase()
const clients: HubServiceClient[] = []
afterAll(() => {
  for (const client of clients) client.close()
})

type MethodName = keyof typeof HubServiceService
type Call = (
  path: string,
  serialize: (request: Buffer) => Buffer,
  deserialize: (reply: Buffer) => Buffer,
  request: Buffer,
  metadata: Metadata,
  options: object,
  done: (error: ServiceError | null, reply?: Buffer) => void,
) => void

const same = (bytes: Buffer) => bytes

/** Sends bytes to a method, and resolves with its status. */
function send(
  { address }: { readonly address: string },
  name: MethodName,
  request: Buffer,
  { headers = {}, deadlineMs = 60_000 }: { headers?: Record<string, string>; deadlineMs?: number } = {},
): Promise<{ code: number; details: string; errCode: string | undefined; reply: Buffer }> {
  const client = getInsecureClient(address)
  clients.push(client)
  const metadata = new Metadata()
  for (const [key, value] of Object.entries(headers)) metadata.set(key, value)
  return new Promise((resolve) => {
    const call = client.makeUnaryRequest.bind(client) as unknown as Call
    const options = { deadline: Date.now() + deadlineMs }
    call(HubServiceService[name].path, same, same, request, metadata, options, (error, reply) => {
      const [errCode] = error?.metadata.get('x-err-code') ?? []
      const [code, details] = [error?.code ?? 0, error?.details ?? '']
      resolve({ code, details, errCode: errCode?.toString(), reply: reply ?? Buffer.alloc(0) })
    })
  })
}

const castRequest = Buffer.from(
  HubServiceService.getCast.requestSerialize({ fid: 1, hash: Buffer.alloc(20) }),
)

describe('every method of the published service', () => {
  test('is served, or answers UNIMPLEMENTED as documented', async () => {
    const { server } = await openHubGrpc(db)
    const documented = readFileSync('docs/hub-api.md', 'utf8')
    const unary = Object.entries(HubServiceService).filter(([, { responseStream }]) => !responseStream)
    const answers = await Promise.all(
      unary.map(async ([name]) => {
        const { code } = await send(server, name as MethodName, Buffer.alloc(0))
        return { name, code }
      }),
    )
    const missing = answers.filter(({ code }) => code === status.UNIMPLEMENTED).map(({ name }) => name)
    expect(missing).toEqual(['getShardChunks', 'getTrieMetadataByPrefix'])
    for (const name of [...missing, 'getBlocks']) {
      expect(documented).toContain(`\`${name.replace(/^g/, 'G')}\``)
    }
    const internal = answers.filter(({ code }) => code === status.INTERNAL || code === status.UNKNOWN)
    expect(internal).toEqual([])
  })
})

describe('a call', () => {
  test('with a wrong member -> INVALID_ARGUMENT that names it', async () => {
    const { server, client } = await openHubGrpc(db)
    expect(await send(server, 'getCast', Buffer.from([0x08]))).toMatchObject({
      code: status.INVALID_ARGUMENT,
      errCode: 'bad_request.parse_failure',
    })
    const refused: [Promise<{ _unsafeUnwrapErr(): Error }>, string][] = [
      [client.getCast({ fid: 0, hash: Buffer.alloc(20) }), 'fid must be a fid'],
      [client.getCast({ fid: 1, hash: Buffer.alloc(19) }), 'hash must be 20 bytes'],
      [client.getCastsByParent({}), 'parent is required'],
      [client.getLink({ fid: 1, linkType: '', targetFid: 2 }), 'link_type is required'],
      [client.getLink({ fid: 1, linkType: 'follow' }), 'target_fid must be a fid'],
      [client.getReactionsByFid({ fid: 1, reactionType: 9 as ReactionType }), 'reaction_type 9 is not known'],
      [client.getUserData({ fid: 1, userDataType: 257 as UserDataType }), 'user_data_type 257 is not known'],
      [client.getVerification({ fid: 1, address: Buffer.alloc(3) }), 'address must be an address'],
      [client.getCastsByFid({ fid: 1, pageSize: 10_001 }), 'page_size must be between 1 and 10000'],
      [client.getCastsByFid({ fid: 1, pageToken: Buffer.alloc(3) }), 'page_token is not a token'],
    ]
    for (const [requests, problem] of refused) {
      const error = (await requests)._unsafeUnwrapErr()
      expect(error).toMatchObject({ errCode: 'bad_request.invalid_param' })
      expect(error.message).toContain(problem)
    }
  })

  test('with a bound above 2^53 - 1 -> read as above everything; such a fid is refused', async () => {
    const { server, hub } = await openHubGrpc(db)
    const user = new TestUser(7)
    await hub.submitOnChainEvents(user.onChain())
    expect(await hub.submit([user.cast('within the bounds', testNow)])).toEqual([null])
    const largest = Buffer.from('ffffffffffffffffff01', 'hex')
    const field = (number: number, value: Buffer) => Buffer.concat([Buffer.of(number << 3), value])
    const sizeOf = async (name: MethodName, ...fields: Buffer[]) => {
      const { code, reply } = await send(server, name, Buffer.concat(fields))
      return [code, reply.length > 0]
    }
    const fid = field(1, Buffer.of(7))
    expect(await sizeOf('getEvents', field(3, largest))).toEqual([status.OK, true])
    expect(await sizeOf('getEvents', field(1, largest))).toEqual([status.OK, false])
    expect(await sizeOf('getAllCastMessagesByFid', fid, field(6, largest))).toEqual([status.OK, true])
    expect(await sizeOf('getAllCastMessagesByFid', fid, field(5, largest))).toEqual([status.OK, false])
    expect(await send(server, 'getAllCastMessagesByFid', field(1, largest))).toMatchObject({
      code: status.INVALID_ARGUMENT,
      errCode: 'bad_request.parse_failure',
    })
  })

  test('larger than the limit -> refused', async () => {
    const { server } = await openHubGrpc(db, { config: { bodyLimit: 1024 } })
    const answer = await send(server, 'submitMessage', Buffer.alloc(1025))
    expect(answer).toMatchObject({ code: status.RESOURCE_EXHAUSTED, errCode: undefined })
  })

  test('without a needed key -> UNAUTHENTICATED', async () => {
    const { server, client } = await openHubGrpc(db, {
      authorize: async ({ headers }) => {
        if (headers['x-api-key'] === 'right' || headers.authorization === 'Bearer right') return
        throw new PlazaError('unauthenticated', 'a valid API key is needed')
      },
    })
    expect(await send(server, 'getCast', castRequest)).toMatchObject({
      code: status.UNAUTHENTICATED,
      errCode: 'unauthenticated',
    })
    const stream = (await client.subscribe({ eventTypes: [] }))._unsafeUnwrap()
    const refusal = await new Promise((resolve) => stream.on('error', resolve))
    expect(refusal).toMatchObject({ code: status.UNAUTHENTICATED })
    for (const headers of [{ 'x-api-key': 'right' }, { authorization: 'Bearer right' }]) {
      expect((await send(server, 'getCast', castRequest, { headers })).code).toBe(status.NOT_FOUND)
    }
  })

  test('beyond the rate limit of its address -> RESOURCE_EXHAUSTED until the next minute', async () => {
    let nowMs = 0
    const { server } = await openHubGrpc(db, {
      clock: () => nowMs,
      hub: (await openHubGrpc(db)).hub,
      config: { rateLimit: 2, trustProxy: true },
    })
    const ask = async (headers: Record<string, string> = {}) =>
      (await send(server, 'getCast', castRequest, { headers })).code
    expect([await ask(), await ask(), await ask()]).toEqual([
      status.NOT_FOUND,
      status.NOT_FOUND,
      status.RESOURCE_EXHAUSTED,
    ])
    expect(await ask({ 'x-forwarded-for': '192.0.2.1, 10.0.0.1' })).toBe(status.NOT_FOUND)
    nowMs = 60_000
    expect(await ask()).toBe(status.NOT_FOUND)
  })

  test('slower than its deadline -> DEADLINE_EXCEEDED', async () => {
    const { server } = await openHubGrpc(db)
    await db.begin(async (transaction) => {
      await transaction`lock table hub.messages in access exclusive mode`
      const { code } = await send(server, 'getCast', castRequest, { deadlineMs: 100 })
      expect(code).toBe(status.DEADLINE_EXCEEDED)
    })
  })

  test('internal error -> only the log has the cause', async () => {
    const logged: object[] = []
    const log = { ...silentLog, error: (fields: object) => logged.push(fields) }
    const { hub } = await openHubGrpc(db)
    const broken = { ...hub, submit: () => Promise.reject(new Error('secret')) }
    const { server } = await openHubGrpc(db, { log, hub: broken })
    const user = new TestUser(1)
    const { data, ...message } = user.cast('hello', testNow)
    const request = HubServiceService.submitMessage.requestSerialize({ ...message, data: undefined })
    const answer = await send(server, 'submitMessage', Buffer.from(request))
    expect(answer).toMatchObject({ code: status.INTERNAL, errCode: 'internal' })
    expect(answer.details).not.toContain('secret')
    expect(logged).toMatchObject([{ method: 'submitMessage', err: { message: 'secret' } }])
  })

  test('is reported to the metrics with its status and duration', async () => {
    const calls: [string, number][] = []
    const { server } = await openHubGrpc(db, {
      metrics: {
        called: (method, code, seconds) => {
          expect(seconds).toBeGreaterThan(0)
          calls.push([method, code])
        },
        subscribed: () => {},
        eventsSent: () => {},
      },
    })
    await send(server, 'getCast', castRequest)
    await send(server, 'getInfo', Buffer.alloc(0))
    await expect
      .poll(() => calls)
      .toEqual([
        ['getCast', status.NOT_FOUND],
        ['getInfo', status.OK],
      ])
  })
})
