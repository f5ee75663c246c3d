import type { Command } from 'commander'
import { recountForServers } from '../features/maintenance/read-model.js'
import { readShardCount } from '../hub/shard-count.js'
import type { Database } from '../platform/db/connection.js'
import { type CommandContext, UsageError } from './context.js'
import { progressOf, stopSignal } from './long-command.js'
import { withDatabase } from './with-database.js'

/** `plaza recount` */
export function addRecountCommand(command: Command, context: CommandContext): void {
  command.action(() => withDatabase(context, 'recount', (db) => runRecount(context, db)))
}

async function runRecount(context: CommandContext, db: Database): Promise<void> {
  const shards = await readShardCount(db)
  if (shards === null) throw new UsageError('there is nothing to count: no server has used this database yet')
  const progress = progressOf(context, { label: 'recount', unit: 'parts', total: 0 })
  const lines = await recountForServers(db, {
    shards,
    signal: stopSignal(context, new UsageError('stopped; repaired rows stay')),
    onChunk: (chunks) => progress.update(chunks, chunks),
  })
  progress.finish()
  for (const line of lines) context.print(line)
}
