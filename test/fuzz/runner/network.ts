import { mergeHooks } from '../../../src/app/modules.js'
import { completeDemo } from '../../../src/cli/small-demo.js'
import { startOfDay } from '../../../src/demo/options.js'
import { loadOrCreateDemo, runDemo } from '../../../src/demo/run.js'
import { ensureApp } from '../../../src/features/apps/apps.js'
import { createSigner } from '../../../src/features/signers/signer-record.js'
import { createHub } from '../../../src/hub/create-hub.js'
import type { Database } from '../../../src/platform/db/connection.js'
import { createVault } from '../../../src/platform/vault/vault.js'
import { FarcasterNetwork, SignerEventType } from '../../../src/protocol/definitions.js'
import { createVerifyPool } from '../../../src/protocol/verify-pool.js'
import { TestUser, testNowUnix } from '../../network.js'
import type { KnownValues } from '../generator/known-values.js'

/** Small: 5,000 requests take longer than these to merge. */
const DEMO = { users: 24, casts: 240, reactions: 600, follows: 200, seed: 'fuzz' }
const USER_FID = 1_000

/** A user whose messages the run signs. */
export const fuzzUser = new TestUser(USER_FID)

/** Fills an empty database with a demo network, and with a user who has a managed signer. Returns its `signer_uuid`s. */
export async function fillNetwork(db: Database, secretKey: string): Promise<readonly string[]> {
  const verifyPool = createVerifyPool({ threads: 0 })
  const network = FarcasterNetwork.DEVNET
  const hub = await createHub({ db, verifyPool, network, shards: 1, clock: Date.now, mergeHooks })
  try {
    const end = startOfDay(testNowUnix)
    const demo = await loadOrCreateDemo(db, { ...DEMO, end }, testNowUnix)
    if (typeof demo === 'string') throw new Error(demo)
    const { tally } = await runDemo({ db, hub, demo })
    await completeDemo(db, tally)
    const appId = await ensureApp(db, 'development')
    const store = { db, vault: createVault([secretKey]) }
    const [approved, unapproved] = [await createSigner(store, appId), await createSigner(store, appId)]
    const approval = fuzzUser.signerEvent(SignerEventType.ADD, 900_000, approved.publicKey)
    const refused = (await hub.submitOnChainEvents([...fuzzUser.onChain({ units: 100 }), approval])).filter(
      (each) => each !== null,
    )
    if (refused.length > 0) throw new Error(JSON.stringify(refused[0]))
    return [approved.id, unapproved.id]
  } finally {
    await hub.close()
    await verifyPool.close()
  }
}

/** Reads what the network holds, in an order that is the same in every run. */
export async function readKnownValues(
  db: Database,
): Promise<Pick<KnownValues, 'fids' | 'usernames' | 'hashes' | 'addresses' | 'channels' | 'parentUrls'>> {
  const column = async (rows: Promise<readonly { readonly value: string }[]>) =>
    (await rows).map(({ value }) => value)
  const fids = await db<{ value: number }[]>`select fid as value from hub.fids order by fid`
  return {
    fids: fids.map(({ value }) => value),
    usernames: await column(
      db`select username as value from social.users where username is not null order by fid`,
    ),
    hashes: await column(
      db`select '0x' || encode(hash, 'hex') as value from social.casts order by hash limit 200`,
    ),
    addresses: await column(
      db`select '0x' || encode(custody_address, 'hex') as value from hub.fids order by fid`,
    ),
    channels: await column(db`select id as value from channels.channels order by id`),
    parentUrls: await column(
      db`select distinct parent_url as value from social.casts where parent_url is not null order by 1`,
    ),
  }
}
