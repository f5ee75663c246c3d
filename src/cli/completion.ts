import type { Command } from 'commander'
import { type CommandContext, UsageError } from './context.js'

/** `plaza completion` */
export function addCompletionCommand(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description(
      'print a script that completes commands and options in a shell: eval "$(plaza completion bash)"',
    )
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => {
      const { completionScript, isShell } = await import('./completion-script.js')
      if (!isShell(shell)) throw new UsageError('the shell must be bash, zsh or fish')
      context.print(completionScript(program, shell))
    })
}
