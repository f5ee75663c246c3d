import type { Command } from 'commander'
import type { LocalRegistry } from '../hub/registry/registry.js'
import type { Refusal } from '../platform/errors.js'
import { fid } from './arguments.js'
import type { CommandContext } from './context.js'
import { withRegistry } from './registry-command.js'

interface Options {
  readonly fid?: number
  readonly to?: number
  readonly json?: boolean
}

/** `plaza fname register|transfer|release` */
export function addFnameCommand(fname: Command, context: CommandContext): void {
  const add = (
    verb: string,
    description: string,
    change: (registry: LocalRegistry, name: string, owner: number) => Promise<Refusal | null>,
    ownerFlag?: '--fid <fid>' | '--to <fid>',
  ) => {
    const command = fname.command(verb).description(description).argument('<name>')
    if (ownerFlag) command.requiredOption(ownerFlag, 'new owner', fid)
    command.option('--json', 'print JSON').action((name: string, { fid, to, json }: Options) =>
      withRegistry(context, { command: 'fname', json }, async (registry) => {
        const owner = fid ?? to ?? 0
        const line = owner === 0 ? `"${name}" is free` : `"${name}" belongs to fid ${owner}`
        return (await change(registry, name, owner)) ?? { json: { name, fid: owner }, lines: [line] }
      }),
    )
  }
  add(
    'register',
    'register a free name for a user without one; the profile shows it when the user publishes it',
    (registry, name, owner) => registry.registerName(name, owner),
    '--fid <fid>',
  )
  add(
    'transfer',
    'transfer a name to another user',
    (registry, name, owner) => registry.transferName(name, owner),
    '--to <fid>',
  )
  add('release', 'release a name', (registry, name) => registry.releaseName(name))
}
