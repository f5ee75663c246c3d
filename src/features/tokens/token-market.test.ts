import { beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { countHolders, readTokenStats } from './token-market.js'
import { deleteBalances } from './tracked-tokens.js'

const { db } = await createTestDatabase()
let id: number

beforeEach(async () => {
  await db`truncate tokens.tokens cascade`
  const [token] = await db<{ id: number }[]>`
    insert into tokens.tokens (network, address, name, symbol, decimals, live_from, read_to)
    values ('base', '\\x01', 'Apple', 'APL', 18, 10, 10)
    returning id`
  id = token!.id
})

/** Adds addresses with a balance. */
async function addHolders(first: number, count: number): Promise<void> {
  await db`
    insert into tokens.balances (token_id, holder, balance)
    select ${id}, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1
    from generate_series(${first}::integer, ${first + count - 1}::integer) n`
}

const holders = async () => (await readTokenStats(db, [id]))[0]!.holders

it('readTokenStats: up to a thousand holders are counted at once', async () => {
  await addHolders(1, 1_000)
  await db`insert into tokens.balances (token_id, holder, balance) values (${id}, '\\x00', -1000)`
  expect(await holders()).toBe(1_000)
})

it('readTokenStats: of more holders it has the last count', async () => {
  await addHolders(1, 1_001)
  expect(await holders()).toBeNull()
  await countHolders(db)
  expect(await holders()).toBe(1_001)
  await addHolders(2_000, 5)
  expect(await holders()).toBe(1_001)
  await countHolders(db)
  expect(await holders()).toBe(1_006)
})

it('readTokenStats: a token that is tracked again has no count of before', async () => {
  await addHolders(1, 1_001)
  await countHolders(db)
  await db.begin((transaction) => deleteBalances(transaction, [id]))
  await db`update tokens.tokens set live_from = 10, read_to = 10`
  await addHolders(1, 1_001)
  expect(await holders()).toBeNull()
})

it('readTokenStats: a token whose owners are not indexed has no holders', async () => {
  await addHolders(1, 2)
  await db`update tokens.tokens set read_to = 9`
  await countHolders(db)
  expect(await holders()).toBeNull()
})
