import { type Static, Type } from '@sinclair/typebox'
import { Fid } from './primitives.js'
import { Ed25519PublicKey, SharedSignerPermission, Signer, SignerUUID } from './signer.js'
import { User } from './user.js'

/** A fid to register an account with. */
export const UserFIDResponse = Type.Object({ fid: Fid }, { $id: 'UserFIDResponse' })

/** A signer of a new account: a `Signer` whose UUID is in another member. */
export const RegisteredSigner = Type.Composite([
  Type.Object({
    uuid: SignerUUID,
    public_key: Ed25519PublicKey,
    permissions: Type.Array(SharedSignerPermission),
  }),
  Type.Pick(Signer, ['object', 'status', 'fid', 'signer_approval_url']),
])
export type RegisteredSigner = Static<typeof RegisteredSigner>

/** An account that was registered. */
export const RegisterUserResponse = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String({ description: 'What was done, and what of the request could not be.' }),
    signer: Type.Optional({ ...Signer, description: 'The signer that the request has named.' }),
    signers: Type.Array(RegisteredSigner, { description: 'Signers of the account that belong to the app.' }),
    user: Type.Optional(User),
  },
  { $id: 'RegisterUserResponse' },
)

/** An account that was registered with keys of the developer. */
export const RegisterUserOnChainResponse = Type.Object(
  {
    message: Type.Optional(
      Type.String({ description: 'What was done, and what of the request could not be.' }),
    ),
    transaction_hash: Type.Optional(
      Type.String({ description: 'Of the transaction that has registered the fid.' }),
    ),
    user: Type.Optional(User),
  },
  { $id: 'RegisterUserOnChainResponse' },
)
