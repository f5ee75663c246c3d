import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { silentLog } from '../../platform/log/log.js'
import { testVault } from '../signers/testing/approved-signer.js'
import { observeFidPool, observePending } from './accounts.js'
import { FidPool } from './fid-pool/fid-pool.js'
import { LOCAL_NETWORK, LocalLedger } from './ledger/local-ledger.js'
import { acceptDirectRegistration } from './registration/direct-registration.js'
import { fundedWallet } from './testing/funded-wallet.js'

const { db } = await createTestDatabase()
const clock = Date.now
const hub = await createTestHub(db, { clock })

it('gauges count available, held and used fids, and open work', async () => {
  const ledger = new LocalLedger({ db, hub, clock })
  const fidPool = new FidPool({ db, vault: testVault, ledger, clock, log: silentLog })
  const wallet = await fundedWallet(db, { fidPoolSize: 2 })
  await fidPool.take(wallet)
  await fidPool.idle()
  for (const name of ['open', 'finished']) {
    const digest = Buffer.alloc(32)
    const { appId, id: walletId } = wallet
    const id = await acceptDirectRegistration(db, { appId, walletId, name, digest, calls: [] })
    if (name === 'finished')
      await db`update accounts.direct_registrations set finished_at = now() where id = ${id}`
  }
  const registry = new Registry()
  observeFidPool(registry, db, LOCAL_NETWORK)
  observePending(registry, db)
  const lines = (await registry.metrics()).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'plaza_fid_pool_size{state="available"} 2',
      'plaza_fid_pool_size{state="held"} 1',
      'plaza_registrations_pending{kind="transactions"} 0',
      'plaza_registrations_pending{kind="registrations"} 1',
    ]),
  )
})
