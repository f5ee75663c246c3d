import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import type { AccountRecovery } from '../../protocol/account-recovery.js'
import { asBuffer } from '../../protocol/bytes.js'
import { MessageType, UserDataType, UserNameProof, UserNameType } from '../../protocol/definitions.js'
import { KEY_TYPE_ED25519 } from '../../protocol/key-rules.js'
import { recoverKeyAddCustody } from '../../protocol/kinds/key.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'

/** State of a claim by the database and the other messages of a submission. */
export interface ClaimState {
  /** Whether the signer may sign for the fid: others must not cause questions to a chain. */
  readonly isSigned: boolean
  /** The name that is proven; null for the claim of a wallet, and if the fid has no proof of its username. */
  readonly proof: UserNameProof | null
  /** Whether the owner in the proof is the custody or a verified address of the fid. */
  readonly isOwner: boolean
}

/**
 * Reads the state of claims, aligned with them. `submitted` holds all messages that merge with them, each with the body of
 * its type, and `recover` finds who signed the keys that these add. The state is that after all of them, of which the
 * merge may refuse some: it compares again.
 */
export async function readClaimStates(
  db: Database,
  claims: readonly SignedMessage[],
  submitted: readonly SignedMessage[],
  recover: AccountRecovery,
): Promise<ClaimState[]> {
  const proofs = await findProofs(db, claims, submitted)
  const owners = proofs.map((proof) => (proof === null ? Buffer.alloc(0) : asBuffer(proof.owner)))
  const rows = await db<StateRow[]>`
    select
      exists (
        select from hub.signers s
        where s.fid = claims.fid and s.key = claims.signer and s.key_type = ${literal(db, KEY_TYPE_ED25519)} and s.active
      ) or exists (
        select from hub.gasless_keys k
        where k.key = claims.signer and k.fid = claims.fid
      ) as "isSigned",
      exists (
        select from hub.fids f
        where f.fid = claims.fid and f.custody_address = claims.owner
      ) or exists (
        select from hub.messages m
        where m.fid = claims.fid
          and m.set = ${MessageSet.verifications}::smallint
          and m.key = claims.owner
          and m.type = ${MessageType.VERIFICATION_ADD_ETH_ADDRESS}::smallint
      ) as "isOwner",
      (select f.custody_address from hub.fids f where f.fid = claims.fid) as custody
    from unnest(
      ${claims.map(({ data }) => data.fid)}::bigint[],
      ${db.types.byteas(claims.map(({ signer }) => signer))}::bytea[],
      ${db.types.byteas(owners)}::bytea[]
    ) with ordinality as claims (fid, signer, owner, position)
    order by position
  `
  const verified = new Set<string>()
  for (const { data } of submitted) {
    const { fid, verificationAddAddressBody: verification } = data
    if (verification) verified.add(ownedBy(fid, verification.address))
  }
  const added = await findAddedKeys(claims, rows, submitted, recover)
  return rows.map(({ isSigned, isOwner }, index) => {
    const { data, signer } = claims[index]!
    return {
      isSigned: isSigned || added.has(ownedBy(data.fid, signer)),
      proof: proofs[index]!,
      isOwner: isOwner || verified.has(ownedBy(data.fid, owners[index]!)),
    }
  })
}

interface StateRow extends Pick<ClaimState, 'isSigned' | 'isOwner'> {
  /** 20 bytes; null for a fid that is not registered. */
  readonly custody: Buffer | null
}

/**
 * Finds the signers of claims whose key the submission adds. Anybody can add a key to any fid with a signature of
 * their own, which is well-formed: only that of the fid's custody address counts.
 */
async function findAddedKeys(
  claims: readonly SignedMessage[],
  rows: readonly StateRow[],
  submitted: readonly SignedMessage[],
  recover: AccountRecovery,
): Promise<ReadonlySet<string>> {
  const custodies = new Map<string, Buffer>()
  for (const [index, { isSigned, custody }] of rows.entries()) {
    const { data, signer } = claims[index]!
    if (!isSigned && custody !== null) custodies.set(ownedBy(data.fid, signer), custody)
  }
  const added = await Promise.all(
    submitted.map(async ({ data }) => {
      const { fid, keyAddBody: body } = data
      const custody = body && custodies.get(ownedBy(fid, body.key))
      if (!custody) return []
      const signedBy = await recoverKeyAddCustody(body, fid, recover)
      return signedBy?.equals(custody) ? [ownedBy(fid, body.key)] : []
    }),
  )
  return new Set(added.flat())
}

/** Identifies an address or a key together with its user. */
function ownedBy(fid: number, bytes: Uint8Array): string {
  return `${fid}/${asBuffer(bytes).toString('hex')}`
}

/** Returns the name that a USERNAME entry shows and that a chain must confirm; null for other messages. */
export function usernameOnChain({ data }: SignedMessage): string | null {
  const { userDataBody: body } = data
  return body?.type === UserDataType.USERNAME && body.value.endsWith('.eth') ? body.value : null
}

/** Finds the proof of each name: that in the message, or for a username the one that the fid has, stored or submitted. */
async function findProofs(
  db: Database,
  claims: readonly SignedMessage[],
  submitted: readonly SignedMessage[],
): Promise<(UserNameProof | null)[]> {
  const names = claims.flatMap((claim) => usernameOnChain(claim) ?? [])
  const proofs = new Map<string, UserNameProof>()
  if (names.length > 0) {
    const rows = await db<{ proof: Buffer }[]>`
      select proof
      from hub.username_proofs
      where name = any (${db.types.texts(names)}::text[])
        and fid > 0
        and type <> ${UserNameType.USERNAME_TYPE_FNAME}::smallint
    `
    for (const { proof } of rows) addProof(proofs, UserNameProof.decode(proof))
  }
  for (const { data } of submitted) if (data.usernameProofBody) addProof(proofs, data.usernameProofBody)
  return claims.map((claim) => {
    const name = usernameOnChain(claim)
    if (name === null) return claim.data.usernameProofBody ?? null
    return proofs.get(proofKey(claim.data.fid, name)) ?? null
  })
}

/** Adds a proof unless the user has a later one of the name, which the merge would keep. */
function addProof(proofs: Map<string, UserNameProof>, proof: UserNameProof): void {
  const key = proofKey(proof.fid, asBuffer(proof.name).toString('utf8'))
  if ((proofs.get(key)?.timestamp ?? 0) <= proof.timestamp) proofs.set(key, proof)
}

function proofKey(fid: number, name: string): string {
  return `${fid}/${name}`
}
