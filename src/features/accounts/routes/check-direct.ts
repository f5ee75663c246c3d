import { invalidField } from '../../../api/invalid-field.js'
import { readContractSignature } from '../../../hub/registry/account-signature.js'
import { ED25519_KEY } from '../../../hub/registry/chain-events.js'
import type { AddedKey } from '../../../hub/registry/key-addition.js'
import { readKeyRequestMetadata, recoverKeyRequestSigner } from '../../../hub/registry/key-request.js'
import { PlazaError } from '../../../platform/errors.js'
import type { AccountCall, AccountLedger, SignedAuthorization } from '../ledger/account-ledger.js'
import {
  type Authorization,
  addKeyAuthorization,
  isAuthorizedBy,
  registerAuthorization,
} from '../ledger/signed-authorizations.js'
import type { DirectBody } from './direct-body.js'

/** A signature that expires sooner may expire before it is used. */
const MIN_VALID_SECONDS = 10

/**
 * Checks a registration with developer keys against the rules of the contracts, before anything is paid.
 *
 * @returns The contract calls to make, in order.
 * @throws PlazaError that names the wrong member.
 */
export async function checkDirect(
  ledger: AccountLedger,
  { registration, signers = [], storage_units: extraUnits = 0 }: DirectBody,
  nowUnix: number,
): Promise<AccountCall[]> {
  const address = bytes(registration.custody_address)
  const recovery = bytes(registration.recovery_address)
  const heldFid = await ledger.fidOf(address)
  if (heldFid !== null) {
    const message = `this address holds fid ${heldFid} already, and can hold one`
    throw new PlazaError('conflict', message, { property: 'registration.custody_address' })
  }
  const nonce = await ledger.nonceOf('id gateway', address)
  const { deadline } = registration
  const holder = await checkAuthorization('registration', { ...registration, address, nowUnix }, () =>
    registerAuthorization({ to: address, recovery, nonce, deadline }),
  )
  const first = await ledger.nonceOf('key gateway', address)
  const calls: AccountCall[] = [{ kind: 'register', holder, recovery, extraUnits }]
  for (const [index, signer] of signers.entries()) {
    const path = `signers.${index}`
    const added = await keyOf(ledger, path, signer, nowUnix)
    const authorization = await checkAuthorization(path, { ...signer, address, nowUnix }, () =>
      addKeyAuthorization({ owner: address, added, nonce: first + BigInt(index), deadline: signer.deadline }),
    )
    calls.push({ kind: 'add key', holder: authorization, added })
  }
  return calls
}

async function checkAuthorization(
  path: string,
  {
    address,
    deadline,
    signature: text,
    nowUnix,
  }: {
    readonly address: Buffer
    readonly deadline: number
    readonly signature: string
    readonly nowUnix: number
  },
  authorization: () => Authorization,
): Promise<SignedAuthorization> {
  if (deadline < nowUnix + MIN_VALID_SECONDS)
    throw invalidField(`${path}.deadline`, 'must be in the future, in Unix seconds')
  const signature = readContractSignature(text, `${path}.signature`)
  if (await isAuthorizedBy(authorization(), signature, address)) return { address, deadline, signature }
  throw invalidField(
    `${path}.signature`,
    'must be of the custody address for exactly this, with its next nonce',
  )
}

/** Checks the app's key request as the validator of the key registry does. */
async function keyOf(
  ledger: AccountLedger,
  path: string,
  signer: NonNullable<DirectBody['signers']>[number],
  nowUnix: number,
): Promise<AddedKey> {
  const added = {
    keyType: signer.key_type ?? ED25519_KEY,
    key: bytes(signer.public_key),
    metadata: bytes(signer.metadata),
  }
  const request = readKeyRequestMetadata(added.metadata)
  if (request === null) throw invalidField(`${path}.metadata`, 'must be a signed key request, ABI-encoded')
  const { requestFid, requestSigner, signature, deadline } = request
  const [requestingApp, fid] = await Promise.all([
    recoverKeyRequestSigner({ requestFid, key: added.key, deadline }, signature),
    ledger.fidOf(requestSigner),
  ])
  if (requestingApp?.equals(requestSigner) && fid === requestFid && deadline > nowUnix) return added
  throw invalidField(
    `${path}.metadata`,
    'must be signed for this key by the address that holds the app’s fid, and not be late',
  )
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
