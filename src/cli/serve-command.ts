import type { Command } from 'commander'
import type { CommandContext } from './context.js'

interface ServeOptions {
  readonly demo?: boolean
  readonly roles?: string
}

/** `plaza serve`. The server is loaded when the command runs. */
export function addServeCommand(command: Command, context: CommandContext): void {
  command
    .option('--demo', 'first fill an empty devnet with a small generated network')
    .option('--roles <roles>', 'roles of this process: api, worker, sync, separated by commas (ROLES)')
    .action(async ({ demo = false, roles }: ServeOptions) => {
      const { serve } = await import('./serve.js')
      await serve(withRoles(context, roles), demo)
    })
}

/** The option overrides the variable. */
function withRoles(context: CommandContext, roles: string | undefined): CommandContext {
  return roles === undefined ? context : { ...context, env: { ...context.env, ROLES: roles } }
}
