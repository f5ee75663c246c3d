import { type Static, Type } from '@sinclair/typebox'
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

const PublicKey = Type.String({
  pattern: '^0x[a-f0-9]+$',
  description: 'Public key, or the address of a key that signs in.',
  examples: ['0x3daa8f99c5f760688a3c9f95716ed93dee5ed5d7722d776b7c4deac957755f22'],
})

const UserKey = Type.Object(
  {
    object: Type.Literal('user_key'),
    key: PublicKey,
    use: textEnum(['signs messages', 'signs in'], { examples: ['signs messages'] }),
    source: textEnum(['chain', 'message'], {
      description: 'Whether the chain or a message has added it.',
      examples: ['chain'],
    }),
    active: Type.Boolean({
      description: 'Whether it may be used now. A key that a message has added expires.',
      examples: [true],
    }),
    changed_at: nullable(DateTime, {
      description: 'When the chain last added or removed it. null: a message has added it.',
    }),
    requested_by: nullable(
      Type.Object({ fid: Fid, username: nullable(Username) }, { description: 'Account of an app.' }),
      { description: 'The app that asked for it, as the key registry says; null when it does not.' },
    ),
    app: nullable(
      Type.Object(
        { id: Uuid, name: Type.String({ examples: ['garden'] }) },
        { description: 'App of this server.' },
      ),
      { description: 'The app of this server that has the key; null for keys of others.' },
    ),
  },
  { $id: 'UserKey', description: 'A key of a user.' },
)
export type UserKey = Static<typeof UserKey>

export const UserKeysResponse = namedObject('UserKeysResponse', {
  keys: Type.Array(UserKey),
  next: NextCursor,
})
