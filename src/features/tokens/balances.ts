import type { Hex } from 'viem'
import type { NetworkName } from '../../hub/chain/networks.js'
import type { Transaction } from '../../platform/db/connection.js'
import type { BalanceChange } from './transfers.js'

/** Adds changes to the balances. */
export async function applyChanges(db: Transaction, changes: readonly BalanceChange[]): Promise<void> {
  const sums = sumChanges(changes)
  if (sums.length === 0) return
  const tokenIds = sums.map(({ tokenId }) => tokenId)
  const holders = db.types.byteas(sums.map(({ holder }) => Buffer.from(holder.slice(2), 'hex')))
  const amounts = db.types.texts(sums.map(({ amount }) => amount.toString()))
  // A fixed order avoids deadlocks between the backfill and the live handler.
  const empty = await db<{ tokenId: number; holder: Buffer }[]>`
    with written as (
      insert into tokens.balances as b (token_id, holder, balance)
      select token_id, holder, amount::numeric
      from unnest(${tokenIds}::integer[], ${holders}::bytea[], ${amounts}::text[]) as c (token_id, holder, amount)
      order by token_id, holder
      on conflict (token_id, holder) do update set balance = b.balance + excluded.balance
      returning token_id, holder, balance
    )
    select token_id as "tokenId", holder from written where balance = 0
  `
  if (empty.length === 0) return
  await db`
    delete from tokens.balances b
    using unnest(
      ${empty.map(({ tokenId }) => tokenId)}::integer[],
      ${db.types.byteas(empty.map(({ holder }) => holder))}::bytea[]
    ) as c (token_id, holder)
    where b.token_id = c.token_id and b.holder = c.holder
  `
}

/** Records the changes of blocks that are not final. */
export async function recordPendingChanges(
  db: Transaction,
  network: NetworkName,
  changes: readonly BalanceChange[],
): Promise<void> {
  if (changes.length === 0) return
  await db`
    insert into tokens.changes (network, block, token_id, holder, amount)
    select ${network}, block, token_id, holder, amount::numeric
    from unnest(
      ${changes.map(({ block }) => block)}::bigint[],
      ${changes.map(({ tokenId }) => tokenId)}::integer[],
      ${db.types.byteas(changes.map(({ holder }) => Buffer.from(holder.slice(2), 'hex')))}::bytea[],
      ${db.types.texts(changes.map(({ amount }) => amount.toString()))}::text[]
    ) as c (block, token_id, holder, amount)
  `
}

/** Deletes the recorded changes of final blocks, up to this one. */
export async function deleteFinalChanges(
  db: Transaction,
  network: NetworkName,
  lastFinal: number,
): Promise<void> {
  await db`delete from tokens.changes where network = ${network} and block <= ${lastFinal}::bigint`
}

/** Reverts the changes from this block on. */
export async function revertChanges(db: Transaction, network: NetworkName, fromBlock: number): Promise<void> {
  const rows = await db<{ tokenId: number; block: number; holder: Hex; amount: string }[]>`
    delete from tokens.changes
    where network = ${network} and block >= ${fromBlock}::bigint
    returning token_id as "tokenId", block, '0x' || encode(holder, 'hex') as holder, amount::text as amount
  `
  await applyChanges(
    db,
    rows.map((row) => ({ ...row, amount: -BigInt(row.amount) })),
  )
}

function sumChanges(changes: readonly BalanceChange[]): BalanceChange[] {
  const sums = new Map<string, BalanceChange>()
  for (const change of changes) {
    const key = `${change.tokenId} ${change.holder}`
    const before = sums.get(key)
    sums.set(key, before === undefined ? change : { ...before, amount: before.amount + change.amount })
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}
