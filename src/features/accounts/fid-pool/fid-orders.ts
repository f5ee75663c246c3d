import { randomUUID } from 'node:crypto'
import { type EthAccount, ethAccount, newPrivateKey } from '../../../hub/registry/eth-account.js'
import type { Database, Queryable } from '../../../platform/db/connection.js'
import { DAY_SECONDS } from '../../../platform/durations.js'
import type { Vault } from '../../../platform/vault/vault.js'
import { lockWallet } from '../wallets/wallets.js'

/** Most fids ordered per fill of a wallet; the next fill orders more. */
const MAX_ORDERS = 100

/** A fid whose storage ends sooner is replaced: storage is paid for a year, and a fid may wait for its user for longer. */
const MIN_STORAGE_DAYS = 30

/** Delay before a failed order is retried, doubled per attempt up to the longest. */
const FIRST_RETRY_SECONDS = 1
const MAX_RETRY_SECONDS = 300

/** An order of fids. */
interface FidOrder {
  readonly walletId: string
  /** Unix seconds. */
  readonly nowSeconds: number
  /** Returns the number of callers waiting for the wallet; called under the wallet lock, so that none counts as holding a fid too. */
  readonly waitingCount: () => number
}

/**
 * Orders the fids that a wallet lacks.
 *
 * It needs as many as its users have taken and hold, callers wait for, and the pool size. A held fid that was
 * not used becomes available again and needs no replacement.
 */
export async function orderFids(
  db: Database,
  vault: Vault,
  { walletId, nowSeconds, waitingCount }: FidOrder,
): Promise<void> {
  await db.begin(async (transaction) => {
    await lockWallet(transaction, walletId)
    await retireFids(transaction, walletId, nowSeconds)
    const [row] = await transaction<{ lacking: number; network: string }[]>`
      select ${missingFidCount(transaction)} as lacking, w.network
      from accounts.wallets w
      where w.id = ${walletId}`
    const count = Math.min(row!.lacking + waitingCount(), MAX_ORDERS)
    if (count <= 0) return
    const orders = Array.from({ length: count }, () => newOrder(vault))
    await transaction`
      insert into accounts.fid_pool (id, network, paid_by, custody_address, sealed_key, ordered_at, next_attempt_at)
      select id::uuid, ${row!.network}, ${walletId}::uuid, address, sealed, now(), now()
      from unnest(
        ${db.types.texts(orders.map(({ id }) => id))}::text[],
        ${db.types.byteas(orders.map(({ address }) => address))}::bytea[],
        ${db.types.byteas(orders.map(({ sealed }) => sealed))}::bytea[]
      ) as made (id, address, sealed)`
    await transaction`
      update accounts.wallets set fids_ordered = fids_ordered + ${count}::integer where id = ${walletId}`
  })
}

/**
 * SQL: whether somebody else owns the fid of the entry `s`, or has or had a key of it. What a refused registration had signed may be
 * used by others until it expires (`releaseFid`); and what a key has published stays when it is removed: a name, casts, an
 * address to pay to.
 */
export function isLostFid(db: Queryable) {
  return db`(
    exists (select from hub.fids f where f.fid = s.fid and f.custody_address <> s.custody_address)
    or exists (select from hub.signers k where k.fid = s.fid)
  )`
}

/**
 * SQL: whether the storage of the fid of the entry `s` has ended or ends soon: its user could publish nothing. Without a known rent it
 * does not: the event of the registration is still to come.
 */
export function endsStorage(db: Queryable, nowSeconds: number) {
  return db`coalesce((
    select max(r.expires_at) < ${nowSeconds + MIN_STORAGE_DAYS * DAY_SECONDS}::bigint
    from hub.storage_rents r
    where r.fid = s.fid
  ), false)`
}

/** A fid is replaced once in this time, however wrong the clock of a process is: each replacement is paid for. */
const MIN_REPLACED_DAYS = 300

/** SQL: whether the wallet that paid for the entry `s` replaces its fid because the storage ends. */
const isReplaced = (db: Queryable, nowSeconds: number) =>
  db`(s.ordered_at < now() - make_interval(days => ${MIN_REPLACED_DAYS}::integer) and ${endsStorage(db, nowSeconds)})`

/** SQL: whether the entry `s` has a fid that nobody uses or holds. */
const isFree = (db: Queryable) =>
  db`(s.fid is not null and s.used_at is null and (s.held_until is null or s.held_until <= now()))`

/**
 * Marks fids as used by the wallet that cannot be handed out, which makes room for new orders: those of somebody else by now that it had
 * taken, and those that it has paid for whose storage ends.
 */
async function retireFids(db: Queryable, walletId: string, nowSeconds: number): Promise<void> {
  await db`
    with retired as (
      update accounts.fid_pool s set used_at = now(), held_by = ${walletId}
      where ${isFree(db)} and (
        (coalesce(s.held_by, s.paid_by) = ${walletId} and ${isLostFid(db)})
        or (s.paid_by = ${walletId} and ${isReplaced(db, nowSeconds)})
      )
      returning s.id
    )
    update accounts.wallets w set fids_used = w.fids_used + (select count(*) from retired)
    where w.id = ${walletId} and exists (select from retired)`
}

/** SQL for the number of fids that the wallet `w` lacks. */
function missingFidCount(db: Queryable) {
  return db`(
    w.fids_used + w.fid_pool_size - w.fids_ordered
    + (
      select count(*) from accounts.fid_pool h
      where h.held_by = w.id and h.used_at is null and h.held_until > now()
    )
  )`
}

/** Creates an order; each fid has its own key. */
function newOrder(vault: Vault) {
  const id = randomUUID()
  const privateKey = newPrivateKey()
  const sealed = vault.seal(privateKey, fidPoolKeyContext(id))
  return { id, address: ethAccount(privateKey).address, sealed }
}

/** Lists wallets in use that lack fids, have unregistered orders, or have paid for fids whose storage ends. */
export async function walletsWithDueOrders(
  db: Queryable,
  network: string,
  nowSeconds: number,
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select w.id from accounts.wallets w
    where w.network = ${network}
      and (
        exists (
          select from accounts.fid_pool o
          where o.paid_by = w.id and o.fid is null and o.next_attempt_at <= now()
        )
        or exists (
          select from accounts.fid_pool s
          where s.network = w.network and s.paid_by = w.id and ${isFree(db)} and ${isReplaced(db, nowSeconds)}
        )
        or ${missingFidCount(db)} > 0
          and (w.fids_ordered > 0 or exists (select from accounts.fid_pool h where h.held_by = w.id and h.used_at is null))
      )`
  return rows.map(({ id }) => id)
}

/** Lists the ids of the due orders of a wallet. */
export async function dueOrders(db: Queryable, walletId: string): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from accounts.fid_pool
    where paid_by = ${walletId} and fid is null and next_attempt_at <= now()
    order by ordered_at, id
    limit ${MAX_ORDERS}`
  return rows.map(({ id }) => id)
}

/** Makes a registered fid available in the pool. */
export async function addToPool(db: Queryable, orderId: string, fid: number): Promise<void> {
  await db`update accounts.fid_pool set fid = ${fid}::bigint where id = ${orderId} and fid is null`
}

/** Postpones a failed order to its next attempt. */
export async function postpone(db: Queryable, orderId: string): Promise<void> {
  await db`
    update accounts.fid_pool
    set failures = failures + 1,
      next_attempt_at = now() + interval '1 second' * least(
        ${MAX_RETRY_SECONDS}::integer, ${FIRST_RETRY_SECONDS}::integer * 2 ^ least(failures, 16)
      )
    where id = ${orderId} and fid is null`
}

/** Makes postponed orders of a wallet due now, for a waiting caller. */
export async function expedite(db: Queryable, walletId: string): Promise<void> {
  await db`
    update accounts.fid_pool set next_attempt_at = now()
    where paid_by = ${walletId} and fid is null and next_attempt_at > now()`
}

/**
 * Names the private key of a pool fid for the vault. The text is the additional data of stored ciphertexts
 * and must not change.
 */
export const fidPoolKeyContext = (poolEntryId: string): string => `shelf ${poolEntryId}`

/** Decrypts the address that holds a pool fid until its user does, as a signing account. */
export async function openCustodyAccount(db: Queryable, vault: Vault, id: string): Promise<EthAccount> {
  const [row] = await db<{ sealed: Buffer | null }[]>`
    select sealed_key as sealed from accounts.fid_pool where id = ${id}`
  const context = fidPoolKeyContext(id)
  if (!row?.sealed) throw new Error(`the key of ${context} was deleted: its fid belongs to a user`)
  return ethAccount(vault.open(row.sealed, context))
}
