import type { Command } from 'commander'
import { type CommandContext, UsageError } from './context.js'

/** `plaza completion` */
export function addCompletionCommand(command: Command, context: CommandContext): void {
  command.argument('<shell>', 'bash, zsh or fish').action(async (shell: string) => {
    const { completionScript, isShell } = await import('./completion-script.js')
    if (!isShell(shell)) throw new UsageError('the shell must be bash, zsh or fish')
    context.print(completionScript(command.parent!, shell))
  })
}
