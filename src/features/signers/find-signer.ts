import type { Database } from '../../platform/db/connection.js'
import {
  type KeyType,
  MESSAGE_KEY_TYPE,
  type SignerRecord,
  signerColumns,
  signerRecords,
} from './signer-record.js'

/** A signer whose private key this server holds. */
export interface HeldSigner extends SignerRecord {
  readonly sealedKey: Buffer
}

/** Matches canonical UUIDs. Any other signer_uuid is reported as unknown. */
export const signerUuidPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** Finds a signer of any app; null when there is none. */
export async function findSigner(db: Database, signerUuid: string): Promise<HeldSigner | null> {
  if (!signerUuidPattern.test(signerUuid)) return null
  const [found] = await db<HeldSigner[]>`
    select ${signerColumns(db)} from ${signerRecords(db)} s
    where id = ${signerUuid} and sealed_key is not null`
  return found ?? null
}

/** Finds the request for a key of a type; null when there is none. */
export async function findKey(db: Database, keyType: KeyType, key: Buffer): Promise<SignerRecord | null> {
  const [found] = await db<SignerRecord[]>`
    select ${signerColumns(db)} from ${signerRecords(db)} s
    where key_type = ${keyType} and public_key = ${key}::bytea`
  return found ?? null
}

/** Lists an app's approved and revoked signers of the users with a custody address, oldest first. */
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
