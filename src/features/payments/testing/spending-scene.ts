import { parseGwei } from 'viem'
import type { TestChain } from '../../../../test/chain/test-chain.js'
import { ChainRpc } from '../../../hub/chain/chain-rpc.js'
import { readChainSettings } from '../../../hub/chain/chain-settings.js'
import { newPrivateKey } from '../../../hub/registry/eth-account.js'
import type { Database } from '../../../platform/db/connection.js'
import { silentLog } from '../../../platform/log/log.js'
import { hexOf } from '../../../protocol/bytes.js'
import { ChainLedger } from '../../accounts/ledger/chain/chain-ledger.js'
import { saveWallet, type Wallet } from '../../accounts/wallets/wallets.js'
import { testVault } from '../../signers/testing/approved-signer.js'

/** A test chain as the network `base`, with a ledger, for operations that spend. The signal ends the waits of its ledger. */
export function spendingContext(
  db: Database,
  chain: Pick<TestChain, 'url'>,
  chainId = 10,
  signal: AbortSignal = new AbortController().signal,
) {
  const settings = readChainSettings({
    rpcUrls: { base: chain.url },
    ids: `base=${chainId}`,
    confirmations: 0,
  })
  const rpc = new ChainRpc(settings.chains.get('base')!, { log: silentLog, clock: Date.now })
  const ledger = new ChainLedger({
    db,
    rpc,
    contracts: settings.contracts,
    hub: { submitOnChainEvents: async () => [] },
    vault: testVault,
    maxFee: parseGwei('100'),
    stuckMs: 60_000,
    clock: Date.now,
    log: silentLog,
    signal,
  })
  return {
    tokenTracking: { rpcs: new Map([['base' as const, rpc]]), maxTrackedTokens: 0 },
    walletLedgers: new Map([['base' as const, ledger]]),
  }
}

/** Creates a wallet of an app, by default on the local network, whose key has a balance on the test chain. */
export async function walletWithEther(
  db: Database,
  { client }: TestChain,
  {
    appId,
    balance,
    network = 'local',
  }: { readonly appId: string; readonly balance: bigint; readonly network?: string },
): Promise<Wallet> {
  const wallet = await saveWallet(db, testVault, {
    appId,
    network,
    privateKey: newPrivateKey(),
    fidPoolSize: 0,
    balance: 0n,
  })
  await client.setBalance({ address: hexOf(wallet.address), value: balance })
  return wallet
}
