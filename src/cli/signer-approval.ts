import { type Command, InvalidArgumentError } from 'commander'
import { approveLocally, localAddition, refuseRequest } from '../features/signers/answer-request.js'
import {
  type KeyRequestReference,
  type PresentedKeyRequest,
  readKeyRequest,
  refusalStatement,
  selectablePermissions,
} from '../features/signers/key-request.js'
import type { SignerPermission } from '../features/signers/schema/signer.js'
import { lookupsWithoutChains } from '../hub/chain-claims/chain-lookups.js'
import { ethAccount, signatureBytes } from '../hub/registry/eth-account.js'
import { signKeyAddition } from '../hub/registry/key-addition.js'
import { hexOf } from '../protocol/bytes.js'
import { KEY_TYPE_AUTH } from '../protocol/key-rules.js'
import { fid, hexBytes } from './arguments.js'
import type { CommandContext } from './context.js'
import { withRegistry } from './registry-command.js'

interface AnswerOptions {
  readonly fid: number
  readonly custodyKey: Buffer
  readonly json?: boolean
}

interface ApproveOptions extends AnswerOptions {
  readonly permissions?: readonly SignerPermission[]
}

/** The signature is used immediately. */
const SIGNING_SECONDS = 60

/** `plaza signer approve|refuse`: the approval page in a terminal. */
export function addAnswerCommands(signer: Command, context: CommandContext): void {
  const answer = (name: string, description: string) =>
    signer
      .command(name)
      .description(description)
      .argument('<request>', 'signer_uuid, or URL of the approval page', requestName)
      .requiredOption('--fid <fid>', 'account that answers', fid)
      .requiredOption(
        '--custody-key <private key>',
        'private key of the custody address of the account',
        hexBytes(32, '--custody-key'),
      )
      .option('--json', 'print JSON')

  answer('approve', 'approve the key that an app requests for an account')
    .option(
      '--permissions <list>',
      `granted permissions, separated by commas; default all: ${selectablePermissions.join(', ')}`,
      permissionList,
    )
    .action((name: KeyRequestReference, options: ApproveOptions) => approve(context, name, options))

  answer('refuse', 'refuse the key request of an app permanently').action(
    (name: KeyRequestReference, options: AnswerOptions) => refuse(context, name, options),
  )
}

async function approve(
  context: CommandContext,
  name: KeyRequestReference,
  options: ApproveOptions,
): Promise<void> {
  const { fid, custodyKey, permissions = selectablePermissions, json } = options
  const account = ethAccount(custodyKey)
  await withRegistry(context, { command: 'signer', json }, async (registry, db) => {
    const request = await readKeyRequest(db, name)
    const deadline = Math.floor(Date.now() / 1000) + SIGNING_SECONDS
    const addition = localAddition(request, account.address, deadline)
    await approveLocally({ db, clock: Date.now }, registry, {
      token: request.approvalToken,
      fid,
      deadline,
      signature: await signKeyAddition(addition, account),
      permissions: request.keyType === KEY_TYPE_AUTH ? null : permissions,
    })
    return report(request, fid, 'approved', `acts for fid ${fid}`)
  })
}

async function refuse(
  context: CommandContext,
  name: KeyRequestReference,
  { fid, custodyKey, json }: AnswerOptions,
): Promise<void> {
  const { signer } = ethAccount(custodyKey)
  await withRegistry(context, { command: 'signer', json }, async (_registry, db) => {
    const request = await readKeyRequest(db, name)
    const message = refusalStatement(request, fid)
    const signature = signatureBytes(await signer.signMessage({ message }))
    // The key of an account signs.
    const dependencies = { db, lookups: lookupsWithoutChains, clock: Date.now }
    await refuseRequest(dependencies, { token: request.approvalToken, fid, signature })
    return report(request, fid, 'revoked', 'is refused')
  })
}

function report(request: PresentedKeyRequest, fid: number, status: string, text: string) {
  const key = hexOf(request.publicKey)
  return { json: { key, fid, status }, lines: [`${key} ${text}`] }
}

function requestName(text: string): KeyRequestReference {
  const [, token] = /\/approve\/([\w-]+)\/?$/.exec(text) ?? []
  return token === undefined ? { signerUuid: text } : { token }
}

function permissionList(text: string): SignerPermission[] {
  return text.split(',').map((each) => {
    const found = selectablePermissions.find((permission) => permission === each.trim())
    if (found === undefined) throw new InvalidArgumentError(`There is no permission ${each.trim()}.`)
    return found
  })
}
