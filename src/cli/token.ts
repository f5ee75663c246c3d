import type { Command } from 'commander'
import { chainSettings } from '../app/modules/chains.js'
import { checksummedAddress } from '../features/tokens/present-token.js'
import { backfillProgress, isBackfilled, readTokens, type Token } from '../features/tokens/token.js'
import { trackPool, trackToken, untrackToken } from '../features/tokens/tracked-tokens.js'
import { ChainRpc } from '../hub/chain/chain-rpc.js'
import { type ChainName, chainNames, rpcUrlsVariable } from '../hub/chain/chains.js'
import type { Database } from '../platform/db/connection.js'
import { silentLog } from '../platform/log/log.js'
import { ETH_ADDRESS_BYTES } from '../protocol/bytes.js'
import { hexBytes, wholeNumber } from './arguments.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { printList } from './table.js'
import { withDatabase } from './with-database.js'

interface WatchOptions {
  readonly pool?: string[]
  readonly fromBlock?: number
  readonly logo?: string
  readonly dollar?: boolean
}

const address = hexBytes(ETH_ADDRESS_BYTES, '<address>')
const poolAddress = hexBytes(ETH_ADDRESS_BYTES, '--pool')

/** `plaza token watch|list|unwatch` */
export function addTokenCommand(token: Command, context: CommandContext): void {
  token
    .command('watch')
    .description('track the balances of a token from its first block; repeat it to add pools')
    .argument('<network>', chainNames.join(', '))
    .argument('<address>', 'contract of the token')
    .option('--pool <address...>', 'pools whose swaps are recorded as trades from now on')
    .option('--from-block <number>', 'first block with transfers', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option('--logo <url>', 'picture of the token')
    .option('--dollar', 'the token is worth a dollar and values trades')
    .action((network: string, hex: string, options: WatchOptions) =>
      withDatabase(context, 'token', (db) => watch(context, db, { network, hex, options })),
    )
  token
    .command('list')
    .description('list tracked tokens and the progress of their backfill')
    .option('--json', 'print one JSON object per line')
    .action(({ json }: { readonly json?: boolean }) =>
      withDatabase(context, 'token', (db) => list(context, db, json)),
    )
  token
    .command('unwatch')
    .description('stop tracking a token, delete its balances and end --dollar')
    .argument('<network>', chainNames.join(', '))
    .argument('<address>')
    .action((network: string, hex: string) =>
      withDatabase(context, 'token', async (db) => {
        const dropped = await untrackToken(db, networkOf(network), address(hex))
        if (!dropped) throw new UsageError('this token is not tracked')
        context.print('no longer tracked')
      }),
    )
}

async function watch(
  context: CommandContext,
  db: Database,
  { network, hex, options }: { network: string; hex: string; options: WatchOptions },
): Promise<void> {
  const rpc = rpcOf(context, networkOf(network))
  const tracked = await trackToken(db, rpc, {
    address: address(hex),
    trackedBy: 'operator',
    firstBlock: options.fromBlock,
    logo: options.logo,
    isDollar: options.dollar,
  })
  if ('message' in tracked) throw new UsageError(tracked.message)
  context.print(`${tracked.symbol} on ${tracked.network}: balances are tracked`)
  for (const each of options.pool ?? []) {
    const tokens = await trackPool(db, rpc, poolAddress(each))
    if ('message' in tokens) throw new UsageError(tokens.message)
    context.print(`${tokens.map(({ symbol }) => symbol).join('/')}: swaps are recorded`)
  }
}

async function list(context: CommandContext, db: Database, json: boolean | undefined): Promise<void> {
  printList(context, await readTokens(db, { onlyTracked: true }), {
    json,
    toJson: tokenJson,
    columns: {
      NETWORK: ({ network }) => network,
      ADDRESS: ({ address: bytes }) => checksummedAddress(bytes),
      SYMBOL: ({ symbol }) => symbol,
      DOLLAR: ({ isDollar }) => (isDollar ? 'yes' : 'no'),
      'TRACKED BY': ({ trackedBy }) => trackedBy,
      STATE: (token) => (isBackfilled(token) ? 'ready' : `${Math.floor(backfillProgress(token) * 100)} %`),
    },
  })
}

function tokenJson(token: Token) {
  return {
    object: 'tracked_token',
    network: token.network,
    address: checksummedAddress(token.address),
    symbol: token.symbol,
    is_dollar: token.isDollar,
    tracked_by: token.trackedBy,
    ready: isBackfilled(token),
    backfill_progress: backfillProgress(token),
  }
}

function networkOf(text: string): ChainName {
  const network = chainNames.find((name) => name === text)
  if (network === undefined) throw new UsageError(`the network must be one of ${chainNames.join(', ')}`)
  return network
}

function rpcOf(context: CommandContext, name: ChainName): ChainRpc {
  const chain = chainSettings(loadConfig(context)).chains.get(name)
  if (chain !== undefined) return new ChainRpc(chain, { log: silentLog, clock: Date.now })
  throw new UsageError(`${rpcUrlsVariable(name)} is not set: ${name} is not followed`)
}
