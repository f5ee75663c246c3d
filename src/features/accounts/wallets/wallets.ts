import { randomUUID } from 'node:crypto'
import { ethAccount } from '../../../hub/registry/eth-account.js'
import type { Database, Queryable } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import type { Vault } from '../../../platform/vault/vault.js'
import { walletKeyContext } from './wallet-key.js'

/** A wallet that pays for accounts. */
export interface Wallet {
  readonly id: string
  readonly appId: string
  readonly network: string
  /** 20 bytes. */
  readonly address: Buffer
  /** How many fids are to be ready on the shelf on its account. */
  readonly fidPoolSize: number
  readonly createdAt: Date
}

/** A wallet that is to be kept. */
export interface NewWallet {
  readonly appId: string
  readonly network: string
  /** 32 bytes. */
  readonly privateKey: Buffer
  readonly fidPoolSize: number
  /** What it has on the local network, in wei; null on a chain. */
  readonly balance: bigint | null
}

/** PostgreSQL's code of a value that another row has already. */
const UNIQUE_VIOLATION = '23505'

/** What names wallets: canonical UUIDs. Whatever else comes is as unknown as one that was never given out. */
const walletIdPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/**
 * Keeps a wallet, its key sealed.
 *
 * @throws PlazaError `conflict` when the network has a wallet of this address; `not_configured` without a vault.
 */
export async function saveWallet(db: Database, vault: Vault, wallet: NewWallet): Promise<Wallet> {
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

/** An app's wallet on a network; null when the app has none of this id there. */
export async function findWallet(
  db: Queryable,
  { id, appId, network }: { readonly id: string; readonly appId: string; readonly network: string },
): Promise<Wallet | null> {
  if (!walletIdPattern.test(id)) return null
  const [wallet] = await db<Wallet[]>`
    select ${walletColumns(db)} from accounts.wallets
    where id = ${id} and app_id = ${appId} and network = ${network}`
  return wallet ?? null
}

/** Holds a wallet until the transaction ends. What is read after it has been waited for is as the others have left it. */
export async function lockWallet(db: Queryable, id: string): Promise<void> {
  await db`select from accounts.wallets where id = ${id} for no key update`
}

/** Wallets of all apps, or of one, from the oldest to the newest. */
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
