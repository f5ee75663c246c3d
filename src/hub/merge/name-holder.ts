import { UserNameProof } from '@farcaster/core'

/** Who holds a name: a row of `hub.username_proofs`. */
export interface NameHolder {
  readonly name: string
  /** 0 when the name was released; the row stays, so that an older transfer cannot bring it back. */
  readonly fid: number
  readonly proof: UserNameProof
  /** Hash of the message that carried the proof; null for transfers of the fname registry. */
  readonly messageHash: Buffer | null
}

/** The name that a proof is about. Names are ASCII by their rules (docs/protocol.md §3.3.8). */
export function nameOf(proof: UserNameProof): string {
  return Buffer.from(proof.name).toString('utf8')
}

/** The bytes of a proof, as they are stored. */
export function encodeProof(proof: UserNameProof): Buffer {
  return Buffer.from(UserNameProof.encode(proof).finish())
}

/** A stored proof. */
export function decodeProof(bytes: Buffer): UserNameProof {
  return UserNameProof.decode(bytes)
}
