import type { Command } from 'commander'
import { fid } from './arguments.js'
import type { CommandContext } from './context.js'
import { withRegistry } from './registry-command.js'

interface JsonOption {
  readonly json?: boolean
}

/** `plaza fname register|transfer|release` */
export function addFnameCommand(program: Command, context: CommandContext): void {
  const fname = program.command('fname').description('names of users of the devnet')

  fname
    .command('register')
    .description('give a free name to a user that has none; its profile shows it when the user says so')
    .argument('<name>')
    .requiredOption('--fid <fid>', 'to whom', fid)
    .option('--json', 'print one line of JSON')
    .action((name: string, { fid, json }: JsonOption & { readonly fid: number }) =>
      withRegistry(context, { command: 'fname', json }, async (registry) => {
        const refusal = await registry.registerName(name, fid)
        return refusal ?? { json: { name, fid }, lines: [`"${name}" belongs to fid ${fid}`] }
      }),
    )

  fname
    .command('transfer')
    .description('move a name to another user')
    .argument('<name>')
    .requiredOption('--to <fid>', 'to whom', fid)
    .option('--json', 'print one line of JSON')
    .action((name: string, { to, json }: JsonOption & { readonly to: number }) =>
      withRegistry(context, { command: 'fname', json }, async (registry) => {
        const refusal = await registry.transferName(name, to)
        return refusal ?? { json: { name, fid: to }, lines: [`"${name}" belongs to fid ${to}`] }
      }),
    )

  fname
    .command('release')
    .description('make a name free again')
    .argument('<name>')
    .option('--json', 'print one line of JSON')
    .action((name: string, { json }: JsonOption) =>
      withRegistry(context, { command: 'fname', json }, async (registry) => {
        const refusal = await registry.releaseName(name)
        return refusal ?? { json: { name, fid: 0 }, lines: [`"${name}" is free`] }
      }),
    )
}
