import { createHash } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { ethAddressParameter, fidParameter, textParameter, uuidParameter } from '../../../api/parameters.js'
import { readContractSignature } from '../../../hub/registry/account-signature.js'
import { newPrivateKey } from '../../../hub/registry/eth-account.js'
import { PlazaError } from '../../../platform/errors.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { FarcasterNetwork } from '../../../protocol/definitions.js'
import { validateFname } from '../../../protocol/kinds/username.js'
import { createMessageSigner } from '../../../protocol/sign.js'
import type { OperationContext } from '../../operation.js'
import { checkProfile } from '../../publishing/profile.js'
import { requestSignerApproval } from '../../signers/key-approval-request.js'
import { addedKeyOf, readKeyRequest } from '../../signers/key-request.js'
import { deadlineMember, signatureMember } from '../../signers/routes/key-request-body.js'
import { readSignedKeyRequest } from '../../signers/signed-key-request.js'
import { createSigner } from '../../signers/signer-record.js'
import { UpdateUserReqBody } from '../../users/routes/update-user.js'
import type { AccountLedger } from '../ledger/account-ledger.js'
import { isAuthorizedBy, transferAuthorization } from '../ledger/signed-authorizations.js'
import { requireFunds } from '../ledger/transactions.js'
import { namesUnavailableText } from '../registration/account-details.js'
import { type CheckedRegistration, checkFidHeld, isNameFree } from '../registration/registration.js'
import { requireNoFid } from './check-direct.js'
import type { PayingWallet } from './paying-wallet.js'

/** Above the protocol's limit, which is checked separately. */
const MAX_NAME_LENGTH = 64

/**
 * Time of a transaction that is sent at once, a transfer or the addition of the signer: a block includes it, or a replacement,
 * which is signed after 30 seconds.
 */
const MIN_VALID_SECONDS = 60

/**
 * Time of a transfer that is sent when the transaction of a key is final, 40 seconds after its block: it leaves both of them several
 * replacements. The network without a chain asks for the same, so that an app that works there works on one. A fid that has got the key
 * and not the account is lost with its price.
 */
const MIN_VALID_WITH_KEY_SECONDS = 300

/** The body of `POST user`, as published clients send it. */
export const RegisterUserReqBody = Type.Object({
  fid: fidParameter({ description: 'Fid that `GET user/fid` has reserved for the wallet.' }),
  requested_user_custody_address: ethAddressParameter({
    description: 'Address that will own the account. It must not hold a fid.',
  }),
  deadline: deadlineMember(
    'Expiration of `signature`, in Unix seconds: at least a minute from now, and five with a signer, a name or a ' +
      'profile, as the key is added first.',
  ),
  signature: signatureMember(
    'Transfer of the id registry (EIP-712) of the fid to the address, with the next nonce of the address (0 for a new ' +
      'one) and the deadline, signed by the address.',
  ),
  fname: Type.Optional(
    textParameter({
      maxLength: MAX_NAME_LENGTH,
      description: 'Available name for the account. Case does not matter.',
      examples: ['dwr'],
    }),
  ),
  metadata: Type.Optional(
    Type.Pick(
      UpdateUserReqBody,
      ['bio', 'display_name', 'location', 'pfp_url', 'url', 'username', 'verified_accounts'],
      {
        description:
          'Profile of the account. `username`, if given, must equal `fname`. Empty texts count as absent.',
      },
    ),
  ),
  signer: Type.Optional(
    Type.Object(
      {
        uuid: uuidParameter({ description: 'Signer of the app, created by `POST signer`.' }),
        app_fid: fidParameter({ description: 'Fid of the app.' }),
        deadline: deadlineMember(
          'Deadline of the app’s request, in Unix seconds: at least a minute from now.',
        ),
        signed_key_request_metadata_signature: signatureMember(
          'SignedKeyRequest (EIP-712) of `app_fid`, the signer’s `public_key` and `deadline`, signed by the custody ' +
            'address of `app_fid`.',
        ),
      },
      {
        description:
          'Signer that is approved with the registration. Without it, the server creates one for the app if there is a ' +
          'name or a profile to publish.',
      },
    ),
  ),
})
export type RegisterUserReqBody = Static<typeof RegisterUserReqBody>

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
  const custodyAddress = bytesOfHex(body.requested_user_custody_address)
  const signature = readContractSignature(body.signature)
  const fname = body.fname === undefined ? null : await checkName(context, body.fname)
  const profile = await profileOf(context, fid, fname, metadata)
  const addsKey = body.signer !== undefined || profile !== null
  const nowMs = context.clock()
  if (addsKey)
    checkDeadline('deadline', deadline, MIN_VALID_WITH_KEY_SECONDS, nowMs, ', as a key is added first')
  else checkDeadline('deadline', deadline, MIN_VALID_SECONDS, nowMs)
  await checkTransfer(ledger, { fid, to: custodyAddress, signature, deadline })
  const signer = await signerOf(context, body.signer, appId, profile !== null)
  await checkFunds(context, ledger, { fid, wallet, hasSigner: signer !== null })
  const checked = { fid, walletId: wallet.id, appId, digest: digestOf(body), custodyAddress }
  return { ...checked, signature, deadline, fname, profile, signer }
}

function checkDeadline(
  property: string,
  deadline: number,
  minSeconds: number,
  nowMs: number,
  reason = '',
): void {
  const nowUnix = Math.floor(nowMs / 1000)
  if (deadline >= nowUnix + minSeconds) return
  throw invalidField(
    property,
    `must be at least ${minSeconds} seconds in the future${reason}; in Unix seconds it is ${nowUnix}`,
  )
}

async function checkTransfer(
  ledger: AccountLedger,
  { fid, to, signature, deadline }: { fid: number; to: Buffer; signature: Buffer; deadline: number },
): Promise<void> {
  const nonce = await ledger.nonceOf('id registry', to)
  await requireNoFid(ledger, to, 'requested_user_custody_address')
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
  const given = givenMembers(metadata)
  if (given.username !== undefined && given.username.toLowerCase() !== fname) {
    throw invalidField('metadata.username', 'must be the same as fname: the account has no other name')
  }
  const profile = { ...given, ...(fname === null ? {} : { username: fname }) }
  if (Object.keys(profile).length === 0) return null
  const anyKey = createMessageSigner(newPrivateKey())
  const [firstProblem] = await checkProfile(context, { fid, key: anyKey }, profile)
  if (firstProblem)
    throw invalidField(`metadata.${firstProblem.property}`, `cannot be: ${firstProblem.message}`)
  return profile
}

type Profile = NonNullable<RegisterUserReqBody['metadata']>

/** The members of a profile that have a value: a new account has nothing that an empty text could clear. */
function givenMembers({ verified_accounts, ...entries }: Profile = {}): Profile {
  const accounts = withoutEmpty(verified_accounts ?? {})
  const given = withoutEmpty(entries)
  return Object.keys(accounts).length === 0 ? given : { ...given, verified_accounts: accounts }
}

function withoutEmpty<Members extends object>(members: Members): Partial<Members> {
  const given = Object.entries(members).filter(([, value]) => value !== '')
  return Object.fromEntries(given) as Partial<Members>
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
  checkDeadline('signer.deadline', deadline, MIN_VALID_SECONDS, clock())
  try {
    const request = readSignedKeyRequest({ app_fid, deadline, signature })
    const { status } = await requestSignerApproval({ db, network, clock }, { appId, signerUuid }, request)
    if (status !== 'pending_approval')
      throw new PlazaError('conflict', `this signer was ${status} already`, { property: 'signer_uuid' })
    const { key, metadata } = addedKeyOf(await readKeyRequest(db, { signerUuid }))
    return { id: signerUuid, key, metadata }
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
  { writerDb }: OperationContext,
  ledger: AccountLedger,
  { fid, wallet, hasSigner }: { fid: number; wallet: PayingWallet['wallet']; hasSigner: boolean },
): Promise<void> {
  const prices = await Promise.all([
    ledger.priceOf({ kind: 'transfer' }),
    hasSigner ? ledger.priceOf({ kind: 'add key' }) : 0n,
  ])
  const needed = prices[0] + prices[1]
  const available = await ledger.available(writerDb, wallet, needed)
  // Report a lost fid first: funding the wallet would not help.
  if (available < needed) await checkFidHeld(writerDb, { fid, walletId: wallet.id })
  requireFunds(needed, available)
}
