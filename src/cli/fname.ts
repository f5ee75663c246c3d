import type { Command } from 'commander'
import type { LocalRegistry } from '../hub/registry/registry.js'
import type { Refusal } from '../platform/errors.js'
import { fid } from './arguments.js'
import type { CommandContext } from './context.js'
import { type RegistryReport, withRegistry } from './registry-command.js'

interface JsonOption {
  readonly json?: boolean
}

/** `plaza fname register|transfer|release` */
export function addFnameCommand(fname: Command, context: CommandContext): void {
  const change = (
    json: boolean | undefined,
    report: RegistryReport,
    apply: (registry: LocalRegistry) => Promise<Refusal | null>,
  ) =>
    withRegistry(context, { command: 'fname', json }, async (registry) => (await apply(registry)) ?? report)
  fname
    .command('register')
    .description(
      'register a free name for a user without one; the profile shows it when the user publishes it',
    )
    .argument('<name>')
    .requiredOption('--fid <fid>', 'new owner', fid)
    .option('--json', 'print JSON')
    .action((name: string, { fid, json }: JsonOption & { readonly fid: number }) =>
      change(json, ownedBy(name, fid), (registry) => registry.registerName(name, fid)),
    )
  fname
    .command('transfer')
    .description('transfer a name to another user')
    .argument('<name>')
    .requiredOption('--to <fid>', 'new owner', fid)
    .option('--json', 'print JSON')
    .action((name: string, { to, json }: JsonOption & { readonly to: number }) =>
      change(json, ownedBy(name, to), (registry) => registry.transferName(name, to)),
    )
  fname
    .command('release')
    .description('release a name')
    .argument('<name>')
    .option('--json', 'print JSON')
    .action((name: string, { json }: JsonOption) =>
      change(json, { json: { name, fid: 0 }, lines: [`"${name}" is free`] }, (registry) =>
        registry.releaseName(name),
      ),
    )
}

function ownedBy(name: string, fid: number): RegistryReport {
  return { json: { name, fid }, lines: [`"${name}" belongs to fid ${fid}`] }
}
