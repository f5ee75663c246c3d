import { Type } from '@sinclair/typebox'
import { DateTime, Fid, NextCursor, namedObject, nullable, textEnum, Username, Uuid } from './primitives.js'
import { SharedSignerPermission } from './signer.js'

const counts = {
  requests: Type.Integer({ minimum: 0, examples: [1200] }),
  refusals: Type.Integer({
    minimum: 0,
    description: 'Of these, replies with a status of 400 and above.',
    examples: [3],
  }),
}

export const AppUsageResponse = namedObject('AppUsageResponse', {
  days: Type.Array(
    Type.Object(
      {
        object: Type.Literal('usage_day'),
        day: Type.String({
          pattern: '^\\d{4}-\\d{2}-\\d{2}$',
          description: 'UTC.',
          examples: ['2026-05-01'],
        }),
        ...counts,
      },
      { $id: 'UsageDay', description: 'Requests with the keys of an app on one day.' },
    ),
  ),
  operations: Type.Array(
    Type.Object(
      {
        object: Type.Literal('usage_operation'),
        api_key_id: Type.Integer({ format: 'int32', minimum: 1, examples: [7] }),
        prefix: Type.String({ description: 'First characters of the key.', examples: ['plaza_8f2Kq'] }),
        operation: Type.String({
          description: '`other`: no documented operation.',
          examples: ['GET cast/search'],
        }),
        ...counts,
      },
      { $id: 'UsageOperation', description: 'Requests of a key to an operation.' },
    ),
  ),
})

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
