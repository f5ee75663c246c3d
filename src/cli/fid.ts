import type { Command } from 'commander'
import { checksumAddress } from 'viem'
import { ethAccount, newPrivateKey } from '../hub/registry/eth-account.js'
import { isRefusal } from '../platform/errors.js'
import { hexOf } from '../protocol/bytes.js'
import { hexBytes } from './arguments.js'
import type { CommandContext } from './context.js'
import { withRegistry } from './registry-command.js'

interface CreateOptions {
  readonly custody?: Buffer
  readonly json?: boolean
}

/** `plaza fid create` */
export function addFidCommand(command: Command, context: CommandContext): void {
  command
    .command('create')
    .description('register the next fid, with one unit of storage')
    .option(
      '--custody <address>',
      'custody address; without it, a key is generated and printed',
      hexBytes(20, '--custody'),
    )
    .option('--json', 'print JSON')
    .action(({ custody, json }: CreateOptions) => createFid(context, custody, json))
}

async function createFid(context: CommandContext, given: Buffer | undefined, json?: boolean): Promise<void> {
  const privateKey = given === undefined ? newPrivateKey() : null
  const custody = privateKey === null ? given! : ethAccount(privateKey).address
  const address = checksumAddress(hexOf(custody))
  await withRegistry(context, { command: 'fid', json }, async (registry) => {
    const result = await registry.createFid(custody)
    if (isRefusal(result)) return result
    const key = privateKey === null ? {} : { custodyPrivateKey: hexOf(privateKey) }
    return {
      json: { fid: result.fid, custody: address, ...key },
      lines: [
        `fid ${result.fid}, owned by ${address}`,
        ...(privateKey === null ? [] : [`private key of that address, shown only now: ${hexOf(privateKey)}`]),
        `next: plaza signer add --fid ${result.fid}`,
      ],
    }
  })
}
