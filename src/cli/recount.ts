import type { Command } from 'commander'
import { cacheTag } from '../graph/cache/cache-tags.js'
import { publishInvalidation } from '../graph/cache/invalidation.js'
import { recount } from '../graph/project/recount.js'
import { readShardCount } from '../hub/shard-count.js'
import { type CommandContext, UsageError } from './context.js'
import { progressOf } from './long-command.js'
import { withDatabase } from './with-database.js'

/** `plaza recount` */
export function addRecountCommand(program: Command, context: CommandContext): void {
  program
    .command('recount')
    .description('check threads and counters against the stored rows and repair them, while the server runs')
    .action(() => withDatabase(context, 'recount', (db) => runRecount(context, db)))
}

async function runRecount(context: CommandContext, db: Parameters<typeof recount>[0]): Promise<void> {
  const shards = await readShardCount(db)
  if (shards === null) throw new UsageError('there is nothing to count: no server has used this database yet')
  const stopping = new AbortController()
  context.onStopSignal(() => stopping.abort(new UsageError('stopped; repaired rows stay')))
  const progress = progressOf(context, { label: 'recount', unit: 'parts', total: 0 })
  const reports = await recount(db, {
    shards,
    signal: stopping.signal,
    onChunk: (chunks) => progress.update(chunks, chunks),
    onRepaired: (transaction) => publishInvalidation(transaction, [cacheTag.everything, cacheTag.tables]),
  })
  progress.finish()
  for (const { name, wrong } of reports) {
    context.print(wrong === 0 ? `${name}: correct` : `${name}: ${wrong} wrong, repaired`)
  }
}
