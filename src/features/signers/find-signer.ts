import type { Database } from '../../platform/db/connection.js'
import {
  type KeyType,
  MESSAGE_KEY_TYPE,
  type SignerRecord,
  signerColumns,
  signerRecords,
} from './signer-record.js'

/** A signer whose private half is here. */
export interface HeldSigner extends SignerRecord {
  readonly sealedKey: Buffer
}

/** What names signers: canonical UUIDs. Whatever else comes is as unknown as one that was never given out. */
export const signerUuidPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** The signer with this name, whoever's it is; null when there is none. */
export async function findSigner(db: Database, signerUuid: string): Promise<HeldSigner | null> {
  if (!signerUuidPattern.test(signerUuid)) return null
  const [found] = await db<HeldSigner[]>`
    select ${signerColumns(db)} from ${signerRecords(db)} s
    where id = ${signerUuid} and sealed_key is not null`
  return found ?? null
}

/** What an app has asked for by the key itself, of a kind; null when nobody has. */
export async function findKey(db: Database, keyType: KeyType, key: Buffer): Promise<SignerRecord | null> {
  const [found] = await db<SignerRecord[]>`
    select ${signerColumns(db)} from ${signerRecords(db)} s
    where key_type = ${keyType} and public_key = ${key}::bytea`
  return found ?? null
}

/** An app's signers for the users that an address holds, approved or revoked, from the oldest to the newest. */
export async function listSignersOfCustody(
  db: Database,
  { appId, custody }: { readonly appId: string; readonly custody: Buffer },
): Promise<HeldSigner[]> {
  return await db<HeldSigner[]>`
    select ${signerColumns(db)}
    from ${signerRecords(db)} s
    where app_id = ${appId} and sealed_key is not null
      and public_key in (
        select k.key
        from hub.fids f
        join hub.signers k on k.fid = f.fid
        where f.custody_address = ${custody}::bytea and k.key_type = ${MESSAGE_KEY_TYPE}
      )
      and fid in (select f.fid from hub.fids f where f.custody_address = ${custody}::bytea)
    order by created_at, id`
}
