import type { Command } from 'commander'
import { REPLAY_CONNECTIONS, replayForServers, replayStepLabels } from '../features/maintenance/read-model.js'
import { readShardCount } from '../hub/shard-count.js'
import type { Database } from '../platform/db/connection.js'
import { type CommandContext, UsageError } from './context.js'
import { progressOf, stopSignal } from './long-command.js'
import type { Progress } from './progress.js'
import { withDatabase } from './with-database.js'

/** `plaza replay` */
export function addReplayCommand(command: Command, context: CommandContext): void {
  command.action(() => withDatabase(context, 'replay', (db) => runReplay(context, db), REPLAY_CONNECTIONS))
}

async function runReplay(context: CommandContext, db: Database): Promise<void> {
  const shards = await readShardCount(db)
  if (shards === null)
    throw new UsageError('there is nothing to replay: no server has used this database yet')
  let progress: Progress | null = null
  const lines = await replayForServers(db, {
    shards,
    signal: stopSignal(context, new UsageError('stopped; the read model is unchanged')),
    onStep: (step) => {
      if (step === 'indexes') progress?.finish()
      context.print(replayStepLabels[step])
    },
    onProgress: (done, total) => {
      progress ??= progressOf(context, { label: 'replay', unit: 'messages', total })
      progress.update(done, done)
    },
  })
  for (const line of lines) context.print(line)
}
