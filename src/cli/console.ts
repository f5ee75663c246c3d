import type { Command } from 'commander'
import { createLogin } from '../features/console/console-sessions.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { serverAddress } from './server-address.js'
import { withDatabase } from './with-database.js'

/** `plaza console login` */
export function addConsoleCommand(command: Command, context: CommandContext): void {
  command
    .command('login')
    .description('print a link that signs one browser in, within an hour')
    .option('--json', 'print JSON')
    .action(({ json = false }: { readonly json?: boolean }) =>
      withDatabase(context, 'console', async (db) => {
        const config = loadConfig(context)
        if (!config.console) throw new UsageError('the console is off: CONSOLE=false')
        const url = consoleLink(serverAddress(config), await createLogin(db))
        context.print(json ? JSON.stringify({ url }) : url)
      }),
    )
}

/** The link that signs in with a code. The code is behind the #, so that neither servers nor logs on its way see it. */
export function consoleLink(url: string, code: string): string {
  return `${url}/console#code=${code}`
}
