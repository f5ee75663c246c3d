import type { Command } from 'commander'
import type { CommandContext } from './context.js'

/** `plaza status` */
export function addStatusCommand(command: Command, context: CommandContext): void {
  command.option('--json', 'print JSON').action(async (options: { readonly json?: boolean }) => {
    const { printStatus } = await import('./status-report.js')
    await printStatus(context, options)
  })
}
