import { type Hex, padHex, size, toEventSelector } from 'viem'
import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import type { ChainName } from '../../hub/chain/chains.js'
import type { ChainLog } from '../../hub/chain/endpoint.js'
import type { LogHandler } from '../../hub/chain/follower.js'
import type { Database, Queryable } from '../../platform/db/connection.js'
import { bytesOfHex } from '../../protocol/bytes.js'
import { isFollowed, MAX_NAMED } from './payment-frames.js'

const transferTopic = toEventSelector('Transfer(address,address,uint256)')
/** An ERC-20 transfer; one of an ERC-721 has a fourth topic and no data. */
const TRANSFER_TOPICS = 3
const WORD_BYTES = 32
/** After a reorganization of final blocks, this multiple of the confirmations is read again. */
const REREAD_FACTOR = 10

/** A payment was requested after the filter was made: the range is read again. */
class FilterIncomplete extends Error {}

interface OpenFrame {
  /** The greatest of all open payments, also of those beyond the limit. */
  readonly lastSeq: number
  readonly fromBlock: number
  readonly token: Hex
  readonly receiver: Hex
}

/**
 * Completes payments of a network by the transfers that pay them.
 *
 * Without an open payment the chain is not asked. Only final blocks are read, because apps deliver goods for a completed payment.
 * A transfer completes, of each app, the largest open payment that it is enough for, and no other. Not of all apps together: any
 * app may name the receiver and the token of another, and would take its transfers.
 *
 * @param clock Unix milliseconds.
 */
export function paymentHandler(db: Database, rpc: ChainRpc, clock: () => number): LogHandler {
  const { name: network, confirmations } = rpc.chain
  let lastSeq = 0
  let lastBlock: number | undefined
  return {
    name: `${network}/payments`,
    async firstBlock() {
      const finalBlock = Math.max(0, (await rpc.withEndpoint((endpoint) => endpoint.head())) - confirmations)
      // Payments may be requested, and made, before a process follows them for the first time.
      const open = await readOpenFrames(db, network, clock(), MAX_NAMED)
      return Math.min(finalBlock, ...open.map(({ fromBlock }) => fromBlock))
    },
    confirmedOnly: true,
    withTimes: true,
    get lastBlock() {
      return lastBlock
    },
    isIdle: async () => (await readOpenFrames(db, network, clock(), 1)).length === 0,
    async filter(nextBlock) {
      const open = await readOpenFrames(db, network, clock(), MAX_NAMED)
      lastSeq = open[0]?.lastSeq ?? 0
      const firstBlock = Math.min(...open.map(({ fromBlock }) => fromBlock))
      // Blocks before the first payment, which an idle follower has left out, are passed without their logs.
      lastBlock = nextBlock < firstBlock ? firstBlock - 1 : undefined
      if (lastBlock !== undefined || open.length === 0) return null
      return {
        addresses: [...new Set(open.map(({ token }) => token))],
        topics: [transferTopic],
        thirdTopics: [...new Set(open.map(({ receiver }) => padHex(receiver)))],
      }
    },
    read: async () => {},
    async handle({ logs, to, headers }, _, commit) {
      await commit(async (transaction) => {
        await checkFilter(transaction, { network, lastSeq, to })
        for (const log of logs) {
          await completeFrame(transaction, network, log, headers.get(log.blockNumber)!.timestamp)
        }
      })
    },
    undo: (transaction, fromBlock) => reopenFrames(transaction, network, fromBlock),
    async recoverFromDeepReorg(transaction, nextBlock) {
      const from = Math.max(0, nextBlock - REREAD_FACTOR * confirmations)
      await reopenFrames(transaction, network, from)
      return from
    },
  }
}

/** Reads the oldest open payments of a network: new ones take nothing away from those that somebody may have paid. */
async function readOpenFrames(
  db: Queryable,
  network: ChainName,
  nowMs: number,
  limit: number,
): Promise<OpenFrame[]> {
  return await db<OpenFrame[]>`
    select max(seq) over () as "lastSeq", from_block as "fromBlock", '0x' || encode(token, 'hex') as token,
      '0x' || encode(receiver, 'hex') as receiver
    from payments.frames
    where ${isFollowed(db, network, nowMs)}
    order by seq
    limit ${limit}`
}

/** A payment of a block of this range may have been requested while the range was read. */
async function checkFilter(
  db: Queryable,
  { network, lastSeq, to }: { readonly network: ChainName; readonly lastSeq: number; readonly to: number },
): Promise<void> {
  const [later] = await db`
    select from payments.frames
    where network = ${network} and completed_at is null and seq > ${lastSeq}::bigint and from_block <= ${to}::bigint
    limit 1`
  if (later) throw new FilterIncomplete('a payment was requested while the chain was read')
}

/**
 * Completes a matching payment of each app that this transfer has completed none of: the largest that it is enough for, the
 * oldest of those. The oldest of all would let somebody have a cheap one completed by what another pays for a dear one.
 */
async function completeFrame(
  db: Queryable,
  network: ChainName,
  { address, topics, data, blockNumber, transactionHash, logIndex }: ChainLog,
  timestamp: number,
): Promise<void> {
  // Apps name the contracts, and any contract may log the event in another form.
  if (topics.length !== TRANSFER_TOPICS || [...topics, data].some((word) => size(word) !== WORD_BYTES)) return
  const [sender, receiver] = [bytesOfHex(topics[1]!), bytesOfHex(topics[2]!)].map((word) =>
    word.subarray(-20),
  )
  const hash = bytesOfHex(transactionHash)
  await db`
    update payments.frames
    set completed_at = ${new Date(timestamp * 1000)}, block = ${blockNumber}::bigint, transaction_hash = ${hash},
      log_index = ${logIndex}
    where id in (
      select distinct on (f.app_id) f.id from payments.frames f
      where f.network = ${network} and f.token = ${bytesOfHex(address)} and f.receiver = ${receiver!}
        and f.completed_at is null and f.from_block <= ${blockNumber}::bigint
        and f.expires_at > ${new Date(timestamp * 1000)} and f.amount_raw <= ${String(BigInt(data))}::numeric
        and (
          f.allowlist_fids = '{}'
          or exists (select from social.users u where u.custody_address = ${sender!} and u.fid = any (f.allowlist_fids))
          or exists (
            select from social.verifications v
            where v.address = ${sender!} and v.protocol = 0 and v.fid = any (f.allowlist_fids)
          )
        )
        and not exists (
          select from payments.frames paid
          where paid.network = ${network} and paid.transaction_hash = ${hash} and paid.log_index = ${logIndex}
            and paid.app_id = f.app_id
        )
      order by f.app_id, f.amount_raw desc, f.seq
    )`
}

/** Reopens what blocks from this one on have completed: they left the chain. */
async function reopenFrames(db: Queryable, network: ChainName, fromBlock: number): Promise<void> {
  await db`
    update payments.frames
    set completed_at = null, block = null, transaction_hash = null, log_index = null
    where network = ${network} and block >= ${fromBlock}::bigint and completed_at is not null`
}
