import { randomUUID } from 'node:crypto'
import { parseGwei } from 'viem'
import { AccountWorker } from '../../features/accounts/account-worker.js'
import { createAccounts, observeFidPool, observePending } from '../../features/accounts/accounts.js'
import type { AccountLedger } from '../../features/accounts/ledger/account-ledger.js'
import { spendableAmount } from '../../features/accounts/ledger/chain/attempts.js'
import {
  ChainLedger,
  networkOf,
  type WalletLedgers,
} from '../../features/accounts/ledger/chain/chain-ledger.js'
import { WalletRpc } from '../../features/accounts/ledger/chain/wallet-rpc.js'
import { LOCAL_NETWORK, LocalLedger, localBalance } from '../../features/accounts/ledger/local-ledger.js'
import { accountDetails } from '../../features/accounts/registration/account-details.js'
import { startSettling } from '../../features/payments/wallet-ledgers.js'
import { ChainRpc } from '../../hub/chain/chain-rpc.js'
import type { ChainName } from '../../hub/chain/chains.js'
import { silentLog } from '../../platform/log/log.js'
import { hexOf } from '../../protocol/bytes.js'
import { FarcasterNetwork } from '../../protocol/definitions.js'
import type { Config } from '../config/config.js'
import { farcasterNetworks } from '../farcaster-networks.js'
import type { Module, ServerApp } from '../module.js'
import { chainSettings } from './chains.js'

/** Chain id in the signed data of users, whatever the network is called (docs/protocol.md §5.3). */
const AUTHORIZATION_CHAIN_ID = 10
/** A block takes two seconds: a transaction that fifteen have left out offers too little. */
const STUCK_AFTER_MS = 30_000

/**
 * Accounts that wallets of apps pay for. The process that accepts a registration completes it; any other goes on with
 * what a process that died has left.
 */
export const accountsModule: Module = {
  name: 'accounts',
  runsIn: ['api', 'worker'],
  async start(app) {
    const { config, connections, hub, vault, metrics, log, clock } = app
    const db = connections.work
    const closing = new AbortController()
    const walletLedgers = openWalletLedgers(app, closing.signal)
    const ledger = openLedger(app, walletLedgers)
    const settle = () =>
      startSettling(
        [...walletLedgers.values()].filter((each) => each !== ledger),
        { signal: closing.signal, log },
      )
    if (ledger !== null || walletLedgers.size > 0) observePending(metrics.registry, connections.read)
    if (ledger === null) {
      const settling = settle()
      return {
        services: { accounts: null, walletLedgers },
        async stop() {
          closing.abort()
          await settling
        },
      }
    }
    observeFidPool(metrics.registry, connections.read, ledger.network)
    const worker = randomUUID()
    const network = farcasterNetworks[config.hubNetwork]
    const accounts = createAccounts({
      db,
      vault,
      ledger,
      services: accountDetails({ writerDb: connections.write, hub, vault, network, clock }),
      worker,
      clock,
      log,
      onTaken: () => accountWorker.wakeUp(),
    })
    const accountWorker = new AccountWorker({ db, lockDb: connections.locks, accounts, worker, log })
    await accountWorker.start()
    // Last: a start that fails is stopped by nobody, and would leave this on connections that are ended.
    const settling = settle()
    return {
      services: { accounts, walletLedgers },
      async stop() {
        closing.abort()
        await Promise.all([accountWorker.stop(), settling])
      },
    }
  },
}

/**
 * Opens the ledger of a network for commands: of the one where accounts are registered, or of the followed one with this name in
 * `accounts.wallets`, such as `eip155:8453`. Null where there is no such network.
 */
export function openCommandLedger(
  config: Config,
  name?: string,
): Pick<AccountLedger, 'network' | 'available'> | null {
  const settings = chainSettings(config)
  const chain =
    name === undefined
      ? settings.chains.get(settings.contracts.idGateway.chain)
      : [...settings.chains.values()].find(({ chainId }) => name === `eip155:${chainId}`)
  if (chain !== undefined) {
    const rpc = new ChainRpc(chain, { log: silentLog, clock: Date.now })
    const walletRpc = new WalletRpc(rpc)
    return {
      network: networkOf(rpc),
      available: async (db, { id, address }) =>
        await spendableAmount(db, id, await walletRpc.balance(hexOf(address))),
    }
  }
  if (name !== undefined && name !== LOCAL_NETWORK) return null
  if (farcasterNetworks[config.hubNetwork] !== FarcasterNetwork.DEVNET) return null
  return { network: LOCAL_NETWORK, available: localBalance }
}

/** Where accounts are registered: on the chain of the registries, else on the local network of a devnet, else nowhere. */
function openLedger(app: ServerApp, walletLedgers: WalletLedgers): AccountLedger | null {
  const { config, connections, hub, log, clock } = app
  const chains = app.service('chains')
  const chain = chains?.settings.contracts.idGateway.chain
  const rpc = chain && chains?.rpcs.get(chain)
  if (chain && rpc) {
    if (rpc.chain.chainId !== AUTHORIZATION_CHAIN_ID) {
      log.warn(
        { chainId: rpc.chain.chainId },
        'no accounts are registered on this chain: users sign for another one',
      )
      return null
    }
    if (rpc.chain.rpcUrls.length === 1) {
      log.warn(
        { network: rpc.chain.name },
        'a single RPC URL decides what wallets have paid for: add a second one that somebody else runs',
      )
    }
    return walletLedgers.get(chain) ?? null
  }
  if (farcasterNetworks[config.hubNetwork] !== FarcasterNetwork.DEVNET) return null
  return new LocalLedger({ db: connections.work, hub, clock })
}

/** The ledgers of all chains that are set up: wallets of apps spend on each. */
function openWalletLedgers(app: ServerApp, signal: AbortSignal): WalletLedgers {
  const { config, connections, hub, vault, log, clock } = app
  const chains = app.service('chains')
  const ledgers = new Map<ChainName, ChainLedger>()
  for (const [name, rpc] of chains?.rpcs ?? []) {
    const ledger = new ChainLedger({
      db: connections.work,
      rpc,
      contracts: chains!.settings.contracts,
      hub,
      vault,
      maxFee: parseGwei(String(config.chainMaxFeeGwei)),
      stuckMs: STUCK_AFTER_MS,
      clock,
      log,
      signal,
    })
    ledgers.set(name, ledger)
  }
  return ledgers
}
