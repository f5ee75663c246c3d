import { randomUUID } from 'node:crypto'
import { type EthAccount, ethAccount } from '../../../hub/registry/eth-account.js'
import type { Database, Queryable } from '../../../platform/db/connection.js'
import { UNIQUE_VIOLATION } from '../../../platform/db/connection-errors.js'
import { PlazaError } from '../../../platform/errors.js'
import { isUuid } from '../../../platform/text/uuid.js'
import type { Vault } from '../../../platform/vault/vault.js'

/** A wallet that pays for accounts. */
export interface Wallet {
  readonly id: string
  readonly appId: string
  readonly network: string
  /** 20 bytes. */
  readonly address: Buffer
  /** Number of fids to keep available in the pool on its account. */
  readonly fidPoolSize: number
  readonly createdAt: Date
}

/** A wallet to store. */
export interface NewWallet extends Pick<Wallet, 'appId' | 'network' | 'fidPoolSize'> {
  /** 32 bytes. */
  readonly privateKey: Buffer
  /** Balance on the local network in wei; null on a chain. */
  readonly balance: bigint | null
}

/**
 * Stores a wallet with its encrypted key.
 *
 * @throws PlazaError `conflict` when the network has a wallet of this address; `not_configured` without a
 * vault.
 */
export async function saveWallet(db: Queryable, vault: Vault, wallet: NewWallet): Promise<Wallet> {
  const id = randomUUID()
  const sealed = vault.seal(wallet.privateKey, walletKeyContext(id))
  const { address } = ethAccount(wallet.privateKey)
  const [saved] = await db<Wallet[]>`
    insert into accounts.wallets (id, app_id, network, address, sealed_key, fid_pool_size, balance)
    values (
      ${id}, ${wallet.appId}, ${wallet.network}, ${address}, ${sealed}, ${wallet.fidPoolSize},
      ${wallet.balance === null ? null : String(wallet.balance)}::numeric
    )
    returning ${walletColumns(db)}`.catch(refuseDuplicateWallet)
  return saved!
}

/** Finds an app's wallet on a network; null when there is none. */
export async function findWallet(
  db: Queryable,
  { id, appId, network }: { readonly id: string; readonly appId: string; readonly network: string },
): Promise<Wallet | null> {
  if (!isUuid(id)) return null
  const [wallet] = await db<Wallet[]>`
    select ${walletColumns(db)} from accounts.wallets
    where id = ${id} and app_id = ${appId} and network = ${network}`
  return wallet ?? null
}

/** Finds a wallet of an app on any network; null when there is none. */
export async function findAppWallet(
  db: Queryable,
  { id, appId }: { readonly id: string; readonly appId: string },
): Promise<Wallet | null> {
  if (!isUuid(id)) return null
  const [wallet] = await db<Wallet[]>`
    select ${walletColumns(db)} from accounts.wallets where id = ${id} and app_id = ${appId}`
  return wallet ?? null
}

/**
 * Returns the wallet with the key of another one on a network, and stores it at the first use: nonces and transactions
 * belong to a network, and apps know a key by one id.
 *
 * @throws PlazaError `conflict` when another app has a wallet with this key there.
 */
export async function walletOnNetwork(
  db: Database,
  vault: Vault,
  { wallet, network }: { readonly wallet: Wallet; readonly network: string },
): Promise<Wallet> {
  if (wallet.network === network) return wallet
  const find = async () => {
    const [found] = await db<Wallet[]>`
      select ${walletColumns(db)} from accounts.wallets
      where network = ${network} and address = ${wallet.address} and app_id = ${wallet.appId}`
    return found
  }
  const existing = await find()
  if (existing) return existing
  const privateKey = await openPrivateKey(db, vault, wallet.id)
  const stored = { appId: wallet.appId, network, privateKey, fidPoolSize: 0, balance: null }
  try {
    return await saveWallet(db, vault, stored)
  } catch (error) {
    // A concurrent request may have stored it.
    const concurrent = await find()
    if (concurrent) return concurrent
    throw error
  }
}

/** Locks a wallet until the transaction ends. Later statements see what previous holders committed. */
export async function lockWallet(db: Queryable, id: string): Promise<void> {
  await db`select from accounts.wallets where id = ${id} for no key update`
}

/** Lists the wallets of one app or all, oldest first. */
export async function listWallets(db: Queryable, appId?: string): Promise<Wallet[]> {
  return await db<Wallet[]>`
    select ${walletColumns(db)} from accounts.wallets
    where ${appId ?? null}::uuid is null or app_id = ${appId ?? null}::uuid
    order by created_at, id`
}

function walletColumns(db: Queryable) {
  return db`id, app_id as "appId", network, address, fid_pool_size as "fidPoolSize", created_at as "createdAt"`
}

function refuseDuplicateWallet(error: { readonly code?: string }): never {
  if (error.code !== UNIQUE_VIOLATION) throw error
  throw new PlazaError('conflict', 'there is a wallet of this address already: one key belongs to one wallet')
}

/** Names the private key of a wallet for the vault. */
export const walletKeyContext = (walletId: string): string => `wallet ${walletId}`

/** Decrypts a wallet as a signing account. */
export async function openWallet(db: Queryable, vault: Vault, walletId: string): Promise<EthAccount> {
  return ethAccount(await openPrivateKey(db, vault, walletId))
}

/** Decrypts the private key of a wallet: 32 bytes. */
export async function openPrivateKey(db: Queryable, vault: Vault, walletId: string): Promise<Buffer> {
  const [row] = await db<{ sealed: Buffer }[]>`
    select sealed_key as sealed from accounts.wallets where id = ${walletId}`
  return vault.open(row!.sealed, walletKeyContext(walletId))
}
