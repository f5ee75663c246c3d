import type { Command } from 'commander'
import { type BackfillOptions, backfill } from '../hub/sync/backfill/backfill.js'
import { countFids, enqueueFids, queueUncompared, resetFetched } from '../hub/sync/backfill/fid-list.js'
import { initializeCursors } from '../hub/sync/follow/cursors.js'
import { findNeighbors, listSelectedFids } from '../hub/sync/subset/find-selected.js'
import { fids as fidList, wholeNumber } from './arguments.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { printTally, progressOf, reportRetries, stopSignal } from './long-command.js'
import { withHub } from './with-hub.js'

interface Options {
  readonly fids?: number[]
  readonly concurrency: number
  readonly includeNeighbors?: boolean
  readonly restart?: boolean
}

const DEFAULT_CONCURRENCY = 8

/** `plaza backfill` */
export function addBackfillCommand(command: Command, context: CommandContext): void {
  command
    .option('--fids <fids>', 'only these users, separated by commas', fidList)
    .option('--concurrency <count>', 'users read at the same time', wholeNumber(1, 256), DEFAULT_CONCURRENCY)
    .option('--include-neighbors', 'also users whom SYNC_FIDS follow, and users who react or reply to them')
    .option('--restart', 'fetch again also what an earlier run has fetched; with --fids, of these users')
    .action((options: Options) => runBackfill(context, options))
}

async function runBackfill(
  context: CommandContext,
  { fids, concurrency, restart, includeNeighbors }: Options,
): Promise<void> {
  const config = loadConfig(context)
  if (includeNeighbors && config.syncFids === undefined) {
    throw new UsageError('--include-neighbors needs SYNC_FIDS')
  }
  if (includeNeighbors && fids !== undefined) {
    throw new UsageError('--include-neighbors adds users: leave out --fids')
  }
  const { openCommandUpstreams } = await import('../app/modules/sync.js')
  const { upstreams, trusted, subset } = openCommandUpstreams(config, reportRetries(context))
  const signal = stopSignal(context)
  await withHub(context, 'backfill', async ({ db, hub }) => {
    const options = { db, upstreams, hub, trusted, concurrency, signal, fids: fids ?? null }
    const isSubset = subset !== null
    const { hasGap } = await upstreams.request(
      (client) => initializeCursors(db, client, { isSubset, signal }),
      signal,
    )
    if (hasGap)
      context.print(
        'the upstream dropped events before they were merged here: all users are queued for a comparison',
      )
    if (restart) await resetFetched(db, options.fids)
    if (fids !== undefined) await enqueueFids(db, fids)
    else await listSelectedFids(db, upstreams, subset, signal)
    await queueUncompared(db, { fids: options.fids, isSubset })
    await fetchPending(context, options, restart)
    if (fids === undefined && subset !== null && (includeNeighbors || subset.includeNeighbors)) {
      await findNeighbors(db, upstreams, subset.fids, signal)
      await listSelectedFids(db, upstreams, subset, signal)
      await fetchPending(context, options, restart)
    }
  }).finally(() => upstreams.close())
}

async function fetchPending(
  context: CommandContext,
  options: BackfillOptions,
  restart = false,
): Promise<void> {
  const { remaining, fetched } = await countFids(options.db, options.fids)
  const hint = remaining === 0 ? ' (--restart fetches them again)' : ''
  if (fetched > 0) context.print(`fetched before: ${fetched} users${hint}`)
  const progress = progressOf(context, {
    label: 'backfill',
    unit: 'messages',
    total: remaining,
    totalUnit: 'users',
  })
  const onProgress = (users: number, items: number) => progress.update(users, items)
  const { fids, tally, failed, isComplete } = await backfill({ ...options, onProgress })
  progress.finish()
  context.print(`users: ${fids}`)
  printTally(context, tally)
  if (!isComplete)
    throw new UsageError(`stopped: run the same command ${restart ? 'without --restart ' : ''}to go on`)
  if (failed > 0)
    throw new UsageError(`users that the upstream could not list: ${failed}; the next run asks again`)
}
