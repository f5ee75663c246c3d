import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createApiKey, revokeApiKey } from '../features/apps/api-keys.js'
import { ensureApp } from '../features/apps/apps.js'
import { startBanner } from './start-banner.js'

const { db } = await createTestDatabase()
const urls = { main: 'http://127.0.0.1:8080', grpc: '127.0.0.1:3383' }
const started = { urls, db, developmentKey: null, servesApi: true, hasConsole: true }
const feed = (key: string) =>
  `try it: curl -H 'x-api-key: ${key}' 'http://127.0.0.1:8080/v2/farcaster/feed/trending?limit=5'`
const consoleLine = expect.stringMatching(/^console: http:\/\/127\.0\.0\.1:8080\/console#code=\S+$/)

it('a first start -> the key, a feed, the reference and the console', async () => {
  expect(await startBanner({ ...started, developmentKey: 'plaza_abc' })).toEqual([
    'hub over gRPC on 127.0.0.1:3383',
    'API key: plaza_abc',
    feed('plaza_abc'),
    'docs: http://127.0.0.1:8080/docs',
    consoleLine,
    'listening on http://127.0.0.1:8080',
  ])
})

it('a database without an active key -> how to make one', async () => {
  const appId = await ensureApp(db, 'an app')
  const { id } = await createApiKey(db, { appId })
  await revokeApiKey(db, id)
  expect(await startBanner({ ...started, hasConsole: false })).toEqual([
    'hub over gRPC on 127.0.0.1:3383',
    'API key: none in this database. Make one with: plaza key create --app my-app',
    feed('<key>'),
    'docs: http://127.0.0.1:8080/docs',
    'listening on http://127.0.0.1:8080',
  ])
})

it('a database that has just gone away -> the addresses, and a key that was made', async () => {
  const { connect } = await createTestDatabase()
  const away = connect()
  await away.end()
  expect(await startBanner({ ...started, db: away })).toHaveLength(2)
  expect(await startBanner({ ...started, db: away, developmentKey: 'plaza_abc' })).toEqual([
    'hub over gRPC on 127.0.0.1:3383',
    'API key: plaza_abc',
    feed('plaza_abc'),
    'docs: http://127.0.0.1:8080/docs',
    'listening on http://127.0.0.1:8080',
  ])
})

it('a later start, or a worker -> the addresses alone', async () => {
  const addresses = ['hub over gRPC on 127.0.0.1:3383', 'listening on http://127.0.0.1:8080']
  expect(await startBanner({ ...started, servesApi: false })).toEqual(addresses)
  await createApiKey(db, { appId: await ensureApp(db, 'an app') })
  expect(await startBanner(started)).toEqual(addresses)
})
