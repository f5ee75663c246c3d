import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { ensureApp } from '../features/apps/apps.js'
import { createSigner, signerKeyContext } from '../features/signers/signer-record.js'
import { silentLog } from '../platform/log/log.js'
import { createVault } from '../platform/vault/vault.js'
import { encryptedColumns, lookForMissingKeys, reencrypt } from './encrypted-columns.js'

const { db } = await createTestDatabase()
const appId = await ensureApp(db, 'mine')
const [first, second] = ['the key of the first year', 'the key of the second year'] as const
const [signers] = encryptedColumns
const never = new AbortController().signal

it('lists every encrypted column', async () => {
  const columns = await db<{ name: string }[]>`
    select format('%s.%s.%s', table_schema, table_name, column_name) as name
    from information_schema.columns
    where column_name like 'sealed%' and data_type = 'bytea'
    order by name`
  expect(columns.map(({ name }) => name)).toEqual(
    encryptedColumns.map(({ table, encrypted }) => `${table}.${encrypted}`).sort(),
  )
})

it('re-encrypts everything once; the old key is then unnecessary', async () => {
  const [old, both, young] = [createVault([first]), createVault([second, first]), createVault([second])]
  const made = await Promise.all(Array.from({ length: 700 }, () => createSigner({ db, vault: old }, appId)))
  const { id: current } = await createSigner({ db, vault: both }, appId)
  const batches: number[] = []
  const onBatch = (count: number) => batches.push(count)
  expect(await reencrypt(db, both, signers!, { signal: never, onBatch })).toEqual({
    reencrypted: 700,
    unreadable: 0,
  })
  expect(batches).toEqual([500, 200])
  const rows = await db<{ id: string; key: Buffer }[]>`select id, sealed_key as key from signers.signers`
  expect(rows.map(({ id }) => id).sort()).toEqual([...made.map(({ id }) => id), current].sort())
  for (const { id, key } of rows) expect(young.open(key, signerKeyContext(id))).toHaveLength(32)
  expect(await reencrypt(db, both, signers!, { signal: never, onBatch })).toMatchObject({ reencrypted: 0 })
})

it('leaves values unchanged that no key decrypts, counts them, and re-encrypts the others', async () => {
  await db`delete from signers.signers`
  const make = async (key: string) => (await createSigner({ db, vault: createVault([key]) }, appId)).id
  const lost = await make('a key that was lost')
  // Their key is known, and the first of them has the value of another row.
  const [moved, old] = [await make(first), await make(first)]
  await db`update signers.signers set sealed_key = (select sealed_key from signers.signers where id = ${old}) where id = ${moved}`
  const read = async () =>
    new Map((await db`select id, sealed_key as key from signers.signers`).map(({ id, key }) => [id, key]))
  const before = await read()
  const vault = createVault([second, first])
  const rotate = () => reencrypt(db, vault, signers!, { signal: never, onBatch: () => {} })
  expect(await rotate()).toEqual({ reencrypted: 1, unreadable: 2 })
  const after = await read()
  for (const id of [lost, moved]) expect(after.get(id)).toEqual(before.get(id))
  expect(createVault([second]).open(after.get(old), signerKeyContext(old))).toHaveLength(32)
  expect(await rotate()).toEqual({ reencrypted: 0, unreadable: 2 })
})

it('stops on a signal', async () => {
  const stopped = AbortSignal.abort(new Error('stopped'))
  const rotating = reencrypt(db, createVault([first]), signers!, { signal: stopped, onBatch: () => {} })
  await expect(rotating).rejects.toThrow('stopped')
})

it('warns of secrets whose key the server does not have, and of nothing else', async () => {
  await db`delete from signers.signers`
  for (const key of [first, second]) await createSigner({ db, vault: createVault([key]) }, appId)
  const warnings = async (...keys: string[]) => {
    const lines: unknown[] = []
    const log = { ...silentLog, warn: (...line: unknown[]) => lines.push(line) }
    await lookForMissingKeys(db, createVault(keys), log)
    return lines
  }
  expect(await warnings(second, first)).toEqual([])
  expect(await warnings(second)).toEqual([
    [
      { 'signers.signers': 1 },
      expect.stringMatching(/^1 secrets in .* PLAZA_SECRET_KEY .* put secret\.key /),
    ],
  ])
  expect(await warnings()).toMatchObject([[{ 'signers.signers': 2 }, expect.anything()]])
})
