import { createHash } from 'node:crypto'
import { FarcasterNetwork } from '@farcaster/core'
import { invalidField } from '../../../api/invalid-field.js'
import { readContractSignature } from '../../../hub/registry/account-signature.js'
import { newPrivateKey } from '../../../hub/registry/eth-account.js'
import { PlazaError } from '../../../platform/errors.js'
import { validateFname } from '../../../protocol/kinds/username.js'
import { createMessageSigner } from '../../../protocol/sign.js'
import type { OperationContext } from '../../operation.js'
import { checkProfile } from '../../publishing/profile.js'
import { createSigner } from '../../signers/create-signer.js'
import { requestSignerApproval } from '../../signers/key-approval-request.js'
import { addedKeyOf, readKeyRequest } from '../../signers/key-request.js'
import { readSignedKeyRequest } from '../../signers/signed-key-request.js'
import type { AccountLedger } from '../ledger/account-ledger.js'
import { isAuthorizedBy, transferAuthorization } from '../ledger/signed-authorizations.js'
import { insufficientFunds } from '../ledger/transactions.js'
import { type CheckedRegistration, checkFidHeld } from '../registration/accept.js'
import { isNameFree } from '../registration/name-availability.js'
import type { RegisteredSigner } from '../registration/registration.js'
import { namesUnavailableText } from './account-details.js'
import type { PayingWallet } from './paying-wallet.js'
import type { RegisterUserReqBody } from './registration-body.js'

/** A signature that expires sooner may expire before it is used. */
const MIN_VALID_SECONDS = 10

/** Identifies a registration request: SHA-256 over its members. */
export function digestOf(body: RegisterUserReqBody): Buffer {
  const { fid, requested_user_custody_address: custody, signature, deadline, fname, metadata, signer } = body
  const digestedFields = [
    fid,
    custody.toLowerCase(),
    signature.toLowerCase(),
    deadline,
    fname,
    metadata,
    signer,
  ]
  return createHash('sha256').update(JSON.stringify(digestedFields)).digest()
}

/**
 * Checks all that can be known before a registration starts, so that a started one completes.
 *
 * @throws PlazaError that names the wrong member; `insufficient_funds`.
 */
export async function checkRegistration(
  context: OperationContext,
  { accounts: { ledger }, wallet }: PayingWallet,
  body: RegisterUserReqBody,
  appId: string,
): Promise<CheckedRegistration> {
  const { fid, deadline, metadata } = body
  const custodyAddress = Buffer.from(body.requested_user_custody_address.slice(2), 'hex')
  const signature = readContractSignature(body.signature)
  await checkAuthorization(context, ledger, { fid, custodyAddress, signature, deadline })
  const fname = body.fname === undefined ? null : await checkName(context, body.fname)
  const profile = await profileOf(context, fid, fname, metadata)
  const signer = await signerOf(context, body.signer, appId, profile !== null)
  await checkFunds(context, ledger, { fid, wallet, hasSigner: signer !== null })
  return {
    fid,
    walletId: wallet.id,
    appId,
    digest: digestOf(body),
    custodyAddress,
    signature,
    deadline,
    fname,
    profile,
    signer,
  }
}

async function checkAuthorization(
  { clock }: OperationContext,
  ledger: AccountLedger,
  digestedFields: Pick<CheckedRegistration, 'fid' | 'custodyAddress' | 'signature' | 'deadline'>,
): Promise<void> {
  const { fid, custodyAddress: to, signature, deadline } = digestedFields
  const nowUnix = Math.floor(clock() / 1000)
  if (deadline < nowUnix + MIN_VALID_SECONDS) {
    throw invalidField('deadline', `must be in the future; in Unix seconds it is ${nowUnix}`)
  }
  const [nonce, heldFid] = await Promise.all([ledger.nonceOf('id registry', to), ledger.fidOf(to)])
  const property = 'requested_user_custody_address'
  if (heldFid !== null) {
    throw new PlazaError('conflict', `this address holds fid ${heldFid} already, and can hold one`, {
      property,
    })
  }
  if (await isAuthorizedBy(transferAuthorization({ fid, to, nonce, deadline }), signature, to)) return
  throw invalidField(
    'signature',
    `must be the Transfer (EIP-712) of fid ${fid} to this address with nonce ${nonce} and this deadline, signed by it`,
  )
}

async function checkName({ writerDb, network }: OperationContext, requestedName: string): Promise<string> {
  const name = requestedName.toLowerCase()
  const firstProblem = validateFname(name)
  if (firstProblem !== null) throw invalidField('fname', `is not a valid name: ${firstProblem}`)
  if (network !== FarcasterNetwork.DEVNET)
    throw new PlazaError('not_configured', namesUnavailableText, { property: 'fname' })
  if (await isNameFree(writerDb, name)) return name
  throw new PlazaError('conflict', `"${name}" is taken`, { property: 'fname' })
}

/** The profile to publish, with the fname as its username; null if there is nothing to publish. */
async function profileOf(
  context: OperationContext,
  fid: number,
  fname: string | null,
  metadata: RegisterUserReqBody['metadata'],
): Promise<CheckedRegistration['profile']> {
  if (metadata?.username !== undefined && metadata.username.toLowerCase() !== fname) {
    throw invalidField('metadata.username', 'must be the same as fname: the account has no other name')
  }
  const profile = { ...metadata, ...(fname === null ? {} : { username: fname }) }
  if (Object.keys(profile).length === 0) return null
  const anyKey = createMessageSigner(newPrivateKey())
  const [firstProblem] = await checkProfile(context, { fid, key: anyKey }, profile)
  if (firstProblem)
    throw invalidField(`metadata.${firstProblem.property}`, `cannot be: ${firstProblem.message}`)
  return profile
}

/** The named signer, requested as by `signer/signed_key`; or a new one if a profile must be published. */
async function signerOf(
  { writerDb: db, vault, network, clock }: OperationContext,
  named: RegisterUserReqBody['signer'],
  appId: string,
  isNeeded: boolean,
): Promise<CheckedRegistration['signer']> {
  if (named === undefined) {
    if (!isNeeded) return null
    return async (transaction) => {
      const { id, publicKey } = await createSigner({ db: transaction, vault }, appId)
      return { id, key: publicKey, metadata: null }
    }
  }
  const { uuid: signerUuid, app_fid, deadline, signed_key_request_metadata_signature: signature } = named
  try {
    const digestedFields = readSignedKeyRequest({ app_fid, deadline, signature })
    const { status } = await requestSignerApproval(
      { db, network, clock },
      { appId, signerUuid },
      digestedFields,
    )
    if (status !== 'pending_approval') {
      throw new PlazaError('conflict', `this signer was ${status} already`, { property: 'signer_uuid' })
    }
    const { key, metadata } = addedKeyOf(await readKeyRequest(db, { signerUuid }))
    return { id: signerUuid.toLowerCase(), key, metadata } satisfies RegisteredSigner
  } catch (error) {
    throw error instanceof PlazaError ? inSignerPath(error) : error
  }
}

/** Maps members of a signer request to members of this body. */
const membersOfSigner: Readonly<Record<string, string>> = {
  signer_uuid: 'signer.uuid',
  app_fid: 'signer.app_fid',
  deadline: 'signer.deadline',
  signature: 'signer.signed_key_request_metadata_signature',
}

function inSignerPath(error: PlazaError): PlazaError {
  const { code, message, property = '' } = error
  const member = membersOfSigner[property]
  if (member === undefined) return error
  const text = message.startsWith(`${property} `) ? `${member}${message.slice(property.length)}` : message
  return new PlazaError(code, text, { property: member, cause: error })
}

async function checkFunds(
  { writerDb, clock }: OperationContext,
  ledger: AccountLedger,
  { fid, wallet, hasSigner }: { fid: number; wallet: PayingWallet['wallet']; hasSigner: boolean },
): Promise<void> {
  const prices = await Promise.all([
    ledger.priceOf({ kind: 'transfer' }),
    hasSigner ? ledger.priceOf({ kind: 'add key' }) : 0n,
  ])
  const needed = prices.reduce((sum, price) => sum + price, 0n)
  const available = await ledger.available(writerDb, wallet)
  if (available >= needed) return
  // Report a lost fid first: funding the wallet would not help.
  await checkFidHeld(writerDb, { fid, walletId: wallet.id }, clock())
  const { code, message } = insufficientFunds(needed, available)
  throw new PlazaError(code, message)
}
