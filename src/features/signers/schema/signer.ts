import { type Static, Type } from '@sinclair/typebox'
import { EthAddress, Fid, namedObject, textEnum, Uri } from '../../../graph/view/schema/primitives.js'

export const Ed25519PublicKey = Type.String({
  $id: 'Ed25519PublicKey',
  pattern: '^0x[a-fA-F0-9]{64}$',
  description: 'Ed25519 public key.',
  examples: ['0x5d9a0c1f3b7e2a4c6e8d0f1b3a5c7e9d2f4b6a8c0e1d3f5b7a9c2e4d6f8b0a1c'],
})

export const SignerUUID = Type.String({
  $id: 'SignerUUID',
  description: 'UUID of a signer.',
  examples: ['19d0c5fd-9b33-4a48-a0e2-bc7b0555baec'],
})

/** Permissions of a signer, as the hosted API names them. */
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
  description: 'Permission of a signer.',
})

const approvalUrl = {
  description: 'Page where the user answers. Only while `pending_approval`.',
  examples: ['https://plaza.example.com/approve/3kQ9vZ'],
}
const userFid = { description: 'Fid of the user. Only after the approval.' }

/** A signer whose private key this server holds. */
export const Signer = namedObject('Signer', {
  object: Type.Literal('signer'),
  signer_uuid: SignerUUID,
  public_key: Ed25519PublicKey,
  status: textEnum(['generated', 'pending_approval', 'approved', 'revoked'], {
    examples: ['pending_approval'],
  }),
  permissions: Type.Array(SharedSignerPermission, {
    description: 'Permissions after the approval. `WRITE_ALL` is all of them.',
  }),
  fid: Type.Optional({ ...Fid, ...userFid }),
  signer_approval_url: Type.Optional(Type.String(approvalUrl)),
})
export type Signer = Static<typeof Signer>

export const SignerListResponse = namedObject('SignerListResponse', { signers: Type.Array(Signer) })

const keyRequestStatus = textEnum(['pending_approval', 'approved', 'revoked'])

/** A signer whose private key the developer holds. */
export const DeveloperManagedSigner = namedObject('DeveloperManagedSigner', {
  public_key: Ed25519PublicKey,
  status: keyRequestStatus,
  fid: Type.Optional({ ...Fid, ...userFid }),
  signer_approval_url: Type.Optional(Type.String(approvalUrl)),
})
export type DeveloperManagedSigner = Static<typeof DeveloperManagedSigner>

/** An address that signs in for a user. */
export const DeveloperManagedAuthAddress = namedObject('DeveloperManagedAuthAddress', {
  address: EthAddress,
  status: keyRequestStatus,
  fid: Type.Optional({ ...Fid, ...userFid }),
  auth_address_approval_url: Type.Optional({ ...Uri, ...approvalUrl }),
})
export type DeveloperManagedAuthAddress = Static<typeof DeveloperManagedAuthAddress>

export const NonceResponse = namedObject('NonceResponse', {
  nonce: Type.String({ description: 'Valid once, for ten minutes.', examples: ['8f2KqW1vTz0R4yXn'] }),
})

export const AuthorizationUrlResponse = namedObject('AuthorizationUrlResponse', { authorization_url: Uri })
