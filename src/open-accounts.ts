import { randomUUID } from 'node:crypto'
import { FarcasterNetwork } from '@farcaster/core'
import { AccountWorker } from './accounts/account-worker.js'
import { type Accounts, createAccounts } from './accounts/accounts.js'
import type { AccountLedger } from './accounts/ledger/account-ledger.js'
import { LOCAL_NETWORK, LocalLedger, localBalance } from './accounts/ledger/local-ledger.js'
import { accountDetails } from './api/operations/account/account-details.js'
import type { Config } from './config.js'
import { connect, type Database } from './db/connection.js'
import type { Hub } from './hub/hub.js'
import type { Log } from './lib/log.js'
import { networks } from './open-hub.js'
import { openVault } from './open-vault.js'

/** Accounts that wallets pay for, as the server registers them. */
export interface OpenAccounts {
  /** Null where neither a chain nor the local network is there for it. */
  readonly accounts: Accounts | null
  /** Ends what is under way; what is left is gone on with at the next start, or by another process. */
  close(): Promise<void>
}

/** What accounts stand on. */
export interface AccountParts {
  readonly url: string
  readonly hub: Hub
  readonly log: Log
}

/** A purchase under way beside the lock of the registry, callers who wait, and what looks after all. */
const POOL_SIZE = 5
const POOL_END_SECONDS = 5

/** Starts to look after accounts, on connections of its own. */
export async function openAccounts(config: Config, { url, hub, log }: AccountParts): Promise<OpenAccounts> {
  const db = connect(url, { poolSize: POOL_SIZE, applicationName: 'plaza accounts' })
  const end = () => db.end({ timeout: POOL_END_SECONDS })
  const ledger = openLedger(config, { db, hub })
  if (ledger === null) return { accounts: null, close: end }
  const clock = Date.now
  const worker = randomUUID()
  const vault = await openVault(config)
  const network = networks[config.hubNetwork]
  const accounts = createAccounts({
    db,
    vault,
    ledger,
    details: accountDetails({ writerDb: db, hub, vault, network, clock }),
    worker,
    clock,
    log,
    onTaken: () => looking.wake(),
  })
  const own = connect(url, { poolSize: 1, applicationName: 'plaza accounts, alive' })
  const looking = new AccountWorker({ db, own, accounts, worker, clock, log })
  await looking.start()
  return {
    accounts,
    async close() {
      await looking.stop()
      await Promise.all([end(), own.end({ timeout: POOL_END_SECONDS })])
    },
  }
}

/** What commands ask of the place where accounts are registered; null where there is no such place. */
export function openCommandLedger(config: Config): Pick<AccountLedger, 'network' | 'available'> | null {
  if (networks[config.hubNetwork] !== FarcasterNetwork.DEVNET) return null
  return { network: LOCAL_NETWORK, available: localBalance }
}

/** Where accounts are registered; null where there is no such place. */
function openLedger(
  config: Config,
  { db, hub }: { readonly db: Database; readonly hub: Hub },
): AccountLedger | null {
  if (networks[config.hubNetwork] !== FarcasterNetwork.DEVNET) return null
  return new LocalLedger({ db, hub, clock: Date.now })
}
