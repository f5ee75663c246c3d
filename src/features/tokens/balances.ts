import { type Hex, toEventSelector } from 'viem'
import type { ChainName } from '../../hub/chain/chains.js'
import { type ChainLog, WORD_LENGTH } from '../../hub/chain/endpoint.js'
import type { Transaction } from '../../platform/db/connection.js'
import { bytesOfHex } from '../../protocol/bytes.js'

/** First topic of transfers. */
export const transferTopic: Hex = toEventSelector('Transfer(address,address,uint256)')

/** The change of one holder's balance by transfers. */
export interface BalanceChange {
  readonly tokenId: number
  /** Lowercase hex with 0x. */
  readonly holder: Hex
  readonly block: number
  /** In the token's smallest unit. */
  readonly amount: bigint
}

/** A token whose transfers are applied. */
export interface TrackedToken {
  readonly id: number
  /** The backfill reads transfers of earlier blocks. */
  readonly liveFrom: number
}

/** Transfers have three topics and a word. NFT transfers share the event name but have four topics. */
const TRANSFER_TOPICS = 3

/**
 * Sums transfers by token, holder and block; each transfer has a sender and a receiver.
 *
 * @param tokens By address in lowercase hex with 0x.
 */
export function balanceChangesOf(
  logs: readonly ChainLog[],
  tokens: ReadonlyMap<Hex, TrackedToken>,
): BalanceChange[] {
  const changes: BalanceChange[] = []
  for (const { address, topics, data, blockNumber: block } of logs) {
    const token = tokens.get(address)
    if (token === undefined || block < token.liveFrom) continue
    if (topics[0] !== transferTopic || topics.length !== TRANSFER_TOPICS || data.length !== WORD_LENGTH)
      continue
    const amount = BigInt(data)
    const [sender, receiver] = topics.slice(1).map((topic): Hex => `0x${topic.slice(-40)}`)
    changes.push({ tokenId: token.id, holder: sender!, block, amount: -amount })
    changes.push({ tokenId: token.id, holder: receiver!, block, amount })
  }
  return sumChanges(changes, ({ block, tokenId, holder }) => `${block} ${tokenId} ${holder}`)
}

/** Sums changes with the same key, and leaves out those that are zero. */
function sumChanges(changes: readonly BalanceChange[], keyOf: (change: BalanceChange) => string) {
  const sums = new Map<string, BalanceChange>()
  for (const change of changes) {
    const key = keyOf(change)
    sums.set(key, { ...change, amount: change.amount + (sums.get(key)?.amount ?? 0n) })
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}

/** Adds changes to the balances. */
export async function applyChanges(db: Transaction, changes: readonly BalanceChange[]): Promise<void> {
  const sums = sumChanges(changes, ({ tokenId, holder }) => `${tokenId} ${holder}`)
  if (sums.length === 0) return
  const tokenIds = sums.map(({ tokenId }) => tokenId)
  const holders = db.types.byteas(sums.map(({ holder }) => bytesOfHex(holder)))
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
  network: ChainName,
  changes: readonly BalanceChange[],
): Promise<void> {
  if (changes.length === 0) return
  await db`
    insert into tokens.changes (network, block, token_id, holder, amount)
    select ${network}, block, token_id, holder, amount::numeric
    from unnest(
      ${changes.map(({ block }) => block)}::bigint[],
      ${changes.map(({ tokenId }) => tokenId)}::integer[],
      ${db.types.byteas(changes.map(({ holder }) => bytesOfHex(holder)))}::bytea[],
      ${db.types.texts(changes.map(({ amount }) => amount.toString()))}::text[]
    ) as c (block, token_id, holder, amount)
  `
}

/** Deletes the recorded changes of final blocks, up to this one. */
export async function deleteFinalChanges(db: Transaction, network: ChainName, last: number): Promise<void> {
  await db`delete from tokens.changes where network = ${network} and block <= ${last}::bigint`
}

/** Reverts the changes from this block on. */
export async function revertChanges(db: Transaction, network: ChainName, fromBlock: number): Promise<void> {
  const rows = await db<{ tokenId: number; block: number; holder: Hex; amount: string }[]>`
    delete from tokens.changes
    where network = ${network} and block >= ${fromBlock}::bigint
    returning token_id as "tokenId", block, '0x' || encode(holder, 'hex') as holder, amount::text as amount
  `
  const reverted = rows.map((row) => ({ ...row, amount: -BigInt(row.amount) }))
  await applyChanges(db, reverted)
}
