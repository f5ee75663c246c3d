import { type Static, Type } from '@sinclair/typebox'
import { EthAddress, Fid, Uri } from './primitives.js'
import { textEnum } from './schema-type.js'

export const Ed25519PublicKey = Type.String({
  $id: 'Ed25519PublicKey',
  pattern: '^0x[a-fA-F0-9]{64}$',
  description: 'An Ed25519 public key.',
})

export const SignerUUID = Type.String({
  $id: 'SignerUUID',
  description: 'Names a signer, for the app that made it.',
})

/** The permissions of a signer, named as in the published descriptions. */
export const signerPermissions = [
  'WRITE_ALL',
  'READ_ONLY',
  'NONE',
  'PUBLISH_CAST',
  'DELETE_CAST',
  'PUBLISH_REACTION',
  'DELETE_REACTION',
  'UPDATE_PROFILE',
  'FOLLOW_USER',
  'UNFOLLOW_USER',
  'FOLLOW_CHANNEL',
  'UNFOLLOW_CHANNEL',
  'ADD_VERIFICATION',
  'REMOVE_VERIFICATION',
  'WRITE_FRAME_ACTION',
] as const
export type SignerPermission = (typeof signerPermissions)[number]

export const SharedSignerPermission = textEnum(signerPermissions, {
  $id: 'SharedSignerPermission',
  description: 'What a signer may do for its user.',
})

const approvalUrl = { description: 'Where the user answers. Only while the answer is outstanding.' }
const userFid = { description: 'The user. From the approval on.' }

/** A signer whose private key this server holds. */
export const Signer = Type.Object(
  {
    object: Type.Literal('signer'),
    signer_uuid: SignerUUID,
    public_key: Ed25519PublicKey,
    status: textEnum(['generated', 'pending_approval', 'approved', 'revoked']),
    permissions: Type.Array(SharedSignerPermission, {
      description: 'What it may do once it is approved. `WRITE_ALL` is everything.',
    }),
    fid: Type.Optional({ ...Fid, ...userFid }),
    signer_approval_url: Type.Optional(Type.String(approvalUrl)),
  },
  { $id: 'Signer' },
)
export type Signer = Static<typeof Signer>

export const SignerListResponse = Type.Object({ signers: Type.Array(Signer) }, { $id: 'SignerListResponse' })

const keyRequestStatus = textEnum(['pending_approval', 'approved', 'revoked'])

/** A signer whose private key the developer holds. */
export const DeveloperManagedSigner = Type.Object(
  {
    public_key: Ed25519PublicKey,
    status: keyRequestStatus,
    fid: Type.Optional({ ...Fid, ...userFid }),
    signer_approval_url: Type.Optional(Type.String(approvalUrl)),
  },
  { $id: 'DeveloperManagedSigner' },
)
export type DeveloperManagedSigner = Static<typeof DeveloperManagedSigner>

/** An address that may sign in for a user. */
export const DeveloperManagedAuthAddress = Type.Object(
  {
    address: EthAddress,
    status: keyRequestStatus,
    fid: Type.Optional({ ...Fid, ...userFid }),
    auth_address_approval_url: Type.Optional({ ...Uri, ...approvalUrl }),
  },
  { $id: 'DeveloperManagedAuthAddress' },
)
export type DeveloperManagedAuthAddress = Static<typeof DeveloperManagedAuthAddress>

export const NonceResponse = Type.Object(
  { nonce: Type.String({ description: 'Good once, for ten minutes.' }) },
  { $id: 'NonceResponse' },
)

export const AuthorizationUrlResponse = Type.Object(
  { authorization_url: Uri },
  { $id: 'AuthorizationUrlResponse' },
)
