import type { Command } from 'commander'
import { fid, wholeNumber } from './arguments.js'
import type { CommandContext } from './context.js'
import { withRegistry } from './registry-command.js'

/** Limit of the contract for one transaction. */
const MAX_UNITS = 100_000

interface RentOptions {
  readonly fid: number
  readonly units: number
  readonly json?: boolean
}

/** `plaza storage rent` */
export function addStorageCommand(command: Command, context: CommandContext): void {
  command
    .command('rent')
    .description('rent storage for a user for a year')
    .requiredOption('--fid <fid>', 'user', fid)
    .option('--units <number>', 'number of units', wholeNumber(1, MAX_UNITS), 1)
    .option('--json', 'print JSON')
    .action(({ fid, units, json }: RentOptions) =>
      withRegistry(context, { command: 'storage', json }, async (registry) => {
        const refusal = await registry.rentStorage(fid, units)
        return (
          refusal ?? { json: { fid, units }, lines: [`fid ${fid} has rented ${units} more units of storage`] }
        )
      }),
    )
}
