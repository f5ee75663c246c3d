import type { Command } from 'commander'
import { openCommandUpstreams } from '../app/modules/sync.js'
import { type BackfillOptions, backfill } from '../hub/sync/backfill/backfill.js'
import { countFids, forgetFetched, wantFids } from '../hub/sync/backfill/fid-list.js'
import { beginFollowing } from '../hub/sync/follow/start-place.js'
import { findNeighbours } from '../hub/sync/subset/find-followed.js'
import { listFollowed } from '../hub/sync/subset/list-followed.js'
import { upstreamDoor } from '../hub/sync/upstream-door.js'
import { fids as fidList, wholeNumber } from './arguments.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { printTally, progressOf, stopSignal, tellWaiting } from './long-command.js'
import { withHub } from './with-hub.js'

interface Options {
  readonly fids?: number[]
  readonly parallel: number
  readonly neighbours?: boolean
  readonly restart?: boolean
}

const PARALLEL = 8

/** `plaza backfill` */
export function addBackfillCommand(program: Command, context: CommandContext): void {
  program
    .command('backfill')
    .description('fetch what the upstream (UPSTREAM_HUB) has; run again, it goes on where it was stopped')
    .option('--fids <fids>', 'only these users, separated by commas', fidList)
    .option('--parallel <count>', 'users that are read at the same time', wholeNumber(1, 256), PARALLEL)
    .option('--neighbours', 'also whom the users of FOLLOW_FIDS follow, and who reacts or replies to them')
    .option('--restart', 'fetch again also what an earlier run has fetched')
    .action((options: Options) => runBackfill(context, options))
}

async function runBackfill(
  context: CommandContext,
  { fids, parallel, restart, neighbours }: Options,
): Promise<void> {
  const config = loadConfig(context)
  if (neighbours && config.followFids === undefined) {
    throw new UsageError('whose neighbours? Set FOLLOW_FIDS')
  }
  const { upstreams, trusted, subset } = openCommandUpstreams(config, tellWaiting(context))
  const signal = stopSignal(context)
  await withHub(context, 'backfill', async ({ db, hub }) => {
    const options = { db, upstreams, hub: upstreamDoor(hub, { trusted, admitted: true }), parallel, signal }
    await upstreams.ask((client) => beginFollowing(db, client, signal), signal)
    if (restart) await forgetFetched(db)
    if (fids !== undefined) await wantFids(db, fids)
    else await listFollowed(db, upstreams, subset, signal)
    await fetchWanted(context, options)
    if (subset !== null && (neighbours || subset.neighbours)) {
      await findNeighbours(db, upstreams, subset.fids, signal)
      await listFollowed(db, upstreams, subset, signal)
      await fetchWanted(context, options)
    }
  }).finally(() => upstreams.close())
}

async function fetchWanted(context: CommandContext, options: BackfillOptions): Promise<void> {
  const { wanted, fetched } = await countFids(options.db)
  if (fetched > 0) context.print(`fetched before: ${fetched} users`)
  const progress = progressOf(context, {
    label: 'backfill',
    unit: 'messages',
    total: wanted,
    totalUnit: 'users',
  })
  const onProgress = (users: number, items: number) => progress.update(users, items)
  const { fids, tally, isComplete } = await backfill({ ...options, onProgress })
  progress.finish()
  context.print(`users: ${fids}`)
  printTally(context, tally)
  if (!isComplete) throw new UsageError('stopped: run the same command to go on')
}
