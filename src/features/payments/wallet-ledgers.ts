import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import type { ChainLedger } from '../accounts/ledger/chain/chain-ledger.js'
import { appWallet } from '../accounts/routes/paying-wallet.js'
import { type Wallet, walletOnNetwork } from '../accounts/wallets/wallets.js'
import type { OperationContext } from '../operation.js'
import { type PaymentChain, paymentRpc } from './payment-chains.js'

/** Milliseconds between two checks of recorded transactions. */
const POLL_MS = 2_000

/** Sends and settles recorded transactions of any process, until the signal. */
export async function startSettling(
  ledgers: readonly ChainLedger[],
  { signal, log }: { readonly signal: AbortSignal; readonly log: Log },
): Promise<void> {
  while (!signal.aborted && ledgers.length > 0) {
    for (const ledger of ledgers) {
      await ledger.settlePending().catch((error: unknown) => {
        log.debug({ err: error, network: ledger.network }, 'transactions were not checked')
      })
    }
    await pause(POLL_MS, signal)
  }
}

/** A wallet of the calling app on a network, and the ledger that spends from it. */
export interface SpendingWallet {
  readonly wallet: Wallet
  readonly ledger: ChainLedger
}

/**
 * Finds the wallet that a request names on the network of a payment. Its key is the same on every network.
 *
 * @throws PlazaError as `appWallet`; `not_configured` for a network that is not followed; `conflict` for a key that
 * another app uses there.
 */
export async function spendingWallet(
  {
    writerDb,
    vault,
    tokenTracking,
    walletLedgers,
  }: Pick<OperationContext, 'writerDb' | 'vault' | 'tokenTracking' | 'walletLedgers'>,
  headers: { readonly 'x-wallet-id'?: string },
  { appId, network }: { readonly appId: string; readonly network: PaymentChain },
): Promise<SpendingWallet> {
  const named = await appWallet({ writerDb }, headers, appId)
  const rpc = paymentRpc(tokenTracking.rpcs, network)
  const ledger = walletLedgers.get(rpc.chain.name)
  if (ledger === undefined) throw new Error(`no ledger for ${rpc.chain.name}`)
  return {
    ledger,
    wallet: await walletOnNetwork(writerDb, vault, { wallet: named, network: ledger.network }),
  }
}
