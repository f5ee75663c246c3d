import { type Static, Type } from '@sinclair/typebox'
import { ethAddressParameter } from '../../../api/parameters.js'
import { exampleSignature } from '../../../graph/view/schema/primitives.js'
import { MAX_SIGNATURE_LENGTH } from '../../../hub/registry/account-signature.js'

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

const deadlineMember = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Expiration of the signature, in Unix seconds.',
  examples: [1_777_723_200],
})

const signerMember = Type.Object({
  public_key: Type.String({
    pattern: '^0x[a-fA-F0-9]{64}$',
    patternText: 'a key of 32 bytes: 0x and 64 hex digits',
    description: 'The public key.',
    examples: ['0x5d9a0c1f3b7e2a4c6e8d0f1b3a5c7e9d2f4b6a8c0e1d3f5b7a9c2e4d6f8b0a1c'],
  }),
  key_type: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2,
      description: '1: an Ed25519 key, the default. 2: an address.',
    }),
  ),
  metadata_type: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1, description: '1: a signed key request, the only type.' }),
  ),
  metadata: hexMember(
    MAX_METADATA_LENGTH,
    'Signed key request of the app, ABI-encoded for the key registry.',
  ),
  deadline: deadlineMember,
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
    deadline: deadlineMember,
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
