import { getInsecureHubRpcClient, type HubRpcClient, Metadata } from '@farcaster/hub-nodejs'
import { afterEach, expect, test } from 'vitest'
import { createTestDatabase } from './database.js'
import { startTestServer } from './running-server.js'

const { url } = await createTestDatabase()
const clients: HubRpcClient[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.$.close()
})

function connect(address: string | undefined): HubRpcClient {
  const client = getInsecureHubRpcClient(address ?? '', { 'grpc.use_local_subchannel_pool': 1 })
  clients.push(client)
  return client
}

test('gRPC accepts the keys of the HTTP hub API, and its calls are counted', async () => {
  const env = { HUB_GRPC_PORT: '0', HUB_REQUIRE_API_KEY: 'true', HUB_API_KEYS: 'a-key-of-some-length' }
  const server = await startTestServer(url, { ...env, PLAZA_DEV_API_KEY: 'a-key-of-an-app' })
  const client = connect(server.urls.grpc)
  const metadata = new Metadata()
  expect((await client.getInfo({}, metadata))._unsafeUnwrapErr().errCode).toBe('unauthenticated')
  for (const key of ['a-key-of-some-length', 'a-key-of-an-app']) {
    metadata.set('x-api-key', key)
    expect((await client.getInfo({}, metadata)).isOk()).toBe(true)
  }
  const stream = (await client.subscribe({ eventTypes: [] }, metadata))._unsafeUnwrap()
  await new Promise((resolve) => stream.once('metadata', resolve))
  const metrics = await (await fetch(`${server.urls.main}/metrics`)).text()
  expect(metrics).toContain('plaza_grpc_subscribers 1\n')
  expect(metrics).toContain('plaza_grpc_call_duration_seconds_count{method="getInfo",status="0"} 2\n')
  expect(metrics).toContain('plaza_grpc_call_duration_seconds_count{method="getInfo",status="16"} 1\n')
  stream.cancel()
})
