import { mergeHooks } from '../../src/app/modules.js'
import { ensureApp } from '../../src/features/apps/apps.js'
import { createSigner } from '../../src/features/signers/signer-record.js'
import { createHub } from '../../src/hub/create-hub.js'
import type { Database } from '../../src/platform/db/connection.js'
import { createVault } from '../../src/platform/vault/vault.js'
import { FarcasterNetwork, SignerEventType } from '../../src/protocol/definitions.js'
import { createVerifyPool } from '../../src/protocol/verify-pool.js'
import type { TestUser } from '../network.js'

/** The environment of servers that a mixed load writes to. */
export const loadEnv = {
  LOG_LEVEL: 'warn',
  PLAZA_DEV_API_KEY: 'a-key-for-the-load',
  PLAZA_SECRET_KEY: 'the-secret-key-of-servers-under-a-mixed-load',
  ALLOW_PRIVATE_TARGETS: 'loopback',
  CRAWL_EMBEDS: 'false',
  SCORE_INTERVAL_HOURS: '0',
  HUB_RATE_LIMIT: '0',
}

/** Registers users, and returns a signer of the first that the main API may use. */
export async function registerLoadUsers(db: Database, users: readonly TestUser[]): Promise<string> {
  const verifyPool = createVerifyPool({ threads: 0 })
  const network = FarcasterNetwork.DEVNET
  const hub = await createHub({ db, verifyPool, network, shards: 1, clock: Date.now, mergeHooks })
  const appId = await ensureApp(db, 'development')
  const vault = createVault([loadEnv.PLAZA_SECRET_KEY])
  const signer = await createSigner({ db, vault }, appId)
  const events = users.flatMap((user) => user.onChain({ units: 1_000 }))
  const approval = users[0]!.signerEvent(SignerEventType.ADD, 1_000, signer.publicKey)
  const refused = (await hub.submitOnChainEvents([...events, approval])).filter((each) => each !== null)
  await hub.close()
  await verifyPool.close()
  if (refused.length > 0) throw refused[0]
  return signer.id
}
