import { type Address, type Hex, maxUint256, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { openMarket } from '../../../test/chain/market.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../test/database.js'
import { transferTopic } from './balances.js'
import { followTokens } from './testing/followed-tokens.js'

const { db } = await createTestDatabase()
const chain = await startTestChain()
const followed = followTokens({ db, chain, confirmations: 4 })
const holder = chain.account(1).address

/** Code that answers every call with nine transfers of 2^256 - 1 from the zero address to the holder. */
function overflowingCode(): Hex {
  const storeAmount = `7f${maxUint256.toString(16)}5f52`
  const transfer = `73${holder.slice(2)}5f7f${transferTopic.slice(2)}60205fa3`
  return `0x${storeAmount}${transfer.repeat(9)}00`
}

async function balancesOf(token: Address): Promise<Record<string, bigint>> {
  const rows = await db<{ holder: string; balance: string }[]>`
    select '0x' || encode(holder, 'hex') as holder, balance::text as balance
    from tokens.balances b join tokens.tokens t on t.id = b.token_id
    where t.address = ${Buffer.from(token.slice(2), 'hex')}::bytea`
  return Object.fromEntries(rows.map(({ holder, balance }) => [holder, BigInt(balance)]))
}

it('liveHandler: a token whose transfers sum up to more than 2^256 stops no other token', async () => {
  const [hostile, other] = [
    await chain.deployToken('Apple', 'APL', 18),
    await chain.deployToken('Pear', 'PEAR', 6),
  ]
  for (const token of [hostile, other]) await followed.watch(token)
  await chain.client.setCode({ address: hostile, bytecode: overflowingCode() })
  await followed.catchUp()
  const total = 9n * maxUint256
  const overflow = { [zeroAddress]: -total, [holder.toLowerCase()]: total }

  await chain.send(chain.account(0), {
    contract: 'Token',
    address: hostile,
    functionName: 'mint',
    args: [holder, 1n],
  })
  await chain.send(chain.account(0), {
    contract: 'Token',
    address: other,
    functionName: 'mint',
    args: [holder, 5n],
  })
  await followed.catchUp()
  expect(await balancesOf(hostile)).toEqual(overflow)
  expect(await balancesOf(other)).toMatchObject({ [holder.toLowerCase()]: 5n })

  await chain.reorg(2)
  await followed.catchUp()
  expect(await balancesOf(hostile)).toEqual({})
})

it('liveHandler: a reorganization beyond the confirmations -> the trades are those of the new chain', async () => {
  const [plum, fig] = [await chain.deployToken('Plum', 'PLUM', 18), await chain.deployToken('Fig', 'FIG', 18)]
  const trader = chain.account(2)
  const reserves = [
    [plum, 1_000_000n],
    [fig, 1_000_000n],
  ] as const
  const market = await openMarket(chain, 'PairV2', reserves, [trader])
  await followed.watch(plum, [market.pool])
  await followed.catchUp()
  const kept = await market.swap(trader, plum, 10n)
  const snapshot = await chain.client.snapshot()
  await market.swap(trader, plum, 20n)
  await chain.mine(8)
  await followed.catchUp()

  await chain.client.revert({ id: snapshot })
  const canonical = await market.swap(trader, plum, 30n)
  await chain.mine(9)
  await followed.catchUp()
  const trades = await db<{ hash: string }[]>`
    select '0x' || encode(transaction_hash, 'hex') as hash from tokens.trades order by block`
  expect(trades.map(({ hash }) => hash)).toEqual([kept, canonical])
})
