import { Type } from '@sinclair/typebox'
import type { Database, Queryable, Transaction } from '../../../platform/db/connection.js'
import { beginPeriod, loadImportCursor, saveImportCursor } from './import-cursor.js'
import type { PublicApi } from './public-api.js'

/** Accounts on other platforms that the public client has verified (docs/protocol.md §7.1). */
const Verification = Type.Object({
  fid: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  platform: Type.String(),
  // PostgreSQL stores no text with NUL.
  platformUsername: Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\u0000]*$' }),
  verifiedAt: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})
const Verifications = Type.Object({
  result: Type.Object({ verifications: Type.Array(Type.Unknown()) }),
  next: Type.Optional(Type.Object({ cursor: Type.Optional(Type.String()) })),
})

const NAME = 'verified accounts'
const PAGE = 1000
/** Platforms that users are shown with. */
const PLATFORMS: ReadonlySet<string> = new Set(['x', 'github'])

const COMPLETE_NAME = 'verified accounts from the start'
const COMPLETE_HOURS = 24
/** Most accounts of a complete read, which holds them in memory. */
const MAX_ACCOUNTS = 2_000_000
/** Most accounts that a complete read ends: so many, or this share. More look like a list with a gap. */
const MAX_ENDED = 100
const MAX_ENDED_SHARE = 0.1
/** Stored accounts of one statement. */
const BATCH = 1000

/** Gets fids whose accounts changed, in the transaction that changes them. */
type OnChanged = (transaction: Transaction, fids: readonly number[]) => Promise<void>

/**
 * Imports verified accounts on X and GitHub, and returns the number of new ones. About once a day it also reads the whole
 * list, and ends accounts that are no longer in it: users disconnect them, and names pass to others.
 *
 * @throws Error if the API does not answer, or if so much is missing in the whole list that it looks incomplete.
 */
export async function importVerifiedAccounts(
  db: Database,
  api: PublicApi,
  onChanged: OnChanged,
): Promise<number> {
  // The first run reads the whole list, and there is nothing to end.
  const isFirst = (await loadImportCursor(db, NAME)) === null
  if (isFirst) await beginPeriod(db, COMPLETE_NAME, COMPLETE_HOURS)
  const imported = await importNewAccounts(db, api, onChanged)
  if (await beginPeriod(db, COMPLETE_NAME, COMPLETE_HOURS))
    await endUnlisted(db, await readAllAccounts(api), onChanged)
  return imported
}

/** Imports accounts page by page, from the last cursor of the run before. A page that is read again changes nothing. */
async function importNewAccounts(db: Database, api: PublicApi, onChanged: OnChanged): Promise<number> {
  let imported = 0
  for (;;) {
    const before = (await loadImportCursor(db, NAME)) ?? undefined
    const { accounts, cursor } = await readPage(api, before)
    await db.begin(async (transaction) => {
      const changed = await saveAccounts(transaction, accounts)
      if (changed.length > 0) await onChanged(transaction, changed)
    })
    imported += accounts.length
    if (cursor === undefined || cursor === before) return imported
    await saveImportCursor(db, NAME, cursor)
  }
}

/** Reads one page, and the cursor of the next one. */
async function readPage(api: PublicApi, cursor: string | undefined) {
  const { result, next } = await api.get('/fc/account-verifications', { limit: PAGE, cursor }, Verifications)
  return {
    accounts: api
      .wellFormed(result.verifications, Verification)
      .filter(({ platform }) => PLATFORMS.has(platform)),
    cursor: next?.cursor,
  }
}

/** Accounts by `keyOf`: the latest of each user and platform. */
type ListedAccounts = ReadonlyMap<string, VerifiedAccount>

function keyOf({ fid, platform }: Pick<VerifiedAccount, 'fid' | 'platform'>): string {
  return `${fid}/${platform}`
}

/** Reads the whole list. @throws Error also if it is too long. */
async function readAllAccounts(api: PublicApi): Promise<ListedAccounts> {
  const listed = new Map<string, VerifiedAccount>()
  const readCursors = new Set<string | undefined>()
  let cursor: string | undefined
  do {
    readCursors.add(cursor)
    const page = await readPage(api, cursor)
    for (const { fid, platform, platformUsername, verifiedAt } of page.accounts) {
      const account = { fid, platform, platformUsername, verifiedAt }
      const known = listed.get(keyOf(account))
      if (!known || known.verifiedAt < verifiedAt) listed.set(keyOf(account), account)
    }
    if (listed.size > MAX_ACCOUNTS) throw new Error(`more than ${MAX_ACCOUNTS} verified accounts`)
    cursor = page.cursor
    // The last page has its own cursor as the next one, or none.
  } while (cursor !== undefined && !readCursors.has(cursor))
  return listed
}

/** Deletes stored accounts that are not listed, and replaces those that are listed with another name. */
async function endUnlisted(db: Database, listed: ListedAccounts, onChanged: OnChanged): Promise<void> {
  const { ended, stored } = await findUnlisted(db, listed)
  if (ended.length === 0) return
  if (listed.size === 0 || ended.length > Math.max(MAX_ENDED, stored * MAX_ENDED_SHARE)) {
    const missing = `${ended.length} of ${stored} verified accounts are missing`
    throw new Error(`the list of the public client looks incomplete: ${missing}. None was removed`)
  }
  for (let start = 0; start < ended.length; start += BATCH) {
    const batch = ended.slice(start, start + BATCH)
    await db.begin(async (transaction) => {
      const fids = await deleteAccounts(transaction, batch)
      const replacements = batch.flatMap((account) => listed.get(keyOf(account)) ?? [])
      fids.push(...(await saveAccounts(transaction, replacements)))
      if (fids.length > 0) await onChanged(transaction, [...new Set(fids)])
    })
  }
}

type StoredAccount = Pick<VerifiedAccount, 'fid' | 'platform' | 'platformUsername'>

async function findUnlisted(db: Database, listed: ListedAccounts) {
  const ended: StoredAccount[] = []
  let stored = 0
  let last = { fid: 0, platform: '' }
  for (;;) {
    const rows = await db<StoredAccount[]>`
      select fid, platform, username as "platformUsername"
      from social.verified_accounts
      where (fid, platform) > (${last.fid}::bigint, ${last.platform}::text)
      order by fid, platform
      limit ${BATCH}`
    stored += rows.length
    ended.push(...rows.filter((row) => listed.get(keyOf(row))?.platformUsername !== row.platformUsername))
    if (rows.length < BATCH) return { ended, stored }
    last = rows.at(-1)!
  }
}

/** @returns the fids of the deleted accounts. */
async function deleteAccounts(db: Queryable, accounts: readonly StoredAccount[]): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`
    delete from social.verified_accounts v
    using unnest(
      ${accounts.map(({ fid }) => fid)}::bigint[],
      ${db.types.texts(accounts.map(({ platform }) => platform))}::text[],
      ${db.types.texts(accounts.map(({ platformUsername }) => platformUsername))}::text[]
    ) as ended (fid, platform, username)
    where v.fid = ended.fid and v.platform = ended.platform and v.username = ended.username
    returning v.fid
  `
  return rows.map(({ fid }) => fid)
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
