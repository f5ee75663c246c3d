import { afterAll } from 'vitest'
import { mergeHooks } from '../src/app/modules.js'
import { createHub, type HubOptions } from '../src/hub/create-hub.js'
import type { Hub } from '../src/hub/hub.js'
import type { Database } from '../src/platform/db/connection.js'
import { FarcasterNetwork } from '../src/protocol/definitions.js'
import { createVerifyPool } from '../src/protocol/verify-pool.js'
import { testNowUnix } from './network.js'

/** Creates a devnet hub with the merge hooks of all modules. Its clock is that of `network.ts`. */
export async function createTestHub(db: Database, options: Partial<HubOptions> = {}): Promise<Hub> {
  const verifyPool = createVerifyPool({ threads: 0 })
  const hub = await createHub({
    db,
    verifyPool,
    clock: () => testNowUnix * 1000,
    network: FarcasterNetwork.DEVNET,
    shards: 1,
    mergeHooks,
    ...options,
  })
  afterAll(async () => {
    await hub.close()
    await verifyPool.close()
  })
  return hub
}
