import type { Command } from 'commander'
import { openCommandDatabase } from '../platform/db/open-database.js'
import { createLogger } from '../platform/log/logger.js'
import { type CommandContext, loadConfig } from './context.js'

/** `plaza migrate` */
export function addMigrateCommand(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .description('migrate the schema of the database to this version; `serve` does it at the start')
    .action(async () => {
      const config = loadConfig(context)
      const database = await openCommandDatabase(config, 'migrate', createLogger(config.logLevel))
      await database.close()
      context.print('the schema is up to date')
    })
}
