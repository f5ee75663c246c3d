import type { Command } from 'commander'
import { ethAccount, newPrivateKey } from '../hub/registry/eth-account.js'
import { hexOf } from '../protocol/bytes.js'
import { createMessageSigner } from '../protocol/sign.js'
import { fid, hexBytes } from './arguments.js'
import type { CommandContext } from './context.js'
import { withRegistry } from './registry-command.js'
import { addAnswerCommands } from './signer-approval.js'

interface AddOptions {
  readonly fid: number
  readonly key?: Buffer
  readonly appFid?: number
  readonly appKey?: Buffer
  readonly json?: boolean
}

interface RemoveOptions {
  readonly fid: number
  readonly key: Buffer
  readonly json?: boolean
}

/** `plaza signer add|remove|approve|refuse` */
export function addSignerCommand(signer: Command, context: CommandContext): void {
  signer
    .command('add')
    .description('add a signer to a user')
    .requiredOption('--fid <fid>', 'user that it signs for', fid)
    .option(
      '--key <public key>',
      'Ed25519 public key; without it, a key is generated and printed',
      hexBytes(32, '--key'),
    )
    .option('--app-fid <fid>', 'app that requests the key; default: the user', fid)
    .option(
      '--app-key <private key>',
      'custody key of the app, which signs the key request',
      hexBytes(32, '--app-key'),
    )
    .option('--json', 'print JSON')
    .action((options: AddOptions) => addSigner(context, options))

  signer
    .command('remove')
    .description('remove a signer; messages that it signed stay')
    .requiredOption('--fid <fid>', 'user that it signs for', fid)
    .requiredOption('--key <public key>', 'Ed25519 public key', hexBytes(32, '--key'))
    .option('--json', 'print JSON')
    .action((options: RemoveOptions) =>
      withRegistry(context, { command: 'signer', json: options.json }, async (registry) => {
        const { fid, key } = options
        const refusal = await registry.removeSigner(fid, key)
        return (
          refusal ?? {
            json: { fid, key: hexOf(key) },
            lines: [`${hexOf(key)} no longer signs for fid ${fid}`],
          }
        )
      }),
    )

  addAnswerCommands(signer, context)
}

async function addSigner(context: CommandContext, options: AddOptions): Promise<void> {
  const { fid } = options
  const privateKey = options.key === undefined ? newPrivateKey() : null
  const key = privateKey === null ? options.key! : createMessageSigner(privateKey).publicKey
  await withRegistry(context, { command: 'signer', json: options.json }, async (registry) => {
    const refusal = await registry.addSigner(fid, key, {
      ...(options.appFid !== undefined && { requestFid: options.appFid }),
      ...(options.appKey !== undefined && { app: ethAccount(options.appKey) }),
    })
    if (refusal) return refusal
    const secret = privateKey === null ? {} : { privateKey: hexOf(privateKey) }
    return {
      json: { fid, key: hexOf(key), ...secret },
      lines: [
        `${hexOf(key)} signs for fid ${fid}`,
        ...(privateKey === null ? [] : [`private key of it, shown only now: ${hexOf(privateKey)}`]),
      ],
    }
  })
}
