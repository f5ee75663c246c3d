import type { Command } from 'commander'
import { createApp, listApps } from '../apps/apps.js'
import type { CommandContext } from './context.js'
import { UsageError } from './context.js'
import { withDatabase } from './with-database.js'

/** `plaza app create|list` */
export function addAppCommand(program: Command, context: CommandContext): void {
  const app = program.command('app').description('apps that use the API')

  app
    .command('create')
    .description('make an app; `key create` does it by itself')
    .argument('<name>')
    .action((name: string) =>
      withDatabase(context, 'app', async (db) => {
        const id = await createApp(db, name)
        if (id === null) throw new UsageError(`there is an app named ${name} already`)
        context.print(id)
      }),
    )

  app
    .command('list')
    .description('print id, name and number of keys of every app, separated by tabs')
    .action(() =>
      withDatabase(context, 'app', async (db) => {
        for (const { id, name, keys } of await listApps(db)) context.print([id, name, keys].join('\t'))
      }),
    )
}
