// The real server with a merge hook that keeps, in the merge's own transaction, every event that it saw.

import { startServer } from '../../dist/app/compose.js'
import { loadConfig } from '../../dist/cli/context.js'
import { createLogger } from '../../dist/platform/log/logger.js'

const print = (line) => process.stdout.write(`${line}\n`)
const config = loadConfig({ env: process.env, print, onStopSignal: () => {} })

async function keepWhatItSees(db, events) {
  await db`
    insert into hook_seen (shard, id)
    select ${events[0].shard}, unnest(${events.map((event) => event.id)}::bigint[])
  `
}

async function prepare(db) {
  await db`create table if not exists hook_seen (shard smallint not null, id bigint not null)`
}

const { urls, stop } = await startServer(config, createLogger(config.logLevel), {
  prepare,
  mergeHooks: [keepWhatItSees],
})
process.on('SIGTERM', () => stop().then(() => process.exit(0)))
print(`listening on ${urls.main}`)
