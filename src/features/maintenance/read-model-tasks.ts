import { connect, type Database } from '../../platform/db/connection.js'
import { POOL_END_SECONDS } from '../../platform/db/pool-end.js'
import { completed, type MaintenanceTask } from './maintenance-worker.js'
import { REPLAY_CONNECTIONS, recountForServers, replayForServers, replayStepLabels } from './read-model.js'

interface ReadModelOptions {
  readonly databaseUrl: string
  readonly shards: number
}

/**
 * Replay and recount as tasks of a process. Each opens connections of its own, beside `DATABASE_POOL`, as the commands do: a
 * replay would take those of the consumers for hours.
 */
export function readModelTasks({
  databaseUrl,
  shards,
}: ReadModelOptions): Readonly<Record<'replay' | 'recount', MaintenanceTask>> {
  return {
    replay: {
      run: ({ signal, onProgress }) =>
        withPool(databaseUrl, 'plaza replay', REPLAY_CONNECTIONS, (db) =>
          replayForServers(db, {
            shards,
            signal,
            onStep: (step) => onProgress({ step: replayStepLabels[step], done: 0, total: null }),
            onProgress: (done, total) => onProgress({ done, total }),
          }).then(completed),
        ),
    },
    recount: {
      run: ({ signal, onProgress }) =>
        withPool(databaseUrl, 'plaza recount', 1, (db) =>
          recountForServers(db, { shards, signal, onChunk: (done) => onProgress({ done }) }).then(completed),
        ),
    },
  }
}

async function withPool<T>(
  url: string,
  applicationName: string,
  poolSize: number,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const db = connect(url, { poolSize, applicationName })
  return await work(db).finally(() => db.end({ timeout: POOL_END_SECONDS }))
}
