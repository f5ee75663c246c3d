import { type Static, Type } from '@sinclair/typebox'
import { Fid, namedObject, TransactionHash } from '../../../graph/view/schema/primitives.js'
import { User } from '../../../graph/view/schema/user.js'
import { Ed25519PublicKey, SharedSignerPermission, Signer, SignerUUID } from '../../signers/schema/signer.js'

/** A fid that is reserved for a wallet. */
export const UserFIDResponse = namedObject('UserFIDResponse', { fid: Fid })

/** A signer of a new account: a `Signer` whose UUID is in another member. */
export const RegisteredSigner = Type.Composite([
  Type.Object({
    uuid: SignerUUID,
    public_key: Ed25519PublicKey,
    permissions: Type.Array(SharedSignerPermission),
  }),
  Type.Pick(Signer, ['object', 'status', 'fid', 'signer_approval_url']),
])

export type RegisteredSignerJson = Static<typeof RegisteredSigner>

const registrationMessage = 'Result, with the parts of the request that could not be done.'

/** The reply to a registration. */
export const RegisterUserResponse = namedObject('RegisterUserResponse', {
  success: Type.Literal(true),
  message: Type.String({ description: registrationMessage, examples: ['the account is registered'] }),
  signer: Type.Optional({ ...Signer, description: 'The first of `signers`, which older clients read.' }),
  signers: Type.Array(RegisteredSigner, { description: 'Signers of the account that belong to the app.' }),
  user: Type.Optional(User),
})

/** The reply to a registration with keys of the developer. */
export const RegisterUserOnChainResponse = namedObject('RegisterUserOnChainResponse', {
  message: Type.Optional(
    Type.String({ description: registrationMessage, examples: ['the account is registered'] }),
  ),
  transaction_hash: Type.Optional({
    ...TransactionHash,
    description: 'Hash of the transaction that registered the fid.',
  }),
  user: Type.Optional(User),
})

export const FnameAvailabilityResponse = namedObject('FnameAvailabilityResponse', {
  available: Type.Boolean(),
})
