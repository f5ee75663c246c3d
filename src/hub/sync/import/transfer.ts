import { type Static, Type } from '@sinclair/typebox'
import { UserNameProof, UserNameType } from '../../../protocol/definitions.js'

/** A transfer of the fname registry (docs/protocol.md §7.2). */
export const Transfer = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  timestamp: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  username: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,15}$' }),
  owner: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
  to: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  server_signature: Type.String({ pattern: '^0x([0-9a-fA-F]{2})*$' }),
})

/** Returns a transfer as the hub merges it, of which the signature is not checked yet. */
export function proofOf({
  timestamp,
  username,
  owner,
  to,
  server_signature,
}: Static<typeof Transfer>): UserNameProof {
  return UserNameProof.create({
    timestamp,
    name: Buffer.from(username),
    owner: Buffer.from(owner.slice(2), 'hex'),
    signature: Buffer.from(server_signature.slice(2), 'hex'),
    fid: to,
    type: UserNameType.USERNAME_TYPE_FNAME,
  })
}
