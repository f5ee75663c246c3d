import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { silentLog } from '../../platform/log/log.js'
import { testVault } from '../signers/testing/approved-signer.js'
import { observeAccounts } from './accounts.js'
import { FidPool } from './fid-pool/fid-pool.js'
import { LOCAL_NETWORK, LocalLedger } from './ledger/local-ledger.js'
import { fundedWallet } from './testing/funded-wallet.js'

const { db } = await createTestDatabase()
const clock = Date.now
const hub = await createTestHub(db, { clock })

it('observeAccounts: counts available, held and used fids, and open work', async () => {
  const ledger = new LocalLedger({ db, hub, clock })
  const fidPool = new FidPool({ db, vault: testVault, ledger, clock, log: silentLog })
  await fidPool.take(await fundedWallet(db, { fidPoolSize: 2 }))
  await fidPool.idle()
  const registry = new Registry()
  observeAccounts(registry, db, LOCAL_NETWORK)
  const lines = (await registry.metrics()).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'plaza_fid_pool_size{state="available"} 2',
      'plaza_fid_pool_size{state="held"} 1',
      'plaza_registrations_pending{kind="transactions"} 0',
      'plaza_registrations_pending{kind="registrations"} 0',
    ]),
  )
})
