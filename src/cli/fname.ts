import type { Command } from 'commander'
import { fid } from './arguments.js'
import type { CommandContext } from './context.js'
import { withRegistry } from './registry-command.js'

interface JsonOption {
  readonly json?: boolean
}

/** `plaza fname register|transfer|release` */
export function addFnameCommand(program: Command, context: CommandContext): void {
  const fname = program.command('fname').description('manage names of users of the devnet')

  fname
    .command('register')
    .description(
      'register a free name for a user without one; the profile shows it when the user publishes it',
    )
    .argument('<name>')
    .requiredOption('--fid <fid>', 'new owner', fid)
    .option('--json', 'print JSON')
    .action((name: string, { fid, json }: JsonOption & { readonly fid: number }) =>
      withRegistry(context, { command: 'fname', json }, async (registry) => {
        const refusal = await registry.registerName(name, fid)
        return refusal ?? { json: { name, fid }, lines: [`"${name}" belongs to fid ${fid}`] }
      }),
    )

  fname
    .command('transfer')
    .description('transfer a name to another user')
    .argument('<name>')
    .requiredOption('--to <fid>', 'new owner', fid)
    .option('--json', 'print JSON')
    .action((name: string, { to, json }: JsonOption & { readonly to: number }) =>
      withRegistry(context, { command: 'fname', json }, async (registry) => {
        const refusal = await registry.transferName(name, to)
        return refusal ?? { json: { name, fid: to }, lines: [`"${name}" belongs to fid ${to}`] }
      }),
    )

  fname
    .command('release')
    .description('release a name')
    .argument('<name>')
    .option('--json', 'print JSON')
    .action((name: string, { json }: JsonOption) =>
      withRegistry(context, { command: 'fname', json }, async (registry) => {
        const refusal = await registry.releaseName(name)
        return refusal ?? { json: { name, fid: 0 }, lines: [`"${name}" is free`] }
      }),
    )
}
