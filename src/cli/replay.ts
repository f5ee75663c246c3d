import type { Command } from 'commander'
import { cacheTag } from '../graph/cache/cache-tags.js'
import { publishInvalidation } from '../graph/cache/invalidation.js'
import { type ReplayStep, replay } from '../graph/project/replay.js'
import { readShardCount } from '../hub/shard-count.js'
import { type CommandContext, UsageError } from './context.js'
import { progressOf } from './long-command.js'
import type { Progress } from './progress.js'
import { withDatabase } from './with-database.js'

/** One for the lock, the snapshot, the writes and the catalog. */
const CONNECTIONS = 4

const stepLabels: Record<ReplayStep, string> = {
  accounts: 'reading accounts and messages',
  indexes: 'building indexes',
  'catching up': 'processing new events',
}

/** `plaza replay` */
export function addReplayCommand(program: Command, context: CommandContext): void {
  program
    .command('replay')
    .description(
      'rebuild the read model (users, casts, reactions, follows) from the hub, while the server runs',
    )
    .action(() => withDatabase(context, 'replay', (db) => runReplay(context, db), CONNECTIONS))
}

async function runReplay(context: CommandContext, db: Parameters<typeof replay>[0]): Promise<void> {
  const shards = await readShardCount(db)
  if (shards === null)
    throw new UsageError('there is nothing to replay: no server has used this database yet')
  const stopping = new AbortController()
  context.onStopSignal(() => stopping.abort(new UsageError('stopped; the read model is unchanged')))
  let progress: Progress | null = null
  await replay(db, {
    shards,
    signal: stopping.signal,
    onStep: (step) => {
      if (step === 'indexes') progress?.finish()
      context.print(stepLabels[step])
    },
    onProgress: (done, total) => {
      progress ??= progressOf(context, { label: 'replay', unit: 'messages', total })
      progress.update(done, done)
    },
    onSwap: (transaction) => publishInvalidation(transaction, [cacheTag.everything, cacheTag.tables]),
  })
  context.print('the read model is rebuilt')
}
