import type { Command } from 'commander'
import { rebuildInbox } from '../features/notifications/refresh.js'
import type { Database } from '../platform/db/connection.js'
import { isLockTimeout } from '../platform/db/connection-errors.js'
import { type CommandContext, UsageError } from './context.js'
import { stopSignal } from './long-command.js'
import { withDatabase } from './with-database.js'

/** `plaza inbox` */
export function addInboxCommand(inbox: Command, context: CommandContext): void {
  inbox
    .command('rebuild')
    .description('compare all notifications with the read model and repair them, while the server runs')
    .action(() => withDatabase(context, 'inbox', (db) => runRebuild(context, db)))
}

async function runRebuild(context: CommandContext, db: Database): Promise<void> {
  const signal = stopSignal(context)
  try {
    const { written, removed } = await db.begin((transaction) => rebuildInbox(transaction, signal))
    if (written + removed === 0) context.print('notifications: correct')
    else context.print(`notifications: ${written} written, ${removed} removed`)
  } catch (error) {
    if (isLockTimeout(error)) throw new UsageError('another rebuild is running')
    if (signal.aborted) throw new UsageError('stopped; notifications are unchanged')
    throw error
  }
}
