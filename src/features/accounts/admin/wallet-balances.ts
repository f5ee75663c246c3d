import { resultWithin } from '../../../platform/process/pause.js'
import { PromiseCache } from '../../../platform/promise-cache.js'
import { redactedUrls } from '../../../platform/text/redacted-urls.js'
import type { OperationContext } from '../../operation.js'
import type { AccountLedger, Payer } from '../ledger/account-ledger.js'

/** Balance of a wallet in wei, or the reason for which it is unknown. */
export type WalletBalance = { readonly wei: bigint } | { readonly problem: string }

type BalanceContext = Pick<OperationContext, 'writerDb' | 'accounts' | 'walletLedgers' | 'clock'>

/** Longest wait of a page of wallets for its networks. */
const BALANCE_TIMEOUT_MS = 2_000
/** An RPC that does not answer is asked again after this time. */
const CACHE_MS = 10_000
const MAX_CACHED = 1_000

const caches = new WeakMap<OperationContext['writerDb'], PromiseCache<WalletBalance>>()

/** Reads what a wallet can spend: at most 10 seconds old, and within 2 seconds. */
export async function readWalletBalance(
  context: BalanceContext,
  wallet: Payer & { readonly network: string },
): Promise<WalletBalance> {
  const { writerDb, clock } = context
  const cache =
    caches.get(writerDb) ?? new PromiseCache<WalletBalance>({ max: MAX_CACHED, ttlMs: CACHE_MS, clock })
  caches.set(writerDb, cache)
  const reading = cache.read(wallet.id, () => askNetwork(context, wallet))
  return (
    (await resultWithin(BALANCE_TIMEOUT_MS, reading)) ?? {
      problem: `${wallet.network} does not answer in time`,
    }
  )
}

async function askNetwork(context: BalanceContext, wallet: Payer & { readonly network: string }) {
  const ledger = ledgerOf(context, wallet.network)
  if (ledger === null) return { problem: `this server does not follow ${wallet.network}` }
  try {
    return { wei: await ledger.available(context.writerDb, wallet) }
  } catch (error) {
    return {
      problem: `${wallet.network} did not answer: ${redactedUrls(error instanceof Error ? error.message : String(error))}`,
    }
  }
}

function ledgerOf(
  { accounts, walletLedgers }: BalanceContext,
  network: string,
): Pick<AccountLedger, 'available'> | null {
  if (accounts?.ledger.network === network) return accounts.ledger
  return [...walletLedgers.values()].find((each) => each.network === network) ?? null
}
