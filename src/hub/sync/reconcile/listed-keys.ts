import { status } from '@grpc/grpc-js'
import type { Database, Transaction } from '../../../platform/db/connection.js'
import { asBuffer } from '../../../protocol/bytes.js'
import { ADMISSIBLE_KEY_ADD_SCOPES, MAX_KEY_TTL_SECONDS } from '../../../protocol/key-rules.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import {
  type Signer,
  SignerSource,
  SignersByFidResponse,
} from '../../../protocol/proto/generated/request_response.js'
import { farcasterSecondsFromUnixSeconds } from '../../../protocol/time.js'
import type { GaslessKey } from '../../merge/keys/key-state.js'
import { insertKeys } from '../../merge/keys/key-store.js'
import { lockShards } from '../../merge/shard-lock.js'
import { readShardCount, shardNumbers } from '../../shard-count.js'
import { readList } from '../account/paged-calls.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import type { Upstreams } from '../client/upstreams.js'

const PAGE_SIGNERS = 1000
const KEY_BYTES = 32

/**
 * Takes the keys of a user that messages granted and that are missing here from the upstream's list, and drops those that were
 * taken so and are no longer in it. A node of the network tells of a grant once, to those who follow it then, and stores no log of
 * it. The list has no grants, so the keys come without, and without nonces: a grant that is still to come by the log merges.
 * @throws UpstreamFailure
 */
export async function takeListedKeys(
  db: Database,
  upstreams: Upstreams,
  fid: number,
  signal?: AbortSignal,
): Promise<void> {
  const listed = await readListedKeys(upstreams, fid, signal)
  if (listed === null || !(await differs(db, fid, listed))) return
  await db.begin(async (transaction) => {
    // Merges decide by what they have read with the lock held.
    await lockShards(transaction, shardNumbers((await readShardCount(transaction)) ?? 0))
    await transaction`
      delete from hub.gasless_keys k
      where key in (${keysWithoutGrant(transaction, fid)}) and key <> all (${keysOf(transaction, listed)})
    `
    await insertKeys(transaction, listed)
  })
}

async function differs(db: Database, fid: number, listed: readonly GaslessKey[]): Promise<boolean> {
  const [row] = await db<{ differs: boolean }[]>`
    select exists (
      select from unnest(${keysOf(db, listed)}) as listed (key)
      where not exists (select from hub.gasless_keys k where k.key = listed.key)
    ) or exists (
      ${keysWithoutGrant(db, fid)} and key <> all (${keysOf(db, listed)})
    ) as differs
  `
  return row!.differs
}

/** Selects the keys of a user that came by a list. */
function keysWithoutGrant(db: Database | Transaction, fid: number) {
  return db`
    select key from hub.gasless_keys k
    where k.fid = ${fid}::bigint and not exists (
      select from hub.messages m where m.fid = k.fid and m.set = ${MessageSet.keys}::smallint and m.key = k.key
    )
  `
}

function keysOf(db: Database | Transaction, listed: readonly GaslessKey[]) {
  return db`${db.types.byteas(listed.map(({ key }) => key))}::bytea[]`
}

/** Reads the keys that messages granted a user; null if the upstream has no such list. */
async function readListedKeys(
  upstreams: Upstreams,
  fid: number,
  signal?: AbortSignal,
): Promise<GaslessKey[] | null> {
  const decode = (bytes: Buffer) => {
    const { signers: entries, nextPageToken } = SignersByFidResponse.decode(bytes)
    return { entries, nextPageToken }
  }
  const request = { fid, requesterFids: [] }
  const keys: GaslessKey[] = []
  try {
    const pages = readList(upstreams, 'getSignersByFid', request, { pageSize: PAGE_SIGNERS, decode, signal })
    for await (const page of pages) keys.push(...page.flatMap((signer) => gaslessKey(fid, signer) ?? []))
    return keys
  } catch (error) {
    if (error instanceof UpstreamFailure && error.code === status.UNIMPLEMENTED) return null
    throw error
  }
}

/** Returns a listed key; null for a key of the chain, and for one that no message could have granted. */
function gaslessKey(fid: number, signer: Signer): GaslessKey | null {
  const { source, key, ttl = 0, requestFid = 0, lastUsedAt, addedAt } = signer
  if (source !== SignerSource.OFFCHAIN || key.length !== KEY_BYTES) return null
  if (requestFid === 0 || ttl === 0 || ttl > MAX_KEY_TTL_SECONDS) return null
  const scopes = ADMISSIBLE_KEY_ADD_SCOPES.filter((scope) => signer.scopes.includes(scope))
  const usedAt = farcasterSecondsFromUnixSeconds(lastUsedAt ?? addedAt ?? 0)
  return { key: asBuffer(key), fid, requestFid, scopes, ttlSeconds: ttl, lastUsedAt: usedAt }
}
