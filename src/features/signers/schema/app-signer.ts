import { Type } from '@sinclair/typebox'
import {
  DateTime,
  Fid,
  NextCursor,
  namedObject,
  nullable,
  textEnum,
  Username,
  Uuid,
} from '../../../graph/view/schema/primitives.js'
import { SharedSignerPermission } from './signer.js'

export const AppSignersResponse = namedObject('AppSignersResponse', {
  signers: Type.Array(
    Type.Object(
      {
        object: Type.Literal('app_signer'),
        signer_uuid: Uuid,
        public_key: Type.String({
          description: 'Ed25519 public key, or the address of an auth address.',
          examples: ['0x5d9a0c1f3b7e2a4c6e8d0f1b3a5c7e9d2f4b6a8c0e1d3f5b7a9c2e4d6f8b0a1c'],
        }),
        key_type: textEnum(['signer', 'auth_address'], { examples: ['signer'] }),
        held_by: textEnum(['server', 'developer'], {
          description: 'Who has the private key. Permissions restrict only what this server does with it.',
          examples: ['server'],
        }),
        status: textEnum(['generated', 'pending_approval', 'approved', 'revoked'], {
          examples: ['approved'],
        }),
        fid: nullable(Fid, { description: 'The user that approved it.' }),
        username: nullable(Username),
        permissions: Type.Array(SharedSignerPermission),
        operations: Type.Array(
          Type.String({
            description: 'What it may do now, of the operations with a `signer_uuid`.',
            examples: ['POST cast'],
          }),
        ),
        created_at: DateTime,
      },
      { $id: 'AppSigner', description: 'A key that an app has requested from a user.' },
    ),
  ),
  next: NextCursor,
})
