import { type Static, Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { ethAddressParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import { compileBody } from '../../../api/parse-body.js'
import { textEnum } from '../../../graph/view/schema/primitives.js'
import {
  MAX_SIGNATURE_LENGTH,
  readAccountSignature,
  readWalletSignature,
} from '../../../hub/registry/account-signature.js'
import {
  KEY_CHAIN_ID,
  keyAdditionForWallet,
  keyAdditionTransaction,
} from '../../../hub/registry/key-addition.js'
import type { LocalRegistry } from '../../../hub/registry/registry.js'
import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { FarcasterNetwork } from '../../../protocol/definitions.js'
import { KEY_TYPE_AUTH } from '../../../protocol/key-rules.js'
import {
  type AnswerDependencies,
  approveLocally,
  limitRequestPermissions,
  localAddition,
  refuseRequest,
} from '../answer-request.js'
import {
  accountOfAddress,
  addedKeyOf,
  closedReason,
  type PresentedKeyRequest,
  permissionsStatement,
  readKeyRequest,
  refusalStatement,
  selectablePermissions,
  storedPermissions,
} from '../key-request.js'

/** Dependencies of the approval page's actions. */
export interface AnswerContext extends AnswerDependencies {
  /** Used for reads: the write pool is small, and waiting pages poll. */
  readonly readDb: Database
  /** FarcasterNetwork of the protocol. */
  readonly network: number
  readonly registry: LocalRegistry
}

/** Handles one action of the page and returns the JSON answer. */
export type AnswerHandler = (context: AnswerContext, token: string, body: unknown) => Promise<object>

/** Seconds that a user has to sign: half of the accepted hour. */
const SIGNING_SECONDS = 30 * 60

const fid = fidParameter({ description: 'The account that answers.' })
const signature = textParameter({ maxLength: MAX_SIGNATURE_LENGTH, description: 'By its custody address.' })
const permissions = Type.Union([
  Type.Array(textEnum(selectablePermissions), { uniqueItems: true, maxItems: selectablePermissions.length }),
  Type.Null(),
])

const AccountBody = Type.Object({
  address: ethAddressParameter({ description: 'The account of the wallet.' }),
  permissions,
})
const ApprovalBody = Type.Object({
  fid,
  signature,
  permissions,
  deadline: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})
const ChoiceBody = Type.Object({ fid, signature, permissions })
const RefusalBody = Type.Object({ fid, signature })

/** Action handlers by the last segment of their path. */
export const answers: Readonly<Record<string, AnswerHandler>> = {
  account: answerWith(AccountBody, describeAccount),

  approval: answerWith(ApprovalBody, async (context, token, body) => {
    if (!isLocal(context))
      throw new PlazaError('conflict', 'on this network, a transaction approves the request')
    checkPermissions(await readKeyRequest(context.db, { token }), body.permissions)
    const signature = readAccountSignature(body.signature)
    await approveLocally(context, context.registry, { ...body, token, signature })
    return {}
  }),

  choice: answerWith(ChoiceBody, async (context, token, body) => {
    checkPermissions(await readKeyRequest(context.db, { token }), body.permissions)
    const signature = readWalletSignature(body.signature)
    await limitRequestPermissions(context, { ...body, token, permissions: body.permissions ?? [], signature })
    return {}
  }),

  refusal: answerWith(RefusalBody, async (context, token, body) => {
    await refuseRequest(context, { ...body, token, signature: readWalletSignature(body.signature) })
    return {}
  }),
}

/** Whether this network approves requests by a signature alone. */
export function isLocal({ network }: { readonly network: number }): boolean {
  return network === FarcasterNetwork.DEVNET
}

/** Returns the state of a request, for a page that polls. */
export async function readStatus({ readDb }: AnswerContext, token: string): Promise<object> {
  const { status, fid, redirectUrl } = await readKeyRequest(readDb, { token })
  return { status, fid, redirect_url: redirectUrl }
}

/** Returns the account of an address and the data that it would sign or send. */
async function describeAccount(
  context: AnswerContext,
  token: string,
  { address, permissions: chosen }: Static<typeof AccountBody>,
): Promise<object> {
  const request = await readKeyRequest(context.readDb, { token })
  checkPermissions(request, chosen)
  const owner = bytesOfHex(address)
  const account = await accountOfAddress(context.readDb, owner)
  if (account === null) {
    throw new PlazaError('not_found', `no account belongs to ${address}: choose the wallet of your account`)
  }
  const deadline = Math.floor(context.clock() / 1000) + SIGNING_SECONDS
  const name = account.username === null ? `fid ${account.fid}` : `@${account.username}, fid ${account.fid}`
  return {
    fid: account.fid,
    name,
    chain_id: `0x${KEY_CHAIN_ID.toString(16)}`,
    refusal: refusalStatement(request, account.fid),
    approval: isLocal(context)
      ? { kind: 'sign', deadline, typed_data: keyAdditionForWallet(localAddition(request, owner, deadline)) }
      : await sendingOf(context, request, account.fid, chosen),
  }
}

/** Builds the transaction to send. A restriction of permissions needs a separate signature. */
async function sendingOf(
  { readDb, clock }: AnswerContext,
  request: PresentedKeyRequest,
  fid: number,
  chosen: Static<typeof permissions>,
): Promise<object> {
  // A page may be open for longer than the request: what it sends then costs the user gas for nothing.
  const problem = closedReason(request, clock())
  if (problem !== null) throw new PlazaError('conflict', problem)
  const [restricted] = await readDb`
    select from signers.permission_choices where signer_id = ${request.id} and fid = ${fid}`
  const hasChoice = chosen !== null && (restricted !== undefined || storedPermissions(chosen) !== null)
  return {
    kind: 'send',
    transaction: keyAdditionTransaction(addedKeyOf(request)),
    choice: hasChoice ? permissionsStatement(request, fid, chosen) : null,
  }
}

/** Auth addresses have no permissions. */
function checkPermissions({ keyType }: PresentedKeyRequest, chosen: readonly string[] | null): void {
  if ((chosen === null) === (keyType === KEY_TYPE_AUTH)) return
  const problem = chosen === null ? 'must be a list' : 'must be null: an address signs in, and no more'
  throw invalidField('permissions', problem)
}

function answerWith<Body extends Parameters<typeof compileBody>[0]>(
  schema: Body,
  take: (context: AnswerContext, token: string, body: Static<Body>) => Promise<object>,
): AnswerHandler {
  const parse = compileBody(schema)
  return async (context, token, body) => await take(context, token, parse(body) as Static<Body>)
}
