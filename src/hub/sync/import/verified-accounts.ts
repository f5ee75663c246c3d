import { Type } from '@sinclair/typebox'
import type { Database, Queryable, Transaction } from '../../../platform/db/connection.js'
import { loadImportCursor, saveImportCursor } from './import-cursor.js'
import type { PublicApi } from './public-api.js'

/** Accounts on other platforms that the public client has verified (docs/protocol.md §7.1). */
const Verifications = Type.Object({
  result: Type.Object({
    verifications: Type.Array(
      Type.Object({
        fid: Type.Integer({ minimum: 1 }),
        platform: Type.String(),
        platformUsername: Type.String({ minLength: 1, maxLength: 256 }),
        verifiedAt: Type.Integer({ minimum: 0 }),
      }),
    ),
  }),
  next: Type.Optional(Type.Object({ cursor: Type.Optional(Type.String()) })),
})

const NAME = 'verified accounts'
const PAGE = 1000
/** Platforms that users are shown with. */
const PLATFORMS: ReadonlySet<string> = new Set(['x', 'github'])

/**
 * Imports verified accounts on X and GitHub, page by page, and returns their number. The next run resumes at the
 * last cursor. `onChanged` gets fids whose accounts changed, in the transaction that changes them: a page that is read again
 * changes nothing. @throws Error if the API does not answer.
 */
export async function importVerifiedAccounts(
  db: Database,
  api: PublicApi,
  onChanged: (transaction: Transaction, fids: readonly number[]) => Promise<void>,
): Promise<number> {
  let imported = 0
  for (;;) {
    const before = (await loadImportCursor(db, NAME)) ?? undefined
    const { result, next } = await api.get(
      '/fc/account-verifications',
      { limit: PAGE, cursor: before },
      Verifications,
    )
    const accounts = result.verifications.filter(({ platform }) => PLATFORMS.has(platform))
    await db.begin(async (transaction) => {
      const changed = await saveAccounts(transaction, accounts)
      if (changed.length > 0) await onChanged(transaction, changed)
    })
    imported += accounts.length
    if (next?.cursor === undefined || next.cursor === before) return imported
    await saveImportCursor(db, NAME, next.cursor)
  }
}

interface VerifiedAccount {
  readonly fid: number
  readonly platform: string
  readonly platformUsername: string
  readonly verifiedAt: number
}

/** @returns the fids whose accounts changed. */
async function saveAccounts(db: Queryable, accounts: readonly VerifiedAccount[]): Promise<number[]> {
  if (accounts.length === 0) return []
  const rows = await db<{ fid: number }[]>`
    insert into social.verified_accounts (fid, platform, username, verified_at)
    select distinct on (fid, platform) fid, platform, username, verified_at
    from unnest(
      ${accounts.map(({ fid }) => fid)}::bigint[],
      ${db.types.texts(accounts.map(({ platform }) => platform))}::text[],
      ${db.types.texts(accounts.map(({ platformUsername }) => platformUsername))}::text[],
      ${accounts.map(({ verifiedAt }) => verifiedAt)}::bigint[]
    ) as given (fid, platform, username, verified_at)
    order by fid, platform, verified_at desc
    on conflict (fid, platform) do update
    set username = excluded.username, verified_at = excluded.verified_at
    where verified_accounts.verified_at < excluded.verified_at
    returning fid
  `
  return [...new Set(rows.map(({ fid }) => fid))]
}
