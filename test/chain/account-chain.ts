import { type Account, parseGwei } from 'viem'
import {
  ChainLedger,
  type ChainLedgerOptions,
} from '../../src/features/accounts/ledger/chain/chain-ledger.js'
import {
  registerAuthorization,
  signAuthorization,
} from '../../src/features/accounts/ledger/signed-authorizations.js'
import { newAccount } from '../../src/features/accounts/testing/new-account.js'
import { saveWallet, type Wallet } from '../../src/features/accounts/wallets/wallets.js'
import { ensureApp } from '../../src/features/apps/apps.js'
import { testVault } from '../../src/features/signers/testing/approved-signer.js'
import { ChainRpc } from '../../src/hub/chain/chain-rpc.js'
import { readChainSettings } from '../../src/hub/chain/chain-settings.js'
import type { Hub } from '../../src/hub/hub.js'
import { type EthAccount, newPrivateKey } from '../../src/hub/registry/eth-account.js'
import type { Database } from '../../src/platform/db/connection.js'
import { silentLog } from '../../src/platform/log/log.js'
import { hexOf } from '../../src/protocol/bytes.js'
import type { TestChain } from './test-chain.js'

/** Dependencies of a ledger on a test chain. */
export interface AccountChainParts {
  readonly db: Database
  readonly hub: Pick<Hub, 'submitOnChainEvents'>
  readonly clock: () => number
}

/** Opens a ledger on a test chain; by default its newest block is final. */
export function ledgerOn(
  url: string,
  { db, hub, clock }: AccountChainParts,
  { confirmations = 0, ...options }: Partial<ChainLedgerOptions> & { readonly confirmations?: number } = {},
): ChainLedger {
  const settings = readChainSettings({ rpcUrls: { optimism: url }, confirmations, firstBlock: 0 })
  const rpc = new ChainRpc(settings.chains.get('optimism')!, { log: silentLog, clock })
  return new ChainLedger({
    db,
    rpc,
    contracts: settings.contracts,
    hub,
    vault: testVault,
    maxFee: parseGwei('100'),
    stuckMs: 60_000,
    clock,
    log: silentLog,
    signal: new AbortController().signal,
    ...options,
  })
}

/** Options of a wallet on a test chain. */
export interface ChainWalletOptions {
  /** In wei. */
  readonly balance: bigint
  readonly fidPoolSize?: number
  readonly app?: string
  readonly key?: Buffer
}

/** Creates a wallet with a balance. */
export async function walletOn(
  { client }: TestChain,
  db: Database,
  { balance, fidPoolSize = 1, app = 'test', key = newPrivateKey() }: ChainWalletOptions,
): Promise<Wallet> {
  const wallet = await saveWallet(db, testVault, {
    appId: await ensureApp(db, app),
    network: 'eip155:10',
    privateKey: key,
    fidPoolSize,
    balance: null,
  })
  await client.setBalance({ address: hexOf(wallet.address), value: balance })
  return wallet
}

/** Builds the purchase of a fid for a new account. @param deadline Of its signature, in Unix seconds. */
export async function purchaseOf(wallet: Wallet, purpose: string, deadline = 4_000_000_000) {
  const holder = newAccount()
  const recovery = Buffer.alloc(20)
  const authorization = registerAuthorization({ to: holder.address, recovery, nonce: 0n, deadline })
  const signature = await signAuthorization(authorization, holder)
  const call = {
    kind: 'register' as const,
    holder: { address: holder.address, deadline, signature },
    recovery,
    extraUnits: 0,
  }
  return { walletId: wallet.id, purpose, call }
}

/** Decodes an address. */
export function bytesOf(address: string): Buffer {
  return Buffer.from(address.slice(2), 'hex')
}

/** Returns an account of the chain as a signer. */
export function accountOf(account: Account): EthAccount {
  return { address: bytesOf(account.address), signer: account as EthAccount['signer'] }
}
