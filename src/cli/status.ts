import type { Command } from 'commander'
import type { CommandContext } from './context.js'

/** `plaza status` */
export function addStatusCommand(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description(
      'print whether the server is ready and why not: processes, consumers, queues, sync and sizes; exits with 1 if it is not',
    )
    .option('--json', 'print JSON')
    .action(async (options: { readonly json?: boolean }) => {
      const { printStatus } = await import('./status-report.js')
      await printStatus(context, options)
    })
}
