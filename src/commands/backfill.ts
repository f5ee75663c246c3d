import type { Command } from 'commander'
import { openCommandUpstreams } from '../open-upstream.js'
import { backfill } from '../upstream/backfill/backfill.js'
import { countFids, forgetFetched, listFids, wantFids } from '../upstream/backfill/fid-list.js'
import { beginFollowing } from '../upstream/follow/start-place.js'
import { upstreamDoor } from '../upstream/upstream-door.js'
import { fids as fidList, wholeNumber } from './arguments.js'
import { type CommandContext, UsageError } from './context.js'
import { printTally, progressOf, stopSignal } from './long-command.js'
import { withHub } from './with-hub.js'

interface Options {
  readonly fids?: number[]
  readonly parallel: number
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
    .option('--restart', 'fetch again also what an earlier run has fetched')
    .action((options: Options) => runBackfill(context, options))
}

async function runBackfill(context: CommandContext, { fids, parallel, restart }: Options): Promise<void> {
  const signal = stopSignal(context)
  await withHub(context, 'backfill', async ({ config, db, hub }) => {
    const { upstreams, trusted } = openCommandUpstreams(config)
    try {
      await upstreams.ask((client) => beginFollowing(db, client, signal), signal)
      if (restart) await forgetFetched(db)
      if (fids !== undefined) await wantFids(db, fids)
      else await listFids(db, upstreams, { signal, onListed: () => {} })
      const { wanted, fetched } = await countFids(db)
      if (fetched > 0) context.print(`fetched before: ${fetched} users`)
      const progress = progressOf(context, {
        label: 'backfill',
        unit: 'messages',
        total: wanted,
        totalUnit: 'users',
      })
      const result = await backfill({
        db,
        upstreams,
        hub: upstreamDoor(hub, { trusted, admitted: true }),
        parallel,
        signal,
        onProgress: (done, items) => progress.update(done, items),
      })
      progress.finish()
      context.print(`users: ${result.fids}`)
      printTally(context, result.tally)
      if (!result.isComplete) throw new UsageError('stopped: run the same command to go on')
    } finally {
      upstreams.close()
    }
  })
}
