import { UserNameProof } from '@farcaster/core'

/** The holder of a name: a row of `hub.username_proofs`. */
export interface NameHolder {
  readonly name: string
  /** 0 after a release; the row remains, so that an older transfer cannot restore the name. */
  readonly fid: number
  readonly proof: UserNameProof
  /** Hash of the message that carried the proof; null for transfers of the fname registry. */
  readonly messageHash: Buffer | null
}

/** Returns the name of a proof. Names are ASCII (docs/protocol.md §3.3.8). */
export function nameOf(proof: UserNameProof): string {
  return Buffer.from(proof.name).toString('utf8')
}

/** Encodes a proof for storage. */
export function encodeProof(proof: UserNameProof): Buffer {
  return Buffer.from(UserNameProof.encode(proof).finish())
}

/** Decodes a stored proof. */
export function decodeProof(bytes: Buffer): UserNameProof {
  return UserNameProof.decode(bytes)
}
