import { expect } from 'vitest'
import { signerKeyContext } from '../../src/features/signers/signer-record.js'
import { connect } from '../../src/platform/db/connection.js'
import { createVault } from '../../src/platform/vault/vault.js'
import type { RecordedRun } from './recorded-run.js'
import type { RecordedOutput } from './secret-search.js'

/** Returns the decrypted private keys of signers. */
export async function collectSignerKeys(run: RecordedRun): Promise<void> {
  const db = connect(run.databaseUrl, { poolSize: 1, applicationName: 'test' })
  const vault = createVault([run.secretKey])
  const rows = await db<{ id: string; sealedKey: Buffer }[]>`
    select id, sealed_key as "sealedKey" from signers.signers where sealed_key is not null`
  expect(rows.length).toBeGreaterThanOrEqual(2)
  for (const { id, sealedKey } of rows) {
    run.search.add(`the private half of signer ${id}`, vault.open(sealedKey, signerKeyContext(id)))
  }
  await db.end()
}

/** Returns all rows of all tables as text; bytes are hex. */
export async function dumpDatabase({ databaseUrl }: RecordedRun): Promise<RecordedOutput[]> {
  const db = connect(databaseUrl, { poolSize: 1, applicationName: 'test' })
  const tables = await db<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')
    order by 1`
  const dump: RecordedOutput[] = []
  for (const { name } of tables) {
    const rows = await db.unsafe<{ row: string }[]>(`select t::text as row from ${name} t`)
    dump.push({ source: `table ${name}`, text: rows.map(({ row }) => row).join('\n') })
  }
  await db.end()
  return dump
}
