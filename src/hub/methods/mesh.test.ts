import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { openHubApi } from '../../../test/hub-api.js'
import { openHubGrpc } from '../../../test/hub-grpc.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { FarcasterNetwork } from '../../protocol/definitions.js'
import { HubServiceService } from '../../protocol/proto/generated/rpc.js'

const { db } = await createTestDatabase()
const operatorAuth = 'operator:secret,other:word'
const open = await openHubApi(db)
const closed = await openHubApi(db, { hub: open.hub, operatorAuth })
const { server } = await openHubGrpc(db, { hub: open.hub, operatorAuth })
const client = new Client(server.address, credentials.createInsecure())
afterAll(() => client.close())
await open.hub.submitOnChainEvents(new TestUser(1).onChain())
await open.hub.submit([new TestUser(1).cast('hello', testNow)])

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

const self = {
  peer_id: '',
  consensus_public_key: null,
  is_validator: false,
  gossip_address: '',
  rpc_address: '',
  snapchain_version: '1.2.3',
  network: 'DEVNET',
  subscribed_topics: [],
  consensus_mesh_size: 0,
  current_height: 2,
  name: null,
  operator: null,
  role: null,
  known_offline: null,
  note: null,
  http_api_url: null,
  http_api_url_source: null,
}

test('a hub alone has no peers', async () => {
  expect((await open.get('/v1/currentPeers')).body).toEqual({ contacts: [], peers: [] })
})

describe('/v1/mesh', () => {
  const view = { self, peers: [], generated_at: testNowUnix * 1000 }

  test('shows the hub itself, and with crawl one node and none that is unreachable', async () => {
    expect((await open.get('/v1/mesh')).body).toEqual(view)
    expect((await open.get('/v1/mesh?crawl=false')).body).toEqual(view)
    for (const query of ['crawl', 'crawl=1', 'crawl=true']) {
      expect((await open.get(`/v1/mesh?${query}`)).body).toEqual({
        nodes: [view],
        unreachable: [],
        generated_at: view.generated_at,
      })
    }
  })

  test('is a table of text on request, with a column for each topic', async () => {
    const { text, headers } = await open.get('/v1/mesh?format=ascii&topics=mempool,consensus')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(text.split('\n').map((line) => line.split(/\s{2,}/))).toEqual([
      ['node', 'type', 'version', 'network', 'height', 'peers', 'consensus', 'mempool'],
      ['self', 'non-val', '1.2.3', 'DEVNET', '2', '0', '-', '-'],
      [''],
    ])
  })

  test.each([
    ['no header', undefined, 'missing authorization header'],
    ['another scheme', 'Bearer secret', 'invalid authorization header'],
    ['no colon', basic('operator'), 'invalid authorization header'],
    ['two colons', basic('operator:secret:'), 'invalid authorization header'],
    ['a wrong password', basic('operator:word'), 'invalid username or password'],
    ['credentials', basic('other:word'), null],
  ])('with configured credentials and %s -> %s', async (_what, authorization, error) => {
    const reply = await closed.get('/v1/mesh', authorization === undefined ? {} : { authorization })
    if (error === null) expect(reply.body).toEqual(view)
    else expect([reply.status, reply.body]).toEqual([401, { error, error_detail: null }])
    expect(reply.headers).not.toHaveProperty('www-authenticate')
  })

  test('has a page for browsers, which needs no credentials and loads nothing from elsewhere', async () => {
    const { status: code, text, headers } = await closed.get('/v1/mesh/ui')
    expect([code, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ])
    expect(text).not.toMatch(/(?:src|href)=/)
  })
})

type Name = 'getMeshView' | 'getMeshTopology' | 'getConnectedPeers'

function call(name: Name, authorization?: string): Promise<ReturnType<typeof JSON.parse>> {
  const { path, responseDeserialize } = HubServiceService[name]
  const metadata = new Metadata()
  if (authorization !== undefined) metadata.set('authorization', authorization)
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      path,
      () => Buffer.alloc(0),
      responseDeserialize as (bytes: Buffer) => object,
      {},
      metadata,
      (error: ServiceError | null, reply) => (error ? reject(error) : resolve(reply)),
    )
  })
}

test('gRPC has the same views, for the operator', async () => {
  const local = { network: FarcasterNetwork.DEVNET, currentHeight: 2, snapchainVersion: '1.2.3' }
  expect(await call('getMeshView', basic('operator:secret'))).toMatchObject({ local, peers: [] })
  const { nodes, unreachable } = await call('getMeshTopology', basic('operator:secret'))
  expect([nodes.length, unreachable]).toEqual([1, []])
  await expect(call('getMeshView')).rejects.toMatchObject({ code: status.UNAUTHENTICATED })
  expect(await call('getConnectedPeers')).toEqual({ contacts: [], peers: [] })
})
