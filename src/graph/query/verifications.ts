import type { Database } from '../../platform/db/connection.js'
import { type DehydratedUserRow, dehydratedUserColumns } from './dehydrated-user-columns.js'

/** Finds the user who verified an address last; null if nobody did. */
export async function findLatestVerifier(db: Database, address: Buffer): Promise<number | null> {
  const [row] = await db<{ fid: number }[]>`
    select fid from social.verifications where address = ${address} order by ts desc, fid desc limit 1`
  return row?.fid ?? null
}

/** An address that a user verified. */
export interface VerificationRow {
  readonly address: Buffer
  /** Protocol: 0 Ethereum, 1 Solana. */
  readonly protocol: number
  /** Farcaster seconds. */
  readonly ts: number
  /** The app whose key signed it; null if unknown. */
  readonly app: DehydratedUserRow | null
}

/** Reads a user's verified addresses, latest first. */
export async function readVerifications(db: Database, fid: number): Promise<VerificationRow[]> {
  return await db<VerificationRow[]>`
    select v.address, v.protocol, v.ts, ${dehydratedUserColumns(db, 'app')} as app
    from social.verifications v
    left join social.signer_apps a on a.fid = v.fid and a.key = v.signer
    left join social.users app on app.fid = a.app_fid
    where v.fid = ${fid}
    order by v.ts desc, v.address
  `
}
