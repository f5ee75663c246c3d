import { randomBytes, randomUUID } from 'node:crypto'
import type { Database, Queryable } from '../../platform/db/connection.js'
import { runInBatches } from '../../platform/db/run-in-batches.js'
import type { Vault } from '../../platform/vault/vault.js'

/** An active signing secret. `value` is shown only to its owner. */
export interface SigningSecret {
  readonly uid: string
  readonly value: string
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Null for no expiry. */
  readonly expiresAt: Date | null
}

/** A secret that a receiver knows already. */
export type KnownSecret = Pick<SigningSecret, 'value' | 'expiresAt'>

/** Bytes of a secret. Both signature schemes accept it as a key: Standard Webhooks requires 192 bits or more. */
const SECRET_BYTES = 32
/** Most valid secrets, each of which signs every delivery. */
const MAX_SIGNING_SECRETS = 4

/** Names a secret for the vault (the additional data of its ciphertext). */
export const webhookSecretContext = (uid: string): string => `webhook secret ${uid}`

/** Creates a secret of a webhook: `whsec_` and base64, as in Standard Webhooks. */
export async function addSecret(db: Queryable, vault: Vault, webhookId: string): Promise<void> {
  const value = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
  await storeSecret(db, vault, webhookId, { value, expiresAt: null }, 0)
}

/** Stores secrets that a receiver knows already, the newest first. */
export async function copySecrets(
  db: Queryable,
  vault: Vault,
  webhookId: string,
  secrets: readonly KnownSecret[],
): Promise<void> {
  for (const [age, secret] of secrets.entries()) await storeSecret(db, vault, webhookId, secret, age)
}

/** @param age Milliseconds by which it is older than now, which orders secrets of one transaction. */
async function storeSecret(
  db: Queryable,
  vault: Vault,
  webhookId: string,
  { value, expiresAt }: KnownSecret,
  age: number,
): Promise<void> {
  const uid = randomUUID()
  await db`
    insert into webhooks.secrets (uid, webhook_id, sealed, created_at, expires_at)
    values (
      ${uid}, ${webhookId}, ${vault.seal(Buffer.from(value), webhookSecretContext(uid))},
      now() - ${age}::integer * interval '1 millisecond', ${expiresAt}
    )`
}

/** Expires a webhook's secrets after a grace time in which they sign beside the new one. */
export async function expireSecrets(db: Queryable, webhookId: string, graceSeconds: number): Promise<void> {
  await db`
    update webhooks.secrets
    set updated_at = now(), expires_at = now() + ${graceSeconds}::integer * interval '1 second'
    where webhook_id = ${webhookId}
      and (expires_at is null or expires_at > now() + ${graceSeconds}::integer * interval '1 second')`
}

/** Rows deleted per statement, to keep statements short. */
const BATCH = 1_000

/** Deletes secrets a day after they ended: nothing is signed with them, and nobody is shown them. */
export async function deleteEndedSecrets(db: Database): Promise<void> {
  await runInBatches(
    BATCH,
    () => db`
      delete from webhooks.secrets
      where uid in (
        select uid from webhooks.secrets
        where expires_at < now() - interval '1 day'
        order by expires_at
        limit ${BATCH}
      )`,
  )
}

/**
 * Returns the active secrets by webhook, newest first. One that the key of this server does not open is left out, so that its webhook
 * can be listed, deleted, and given a new secret; a webhook that has only such has an empty list.
 */
export async function decryptSigningSecrets(
  db: Queryable,
  vault: Vault,
  webhookIds: readonly string[],
): Promise<Map<string, SigningSecret[]>> {
  const rows = await db<(Omit<SigningSecret, 'value'> & { webhookId: string; sealed: Buffer })[]>`
    select
      webhook_id as "webhookId", uid, sealed,
      created_at as "createdAt", updated_at as "updatedAt", expires_at as "expiresAt"
    from webhooks.secrets
    where webhook_id = any (${db.types.texts(webhookIds)}::text[]::uuid[])
      and (expires_at is null or expires_at > now())
    order by created_at desc, uid`
  const secrets = new Map<string, SigningSecret[]>()
  for (const { webhookId, sealed, ...secret } of rows) {
    const found = secrets.get(webhookId) ?? []
    secrets.set(webhookId, found)
    const value = openOrNull(vault, sealed, webhookSecretContext(secret.uid))
    if (value !== null && found.length < MAX_SIGNING_SECRETS) found.push({ ...secret, value })
  }
  return secrets
}

function openOrNull(vault: Vault, sealed: Buffer, context: string): string | null {
  try {
    return vault.open(sealed, context).toString()
  } catch {
    return null
  }
}
