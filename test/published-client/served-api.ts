import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk'
import { afterAll } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import type { Hub } from '../../src/hub/hub.js'
import { createTestDatabase, type TestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { testNowUnix } from '../network.js'

/** A hub to put values in through, and the published client to get them out with. */
export interface ServedApi extends TestDatabase {
  readonly hub: Hub
  readonly client: NeynarAPIClient
  readonly url: string
  /** The API key that the client has. */
  readonly key: string
}

/** A server on a database of its own that listens, for the file that calls it. It is now what `network.ts` says. */
export async function serveApi(): Promise<ServedApi> {
  const database = await createTestDatabase()
  const { db } = database
  const clock = () => testNowUnix * 1000
  const hub = await createTestHub(db)
  const { app, key } = await createTestApi({ db, hub, clock })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  afterAll(async () => {
    await app.close()
  })
  return { ...database, hub, url, key, client: connectClient(url, key) }
}

/** The published client as it comes, with our address. */
export function connectClient(url: string, apiKey: string): NeynarAPIClient {
  return new NeynarAPIClient(new Configuration({ apiKey, basePath: url }))
}
