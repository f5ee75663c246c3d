import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { openHubApi } from '../../../../test/hub-api.js'
import { errorCodes, PlazaError } from '../../../platform/errors.js'
import { failureBody } from './errors.js'
import { Parameters } from './parameters.js'

const { db } = await createTestDatabase()
const api = await openHubApi(db, { config: { shards: 2 } })
const hash = 'ab'.repeat(20)
const tooMuch = '18446744073709551616'

/** A wrong query, and the parameter that the error names. */
const refused: readonly (readonly [query: string, property: string])[] = [
  ['castById', 'fid'],
  ['castById?fid=1', 'hash'],
  [`castById?fid=0&hash=${hash}`, 'fid'],
  [`castById?fid=-1&hash=${hash}`, 'fid'],
  [`castById?fid=1.5&hash=${hash}`, 'fid'],
  [`castById?fid=1e3&hash=${hash}`, 'fid'],
  [`castById?fid=abc&hash=${hash}`, 'fid'],
  [`castById?fid=&hash=${hash}`, 'fid'],
  [`castById?fid=9007199254740992&hash=${hash}`, 'fid'],
  [`castById?fid=${tooMuch}&hash=${hash}`, 'fid'],
  [`castById?fid=1&fid=2&hash=${hash}`, 'fid'],
  ['castById?fid=1&hash=xyz', 'hash'],
  ['castById?fid=1&hash=0xabc', 'hash'],
  ['castById?fid=1&hash=0xab', 'hash'],
  ['castsByFid?fid=1&pageSize=0', 'pageSize'],
  ['castsByFid?fid=1&page_size=0', 'page_size'],
  ['castsByFid?fid=1&pageSize=10001', 'pageSize'],
  ['castsByFid?fid=1&pageSize=-5', 'pageSize'],
  ['castsByFid?fid=1&pageSize=5&pageSize=6', 'pageSize'],
  ['castsByFid?fid=1&reverse=yes', 'reverse'],
  ['castsByFid?fid=1&pageToken=@@@', 'pageToken'],
  ['castsByFid?fid=1&page_token=AAAA', 'page_token'],
  ['castsByFid?fid=1&startTimestamp=now', 'startTimestamp'],
  [`castsByFid?fid=1&stop_timestamp=${tooMuch}`, 'stop_timestamp'],
  ['castsByParent', 'url'],
  ['castsByParent?fid=1', 'hash'],
  [`castsByParent?hash=${hash}`, 'fid'],
  ['castsByMention', 'fid'],
  [`reactionById?fid=1&target_fid=1&target_hash=${hash}`, 'reaction_type'],
  [`reactionById?fid=1&target_fid=1&target_hash=${hash}&reaction_type=Love`, 'reaction_type'],
  ['reactionById?fid=1&reaction_type=Like', 'target_url'],
  ['reactionById?fid=1&reaction_type=Like&target_fid=1', 'target_hash'],
  [`reactionById?fid=1&reaction_type=Like&target_hash=${hash}`, 'target_fid'],
  ['reactionsByFid?fid=1', 'reaction_type'],
  ['reactionsByFid?fid=1&reaction_type=3', 'reaction_type'],
  ['reactionsByCast?target_fid=1', 'target_hash'],
  ['reactionsByTarget', 'url'],
  ['linkById?fid=1&target_fid=2', 'link_type'],
  ['linkById?fid=1&link_type=follow', 'target_fid'],
  ['linksByFid', 'fid'],
  ['linksByTargetFid?target_fid=1', 'link_type'],
  ['userDataByFid?fid=1&user_data_type=USER_DATA_TYPE_MOOD', 'user_data_type'],
  ['userDataByFid?fid=1&user_data_type=4', 'user_data_type'],
  ['verificationsByFid?fid=1&address=0x12', 'address'],
  ['verificationsByFid?fid=1&address=0OIl', 'address'],
  [`verificationsByFid?fid=1&address=${'1'.repeat(5000)}`, 'address'],
  ['userNameProofByName', 'name'],
  ['userNameProofsByFid', 'fid'],
  ['storageLimitsByFid', 'fid'],
  ['fidAddressType?fid=1', 'address'],
  ['fids', 'shard_id'],
  ['fids?shard_id=0', 'shard_id'],
  ['fids?shard_id=3', 'shard_id'],
  ['fids?shard_id=4294967296', 'shard_id'],
  ['onChainSignersByFid?fid=1&signer=xyz', 'signer'],
  ['signer?fid=1', 'signer'],
  ['signersByFid?fid=1&requesterFids=1&requesterFids=x', 'requesterFids'],
  [`signersByFid?fid=1&requester_fids=${'1,'.repeat(1001)}`, 'requester_fids'],
  ['onChainEventsByFid?fid=1', 'event_type'],
  ['onChainEventsByFid?fid=1&event_type=EVENT_TYPE_PARTY', 'event_type'],
  ['onChainIdRegistryEventByAddress', 'address'],
  ['info?dbstats=maybe', 'dbstats'],
  ['events?from_event_id=-1', 'from_event_id'],
  [`events?from_event_id=${tooMuch}`, 'from_event_id'],
  ['events?stop_id=x', 'stop_id'],
  ['events?shard_index=0', 'shard_index'],
  ['events?shard_index=3', 'shard_index'],
  ['events?reverse=TRUE', 'reverse'],
  ['events?from_event_id=1&from_event_id=2', 'from_event_id'],
  ['eventById', 'event_id'],
  ['eventById?event_id=1&shard_index=9', 'shard_index'],
  ['events/stream?fid=0', 'fid'],
  ['events/stream?event_type=HUB_EVENT_TYPE_PARTY', 'event_type'],
  ['events/stream?event_type=4', 'event_type'],
  ['events/stream?shard_index=3', 'shard_index'],
]

describe('a wrong parameter -> 400 that names it', () => {
  test.each(refused)('%s', async (query, property) => {
    const { status, body, headers } = await api.get(`/v1/${query}`)
    expect([status, body.property, body.errCode, body.code]).toEqual([
      400,
      property,
      'bad_request.invalid_param',
      3,
    ])
    expect(body.error).toMatch(/^Failed to /)
    expect(body.details).toContain(property)
    expect(headers['access-control-allow-origin']).toBe('*')
  })

  test('Last-Event-ID header', async () => {
    for (const position of ['x', '1:2:3', '5', '3:5', '1:5,1:6', '1:99999999999999999']) {
      const { status, body } = await api.get('/v1/events/stream', { 'last-event-id': position })
      expect([status, body.property]).toEqual([400, 'Last-Event-ID'])
    }
  })
})

test('unknown and empty parameters -> ignored', async () => {
  expect((await api.get('/v1/castsByFid?fid=1&whatever=1&whatever=2&pageSize=&reverse=')).status).toBe(200)
  expect((await api.get('/v1/events?fid=1&fid=2')).status).toBe(200)
})

test('page token with spaces -> read as plus signs', () => {
  const token = Buffer.from([0xfb, 0xef, 0xbe])
  expect(token.toString('base64')).toBe('++++')
  expect(new Parameters({ pageToken: '  ++' }).pageToken()?.bytes).toEqual(token)
})

describe('the error body', () => {
  test.each(errorCodes)('has the keys of both generations of hubs: %s', (code) => {
    const body = failureBody('Failed to get cast', new PlazaError(code, 'text'))
    expect(Object.keys(body)).toEqual([
      'error',
      'error_detail',
      'errCode',
      'presentable',
      'name',
      'code',
      'details',
      'metadata',
      'property',
    ])
    expect(body).toMatchObject({ errCode: code, name: 'HubError', metadata: { errcode: [code] } })
    expect(body.error_detail).toMatch(/^status: [A-Z]\w+, message: ".+", details: \[\], metadata: /)
  })

  test('prints the gRPC status as the reference node does, with Rust’s escapes', () => {
    const error = new PlazaError('bad_request.validation_failure', 'fname "x\\"\n\u0001 doesn\'t match é')
    expect(failureBody('Failed to submit message', error)).toEqual({
      error: 'Failed to submit message',
      error_detail:
        'status: InvalidArgument, message: "bad_request.validation_failure/fname \\"x\\\\\\"\\n\\u{1} doesn\'t match é", ' +
        'details: [], metadata: MetadataMap { headers: {"x-err-code": "bad_request.validation_failure"} }',
      errCode: 'bad_request.validation_failure',
      presentable: false,
      name: 'HubError',
      code: 3,
      details: 'fname "x\\"\n\u0001 doesn\'t match é',
      metadata: { errcode: ['bad_request.validation_failure'] },
      property: undefined,
    })
  })

  test('is sent for paths and methods that do not exist', async () => {
    for (const reply of [await api.get('/v1/nothing?secret=1'), await api.post('/v1/castById', '')]) {
      expect(reply.status).toBe(404)
      expect(reply.body).toMatchObject({ errCode: 'not_found', code: 5, name: 'HubError' })
      expect(reply.text).not.toContain('secret')
      expect(reply.headers['access-control-allow-origin']).toBe('*')
    }
  })

  test('internal error -> no details', async () => {
    const broken = new Proxy(db, {
      apply: () => {
        throw new Error('a secret')
      },
    })
    const { status, body, text } = await (await openHubApi(broken, { hub: api.hub })).get(
      `/v1/castById?fid=1&hash=${hash}`,
    )
    expect([status, body.errCode, body.code]).toEqual([500, 'internal', 13])
    expect(text).not.toContain('secret')
    expect(body.details).toMatch(/the log has it under request \S+/)
  })

  test('database unavailable -> 503 with Retry-After', async () => {
    const away = new Proxy(db, {
      apply: () => {
        throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
      },
    })
    const reply = await (await openHubApi(away, { hub: api.hub })).get('/v1/events')
    expect([reply.status, reply.headers['retry-after']]).toEqual([503, '2'])
    expect(reply.body).toMatchObject({ error: 'Failed to get events', errCode: 'unavailable', code: 14 })
  })
})

test('any web page may send requests', async () => {
  const reply = await api.app.inject({ method: 'OPTIONS', url: '/v1/submitMessage' })
  expect(reply.statusCode).toBe(204)
  expect(reply.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST, OPTIONS',
    'access-control-allow-headers': expect.stringContaining('x-api-key'),
  })
})

test('preflight of the SDK, which names itself in headers of its own -> they are allowed', async () => {
  const asked = 'content-type,x-api-key,x-sdk,x-sdk-version'
  const reply = await api.app.inject({
    method: 'OPTIONS',
    url: '/v1/castsByFid',
    headers: { 'access-control-request-method': 'GET', 'access-control-request-headers': asked },
  })
  expect([reply.statusCode, reply.headers['access-control-allow-headers']]).toEqual([204, asked])
})

test('too many requests from one address -> 429, also for unknown paths', async () => {
  const limited = await openHubApi(db, { hub: api.hub, config: { rateLimit: 2 } })
  expect((await limited.get('/v1/castsByFid?fid=1')).status).toBe(200)
  expect((await limited.get('/v1/nothing')).status).toBe(404)
  for (const path of ['/v1/castsByFid?fid=1', '/v1/nothing']) {
    const { status, body, headers } = await limited.get(path)
    expect([status, body.errCode, body.code]).toEqual([429, 'bad_request.rate_limited', 8])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  }
})

test('wrong keys count for the rate limit', async () => {
  const closed = await openHubApi(db, {
    hub: api.hub,
    config: { rateLimit: 2 },
    authorize: async () => {
      throw new PlazaError('unauthenticated', 'a key is needed')
    },
  })
  const statuses = []
  for (let n = 0; n < 3; n += 1) statuses.push((await closed.get('/v1/info')).status)
  expect(statuses).toEqual([401, 401, 429])
})

test('without a key -> 401; preflight requests need none', async () => {
  const closed = await openHubApi(db, {
    hub: api.hub,
    authorize: async (request) => {
      if (request.headers['x-api-key'] !== 'good') throw new PlazaError('unauthenticated', 'a key is needed')
    },
  })
  const { status, body, headers } = await closed.get('/v1/info')
  expect([status, body.errCode, body.code]).toEqual([401, 'unauthenticated', 16])
  expect(headers['access-control-allow-origin']).toBe('*')
  expect((await closed.get('/v1/info', { 'x-api-key': 'good' })).status).toBe(200)
  expect((await closed.get('/v1/nothing')).status).toBe(401)
  expect((await closed.app.inject({ method: 'OPTIONS', url: '/v1/info' })).statusCode).toBe(204)
})
