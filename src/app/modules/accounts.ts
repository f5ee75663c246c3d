import { randomUUID } from 'node:crypto'
import { FarcasterNetwork } from '@farcaster/core'
import type { Registry } from 'prom-client'
import { parseGwei } from 'viem'
import { observeAccounts } from '../../features/accounts/account-metrics.js'
import { AccountWorker } from '../../features/accounts/account-worker.js'
import { type Accounts, createAccounts } from '../../features/accounts/accounts.js'
import type { AccountLedger } from '../../features/accounts/ledger/account-ledger.js'
import { ChainBalances } from '../../features/accounts/ledger/chain/chain-balances.js'
import { ChainLedger } from '../../features/accounts/ledger/chain/chain-ledger.js'
import { WalletRpc } from '../../features/accounts/ledger/chain/wallet-rpc.js'
import { LOCAL_NETWORK, LocalLedger, localBalance } from '../../features/accounts/ledger/local-ledger.js'
import { accountDetails } from '../../features/accounts/routes/account-details.js'
import { ChainRpc } from '../../hub/chain/chain-rpc.js'
import type { Hub } from '../../hub/hub.js'
import { connect, type Database } from '../../platform/db/connection.js'
import { type Log, silentLog } from '../../platform/log/log.js'
import type { Vault } from '../../platform/vault/vault.js'
import type { Config } from '../config/config.js'
import { chainSettings, type OpenChain } from './chain.js'
import { networks } from './hub.js'
import { openVault } from './vault.js'

/** Accounts that wallets pay for, as the server registers them. */
export interface OpenAccounts {
  /** Null where neither a chain nor the local network is there for it. */
  readonly accounts: Accounts | null
  /** Ends what is under way; what is left is gone on with at the next start, or by another process. */
  close(): Promise<void>
}

/** What accounts stand on. */
export interface AccountServices {
  readonly url: string
  readonly hub: Hub
  readonly chain: Pick<OpenChain, 'settings' | 'rpcs'> | null
  /** Of the metrics. */
  readonly registry: Registry
  readonly log: Log
}

interface LedgerServices extends Omit<AccountServices, 'url' | 'registry'> {
  readonly db: Database
  readonly vault: Vault
  readonly signal: AbortSignal
}

/** A purchase under way beside the lock of the registry, callers who wait, and what looks after all. */
const POOL_SIZE = 5
const POOL_END_SECONDS = 5

/** What users sign names this chain, whatever the network is called (docs/protocol.md §5.3). */
const AUTHORIZATION_CHAIN_ID = 10
/** A block takes two seconds: a transaction that fifteen have left out offers too little. */
const STUCK_AFTER_MS = 30_000

/** Starts to look after accounts, on connections of its own. */
export async function openAccounts(
  config: Config,
  { url, hub, chain, registry, log }: AccountServices,
): Promise<OpenAccounts> {
  const db = connect(url, { poolSize: POOL_SIZE, applicationName: 'plaza accounts' })
  const end = () => db.end({ timeout: POOL_END_SECONDS })
  const vault = await openVault(config)
  const abortController = new AbortController()
  const ledger = openLedger(config, { db, hub, vault, chain, log, signal: abortController.signal })
  if (ledger === null) return { accounts: null, close: end }
  observeAccounts(registry, db, ledger.network)
  const clock = Date.now
  const worker = randomUUID()
  const network = networks[config.hubNetwork]
  const accounts = createAccounts({
    db,
    vault,
    ledger,
    services: accountDetails({ writerDb: db, hub, vault, network, clock }),
    worker,
    clock,
    log,
    onTaken: () => accountWorker.wakeUp(),
  })
  const lockDb = connect(url, { poolSize: 1, applicationName: 'plaza accounts, alive' })
  const accountWorker = new AccountWorker({ db, lockDb, accounts, worker, clock, log })
  await accountWorker.start()
  return {
    accounts,
    async close() {
      abortController.abort()
      await accountWorker.stop()
      await Promise.all([end(), lockDb.end({ timeout: POOL_END_SECONDS })])
    },
  }
}

/** What commands ask of the place where accounts are registered; null where there is no such place. */
export function openCommandLedger(config: Config): Pick<AccountLedger, 'network' | 'available'> | null {
  const settings = chainSettings(config)
  const network = settings.networks.get(settings.contracts.idGateway.network)
  if (network !== undefined) {
    return new ChainBalances(
      new WalletRpc(new ChainRpc(network, { log: silentLog, clock: Date.now })),
      network,
    )
  }
  if (networks[config.hubNetwork] !== FarcasterNetwork.DEVNET) return null
  return { network: LOCAL_NETWORK, available: localBalance }
}

/** Where accounts are registered: on the chain of the registries, else on the local network of a devnet, else nowhere. */
function openLedger(
  config: Config,
  { db, hub, vault, chain, log, signal }: LedgerServices,
): AccountLedger | null {
  const rpc = chain?.rpcs.get(chain.settings.contracts.idGateway.network)
  if (chain && rpc) {
    if (rpc.network.chainId !== AUTHORIZATION_CHAIN_ID) {
      log.warn(
        { chainId: rpc.network.chainId },
        'no accounts are registered on this chain: users sign for another one',
      )
      return null
    }
    if (rpc.network.rpcUrls.length === 1) {
      log.warn(
        { network: rpc.network.name },
        'what wallets have paid for is believed of a single RPC URL: add a second one that somebody else runs',
      )
    }
    return new ChainLedger({
      db,
      rpc,
      contracts: chain.settings.contracts,
      hub,
      vault,
      maxFee: parseGwei(String(config.chainMaxFeeGwei)),
      stuckMs: STUCK_AFTER_MS,
      clock: Date.now,
      log,
      signal,
    })
  }
  if (networks[config.hubNetwork] !== FarcasterNetwork.DEVNET) return null
  return new LocalLedger({ db, hub, clock: Date.now })
}
