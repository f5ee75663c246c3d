import type { Command } from 'commander'
import { roles } from '../platform/process/roles.js'
import type { CommandContext } from './context.js'

interface ServeOptions {
  readonly demo?: boolean
  readonly roles?: string
}

/** `plaza serve`. The server is loaded when the command runs. */
export function addServeCommand(command: Command, context: CommandContext): void {
  command
    .option('--demo', 'first fill an empty devnet with a small generated network')
    .option('--roles <roles>', `roles of this process: ${roles.join(', ')}, separated by commas (ROLES)`)
    .action(async ({ demo = false, roles: given }: ServeOptions) => {
      const { serve } = await import('./serve.js')
      await serve(withRoles(context, given), demo)
    })
}

/** The option overrides the variable. */
function withRoles(context: CommandContext, given: string | undefined): CommandContext {
  return given === undefined ? context : { ...context, env: { ...context.env, ROLES: given } }
}
