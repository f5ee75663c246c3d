import { type ReadLine, readLogs } from '../features/processes/logs/log-reader.js'
import { connect } from '../platform/db/connection.js'
import { POOL_END_SECONDS } from '../platform/db/pool-end.js'
import type { FeedLevel } from '../platform/log/log-feed.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { stopSignal } from './long-command.js'
import { requireServerDatabase } from './server-database.js'

/** The options of `plaza logs`. */
export interface LogsOptions {
  readonly follow?: boolean
  readonly lines: number
  readonly level: FeedLevel
  readonly json?: boolean
}

/** Fields that the sentence of a request has already. */
const inSentence: ReadonlySet<string> = new Set(['method', 'route', 'status', 'ms', 'request_id'])

/** Prints recent lines of all processes and, on request, new ones until the command is stopped. */
export async function printLogs(context: CommandContext, options: LogsOptions): Promise<void> {
  const { follow = false, lines, level, json = false } = options
  const config = loadConfig(context)
  const url = await requireServerDatabase(config)
  const signal = follow ? stopSignal(context) : null
  const db = connect(url, { poolSize: 1, applicationName: 'plaza logs' })
  try {
    const processes = await readLogs(
      {
        db,
        lines,
        level,
        onLine: (line) => context.print(json ? JSON.stringify(jsonOf(line)) : textOf(line)),
        onLeftOut: (process, count) =>
          context.progress.write(`${process} wrote ${count} more lines, which are left out\n`),
      },
      signal,
    )
    if (processes === 0 && !follow) throw new UsageError('no process of the server is running')
  } finally {
    await db.end({ timeout: POOL_END_SECONDS })
  }
}

function jsonOf({ atMs, level, message, fields, process }: ReadLine) {
  return { object: 'log_line', at: new Date(atMs).toISOString(), level, message, fields, process }
}

/** Time of day in UTC, level, sentence and fields. */
function textOf({ atMs, level, message, fields }: ReadLine): string {
  const time = new Date(atMs).toISOString().slice(11, 23)
  const shown = Object.entries(fields)
    .filter(([name]) => !inSentence.has(name) || !('route' in fields))
    .map(([name, value]) => `${name}=${value}`)
  return [time, level.padEnd(5), message, ...shown].join(' ').replaceAll(/[\r\n]+/g, ' ')
}
