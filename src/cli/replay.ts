import type { Command } from 'commander'
import { cacheTag } from '../graph/cache/cache-tags.js'
import { publishInvalidation } from '../graph/cache/invalidation.js'
import { type ReplayStep, replay } from '../graph/project/replay.js'
import { readShardCount } from '../hub/shard-count.js'
import { type CommandContext, UsageError } from './context.js'
import { progressOf } from './long-command.js'
import type { Progress } from './progress.js'
import { withDatabase } from './with-database.js'

/** The lock, the snapshot, and what is written; one more for looking into the catalogue. */
const CONNECTIONS = 4

const stepLabels: Record<ReplayStep, string> = {
  accounts: 'reading accounts and messages',
  indexes: 'building indexes',
  'catching up': 'following what was merged meanwhile',
}

/** `plaza replay` */
export function addReplayCommand(program: Command, context: CommandContext): void {
  program
    .command('replay')
    .description('build users, casts, reactions and follows anew from the hub; the server goes on meanwhile')
    .action(() => withDatabase(context, 'replay', (db) => runReplay(context, db), { poolSize: CONNECTIONS }))
}

async function runReplay(context: CommandContext, db: Parameters<typeof replay>[0]): Promise<void> {
  const shards = await readShardCount(db)
  if (shards === null)
    throw new UsageError('there is nothing to replay: no server has used this database yet')
  const stopping = new AbortController()
  context.onStopSignal(() => stopping.abort(new UsageError('stopped; what is shown is as it was')))
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
    onSwap: (transaction) => publishInvalidation(transaction, [cacheTag.everything]),
  })
  context.print('the read model is new')
}
