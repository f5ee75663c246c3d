import { type Command, Option } from 'commander'
import { checksumAddress, formatEther, parseEther } from 'viem'
import type { Config } from '../app/config/config.js'
import { openCommandLedger } from '../app/modules/accounts.js'
import { chainSettings } from '../app/modules/chains.js'
import { openVault } from '../app/open-vault.js'
import { LOCAL_NETWORK } from '../features/accounts/ledger/local-ledger.js'
import { listWallets, openPrivateKey, saveWallet, type Wallet } from '../features/accounts/wallets/wallets.js'
import { type ChainName, chainNames, rpcUrlsVariable } from '../hub/chain/chains.js'
import { newPrivateKey } from '../hub/registry/eth-account.js'
import type { Database } from '../platform/db/connection.js'
import { hexOf } from '../protocol/bytes.js'
import { findOrCreateApp, knownApp } from './app.js'
import { wholeNumber } from './arguments.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { readPipedKey } from './piped-key.js'
import { printList } from './table.js'
import { withDatabase } from './with-database.js'

interface WalletOptions {
  readonly app: string
  readonly poolSize?: number
  readonly network?: ChainName
  readonly balance?: bigint
  readonly json?: boolean
}

/** Balance of a new wallet on the local network: enough for ten thousand fids. */
const DEFAULT_BALANCE = parseEther('1')
const DEFAULT_FID_POOL_SIZE = 2
const MAX_FID_POOL_SIZE = 1_000

/** `plaza wallet create|import|list|balance|export` */
export function addWalletCommand(wallet: Command, context: CommandContext): void {
  addWalletOptions(
    wallet.command('create').description('create a wallet and print its id, for the header x-wallet-id'),
  ).action((options: WalletOptions) => storeWallet(context, options, newPrivateKey()))

  addWalletOptions(
    wallet.command('import').description('store a wallet whose private key is piped in, in hex'),
  ).action(async (options: WalletOptions) => storeWallet(context, options, await readPipedKey(context)))

  wallet
    .command('list')
    .description('list wallets: id, address, network and app')
    .option('--app <app>', 'only wallets of this app, by name or id')
    .option('--json', 'print one line of JSON per wallet')
    .action(({ app, json }: { readonly app?: string; readonly json?: boolean }) =>
      withDatabase(context, 'wallet', async (db) => {
        const appId = app === undefined ? undefined : await knownApp(db, app)
        printList(context, await listWallets(db, appId), {
          json,
          toJson: walletJson,
          columns: {
            ID: ({ id }) => id,
            ADDRESS: ({ address }) => checksumAddress(hexOf(address)),
            NETWORK: ({ network }) => network,
            APP: ({ appId: app }) => app,
          },
        })
      }),
    )

  wallet
    .command('balance')
    .description('print the spendable balance of a wallet, in ETH')
    .argument('<id>', 'the wallet')
    .action((id: string) =>
      withDatabase(context, 'wallet', async (db) => {
        const found = await knownWallet(db, id)
        const ledger = openCommandLedger(loadConfig(context), found.network)
        if (ledger === null) throw new UsageError(`this wallet is on ${found.network}, and the server is not`)
        context.print(formatEther(await ledger.available(db, found)))
      }),
    )

  wallet
    .command('export')
    .description('print the private key of a wallet, in hex: who has it can spend all that the wallet holds')
    .argument('<id>', 'the wallet')
    .action((id: string) =>
      withDatabase(context, 'wallet', async (db) => {
        const found = await knownWallet(db, id)
        const vault = await openVault(loadConfig(context))
        context.print(hexOf(await openPrivateKey(db, vault, found.id)))
      }),
    )
}

async function knownWallet(db: Database, id: string): Promise<Wallet> {
  const found = (await listWallets(db)).find((each) => each.id === id.toLowerCase())
  if (found === undefined) throw new UsageError(`there is no wallet ${id}`)
  return found
}

function addWalletOptions(command: Command): Command {
  return command
    .requiredOption('--app <app>', 'the app that owns it, by name or id; an unknown name creates an app')
    .option(
      '--pool-size <count>',
      `how many fids are kept available on its account, where accounts are registered; default: ${DEFAULT_FID_POOL_SIZE}`,
      wholeNumber(0, MAX_FID_POOL_SIZE),
    )
    .addOption(new Option('--shelf <count>').hideHelp().argParser(refuseShelf))
    .addOption(
      new Option(
        '--network <network>',
        'a followed network that it pays on; default: where accounts are registered',
      ).choices(chainNames),
    )
    .option('--balance <ether>', 'its balance, on a network without a chain; default: 1', readEther)
    .option('--json', 'print one line of JSON')
}

function refuseShelf(): never {
  throw new UsageError('--shelf is now --pool-size')
}

async function storeWallet(
  context: CommandContext,
  { app, poolSize, network: chosen, balance, json }: WalletOptions,
  privateKey: Buffer,
): Promise<void> {
  const config = loadConfig(context)
  const registrations = openCommandLedger(config)?.network
  const network = chosen === undefined ? registrations : chainName(config, chosen)
  if (network === undefined)
    throw new UsageError('accounts are registered on a chain: set CHAIN_OPTIMISM_RPC_URLS')
  const isLocal = network === LOCAL_NETWORK
  if (!isLocal && balance !== undefined) {
    throw new UsageError('--balance is for networks without a chain: send ETH to the address of the wallet')
  }
  const hasPool = network === registrations
  if (!hasPool && poolSize !== undefined) {
    throw new UsageError(
      `--pool-size is for wallets where accounts are registered, which is not on ${chosen}`,
    )
  }
  await withDatabase(context, 'wallet', async (db) => {
    const vault = await openVault(config)
    // Together: a wallet that is refused leaves no new app behind.
    const wallet = await db.begin(async (transaction) =>
      saveWallet(transaction, vault, {
        appId: await findOrCreateApp(transaction, app),
        network,
        privateKey,
        fidPoolSize: hasPool ? (poolSize ?? DEFAULT_FID_POOL_SIZE) : 0,
        balance: isLocal ? (balance ?? DEFAULT_BALANCE) : null,
      }),
    )
    context.print(json ? JSON.stringify(walletJson(wallet)) : wallet.id)
  })
}

/** Names a followed chain as wallets do: `eip155:8453`. */
function chainName(config: Config, name: ChainName): string {
  const chain = chainSettings(config).chains.get(name)
  if (chain === undefined) throw new UsageError(`${name} is not followed: set ${rpcUrlsVariable(name)}`)
  return `eip155:${chain.chainId}`
}

function readEther(text: string): bigint {
  if (!/^\d{1,9}(\.\d{1,18})?$/.test(text))
    throw new UsageError('--balance must be an amount in ETH, such as 0.5')
  return parseEther(text)
}

function walletJson({ id, address, network, appId, fidPoolSize, createdAt }: Wallet) {
  return {
    object: 'wallet',
    wallet_id: id,
    address: checksumAddress(hexOf(address)),
    network,
    app_id: appId,
    fid_pool_size: fidPoolSize,
    created_at: createdAt.toISOString(),
  }
}
