import { type Static, Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { ethAddressParameter } from '../../../api/parameters.js'
import { exampleSignature } from '../../../graph/view/schema/primitives.js'
import { MAX_SIGNATURE_LENGTH, readContractSignature } from '../../../hub/registry/account-signature.js'
import type { AddedKey } from '../../../hub/registry/key-addition.js'
import { readKeyRequestMetadata, recoverKeyRequestSigner } from '../../../hub/registry/key-request.js'
import { PlazaError } from '../../../platform/errors.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { KEY_TYPE_ED25519 } from '../../../protocol/key-rules.js'
import { deadlineMember } from '../../signers/routes/key-request-body.js'
import type { AccountCall, AccountLedger, SignedAuthorization } from '../ledger/account-ledger.js'
import {
  type Authorization,
  addKeyAuthorization,
  isAuthorizedBy,
  registerAuthorization,
} from '../ledger/signed-authorizations.js'

/** Each signer is one transaction that the request waits for. */
const MAX_SIGNERS = 10
/** The same bound as `storage/buy`. */
const MAX_UNITS = 1_000
/** A signed key request has 770 hex digits. */
const MAX_METADATA_LENGTH = 4_096

const hexMember = (maxLength: number, description: string) =>
  Type.String({
    maxLength,
    pattern: '^0x([a-fA-F0-9]{2})+$',
    patternText: '0x and hex digits',
    description,
    examples: [exampleSignature],
  })

const deadline = deadlineMember('Expiration of the signature, in Unix seconds.')

const signerMember = Type.Object({
  public_key: Type.String({
    pattern: '^0x[a-fA-F0-9]{64}$',
    patternText: 'a key of 32 bytes: 0x and 64 hex digits',
    description: 'The public key.',
    examples: ['0x5d9a0c1f3b7e2a4c6e8d0f1b3a5c7e9d2f4b6a8c0e1d3f5b7a9c2e4d6f8b0a1c'],
  }),
  key_type: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2, description: '1: an Ed25519 key, the default. 2: an address.' }),
  ),
  metadata_type: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1, description: '1: a signed key request, the only type.' }),
  ),
  metadata: hexMember(
    MAX_METADATA_LENGTH,
    'Signed key request of the app, ABI-encoded for the key registry. Its deadline is at least five minutes from now, as ' +
      'the key is added when the account is registered.',
  ),
  deadline,
  signature: hexMember(
    MAX_SIGNATURE_LENGTH,
    'Add of the key gateway (EIP-712), signed by the custody address. Its nonce is the next nonce of the address, plus ' +
      'one for each previous signer.',
  ),
})

/** Members for the account, its signers and its storage. */
export const directMembers = {
  registration: Type.Object({
    custody_address: ethAddressParameter({ description: 'Address that will own the account.' }),
    recovery_address: ethAddressParameter({
      description: 'Address that may recover the account. The zero address stands for none.',
      examples: ['0x0000000000000000000000000000000000000000'],
    }),
    deadline,
    signature: hexMember(
      MAX_SIGNATURE_LENGTH,
      'Register of the id gateway (EIP-712) with the next nonce of the address, signed by the address.',
    ),
  }),
  signers: Type.Optional(
    Type.Array(signerMember, { maxItems: MAX_SIGNERS, description: 'Keys to add to the account.' }),
  ),
  storage_units: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_UNITS,
      description: 'Storage units in addition to the one that an account includes.',
    }),
  ),
}

const DirectBody = Type.Object(directMembers)
export type DirectBody = Static<typeof DirectBody>

/** A signature that expires sooner may expire before it is used. */
const MIN_VALID_SECONDS = 10

/** Time of an app's request: its key is added when the registration is final, which leaves it several replacements. */
const MIN_REQUEST_VALID_SECONDS = 300

/**
 * Checks a registration with developer keys against the rules of the contracts, before anything is paid. Returns
 * the contract calls to make, in order.
 *
 * @throws PlazaError that names the wrong member.
 */
export async function checkDirect(
  ledger: AccountLedger,
  { registration, signers = [], storage_units: extraUnits = 0 }: DirectBody,
  nowUnix: number,
): Promise<AccountCall[]> {
  const address = bytesOfHex(registration.custody_address)
  const recovery = bytesOfHex(registration.recovery_address)
  await requireNoFid(ledger, address, 'registration.custody_address')
  const nonce = await ledger.nonceOf('id gateway', address)
  const { deadline } = registration
  const holder = await checkAuthorization(
    'registration',
    { ...registration, address, nowUnix },
    registerAuthorization({ to: address, recovery, nonce, deadline }),
  )
  const first = await ledger.nonceOf('key gateway', address)
  const calls: AccountCall[] = [{ kind: 'register', holder, recovery, extraUnits }]
  for (const [index, signer] of signers.entries()) {
    const path = `signers.${index}`
    const added = await keyOf(ledger, path, signer, nowUnix)
    const nonce = first + BigInt(index)
    const authorization = addKeyAuthorization({ owner: address, added, nonce, deadline: signer.deadline })
    const request = { ...signer, address, nowUnix }
    calls.push({ kind: 'add key', holder: await checkAuthorization(path, request, authorization), added })
  }
  return calls
}

/** Throws `conflict` when an address already holds a fid. */
export async function requireNoFid(ledger: AccountLedger, address: Buffer, property: string): Promise<void> {
  const fid = await ledger.fidOf(address)
  if (fid === null) return
  throw new PlazaError('conflict', `this address holds fid ${fid} already, and can hold one`, { property })
}

async function checkAuthorization(
  path: string,
  request: { address: Buffer; deadline: number; signature: string; nowUnix: number },
  authorization: Authorization,
): Promise<SignedAuthorization> {
  const { address, deadline } = request
  if (deadline < request.nowUnix + MIN_VALID_SECONDS)
    throw invalidField(`${path}.deadline`, 'must be in the future, in Unix seconds')
  const signature = readContractSignature(request.signature, `${path}.signature`)
  if (await isAuthorizedBy(authorization, signature, address)) return { address, deadline, signature }
  const problem = 'must be of the custody address for exactly this, with its next nonce'
  throw invalidField(`${path}.signature`, problem)
}

/** Checks the app's key request as the validator of the key registry does. */
async function keyOf(
  ledger: AccountLedger,
  path: string,
  signer: NonNullable<DirectBody['signers']>[number],
  nowUnix: number,
): Promise<AddedKey> {
  const added = {
    keyType: signer.key_type ?? KEY_TYPE_ED25519,
    key: bytesOfHex(signer.public_key),
    metadata: bytesOfHex(signer.metadata),
  }
  const request = readKeyRequestMetadata(added.metadata)
  if (request === null) throw invalidField(`${path}.metadata`, 'must be a signed key request, ABI-encoded')
  const { requestFid, requestSigner, signature, deadline } = request
  const [requestingApp, fid] = await Promise.all([
    recoverKeyRequestSigner({ requestFid, key: added.key, deadline }, signature),
    ledger.fidOf(requestSigner),
  ])
  if (!requestingApp?.equals(requestSigner) || fid !== requestFid) {
    const problem = 'must be signed for this key by the address that holds the app’s fid'
    throw invalidField(`${path}.metadata`, problem)
  }
  if (deadline >= nowUnix + MIN_REQUEST_VALID_SECONDS) return added
  const problem = `must have a deadline at least ${MIN_REQUEST_VALID_SECONDS} seconds in the future, as the account is registered first; in Unix seconds it is ${nowUnix}`
  throw invalidField(`${path}.metadata`, problem)
}
