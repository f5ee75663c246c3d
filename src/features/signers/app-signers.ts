import type { Database } from '../../platform/db/connection.js'
import { KEY_TYPE_ED25519 } from '../../protocol/key-rules.js'
import { type SignerRecord, signerColumns, signerRecords } from './signer-record.js'

/** A key that an app has requested, and its user. */
export interface AppSigner extends Omit<SignerRecord, 'sealedKey'> {
  /** Whether this server has the private key. */
  readonly isHeld: boolean
  readonly username: string | null
  /** Unix milliseconds. */
  readonly createdAtMs: number
}

/** Lists the signers of an app, newest first: all, or the approved ones that sign messages of these users. */
export async function listSignersOfApp(
  db: Database,
  appId: string,
  {
    limit,
    before,
    fids,
  }: {
    readonly limit: number
    readonly fids: readonly number[] | null
    readonly before: { readonly createdAtMs: number; readonly id: string } | null
  },
): Promise<AppSigner[]> {
  // From the keys of the users: an app may have signers of everybody.
  const isOfUsers =
    fids === null
      ? db`true`
      : db`
        public_key in (select k.key from hub.signers k where k.fid = any (${[...fids]}::bigint[]) and k.active)
        and fid = any (${[...fids]}::bigint[]) and status = 'approved' and key_type = ${KEY_TYPE_ED25519}`
  const rows = await db<(SignerRecord & Omit<AppSigner, 'isHeld'>)[]>`
    select ${signerColumns(db)}, u.username, s."createdAtMs"
    from (
      select *, floor(extract(epoch from created_at) * 1000)::bigint as "createdAtMs" from ${signerRecords(db)} r
      where app_id = ${appId} and ${isOfUsers}
    ) s
    left join social.users u on u.fid = s.fid
    where ${before === null} or (s."createdAtMs", s.id) < (${before?.createdAtMs ?? 0}::bigint, ${before?.id ?? appId}::uuid)
    order by s."createdAtMs" desc, s.id desc
    limit ${limit}`
  return rows.map(({ sealedKey, ...row }) => ({ ...row, isHeld: sealedKey !== null }))
}
