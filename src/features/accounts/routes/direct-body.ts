import { type Static, Type } from '@sinclair/typebox'
import { ethAddressParameter } from '../../../api/parameters.js'
import { MAX_SIGNATURE_LENGTH } from '../../../hub/registry/account-signature.js'

/** A request with all of these waits for as many transactions. */
const MAX_SIGNERS = 10
/** As of `storage/buy`. */
const MAX_UNITS = 1_000
/** A signed key request takes 770 digits. */
const MAX_METADATA_LENGTH = 4_096

const hexMember = (maxLength: number, description: string) =>
  Type.String({ maxLength, pattern: '^0x([a-fA-F0-9]{2})+$', patternText: '0x and hex digits', description })

const deadlineMember = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Until when the signature is good, in Unix seconds.',
})

const signerMember = Type.Object({
  public_key: Type.String({
    pattern: '^0x[a-fA-F0-9]{64}$',
    patternText: 'a key of 32 bytes: 0x and 64 hex digits',
    description: 'The key.',
  }),
  key_type: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2,
      description: '1 is an Ed25519 key, which it is unless told; 2 an address.',
    }),
  ),
  metadata_type: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1, description: '1, a signed key request: there is no other.' }),
  ),
  metadata: hexMember(
    MAX_METADATA_LENGTH,
    'The app’s signed key request, ABI-encoded, as the key registry takes it.',
  ),
  deadline: deadlineMember,
  signature: hexMember(
    MAX_SIGNATURE_LENGTH,
    'The Add of the key gateway (EIP-712), signed by the custody address; its nonce is that of the address, and one more ' +
      'for each signer before this one.',
  ),
})

/** An account, its signers and its storage. */
export const directMembers = {
  registration: Type.Object({
    custody_address: ethAddressParameter({ description: 'The address that gets the account.' }),
    recovery_address: ethAddressParameter({
      description: 'The address that may take it back; zeroes are nobody.',
    }),
    deadline: deadlineMember,
    signature: hexMember(
      MAX_SIGNATURE_LENGTH,
      'The Register of the id gateway (EIP-712), with the gateway’s nonce of the address, signed by it.',
    ),
  }),
  signers: Type.Optional(
    Type.Array(signerMember, { maxItems: MAX_SIGNERS, description: 'Keys of the account.' }),
  ),
  storage_units: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_UNITS,
      description: 'Units of storage beside the one that comes with the account.',
    }),
  ),
}

const DirectBody = Type.Object(directMembers)
export type DirectBody = Static<typeof DirectBody>
