import type { Transaction } from '../../platform/db/connection.js'
import { storableText } from '../../platform/text/storable-text.js'
import { MessageType, UserDataType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { type NetChanges, ofType } from './net-changes.js'

/** The column of `users` for each type of user data. */
const columns: Partial<Record<UserDataType, string>> = {
  [UserDataType.PFP]: 'pfp_url',
  [UserDataType.DISPLAY]: 'display_name',
  [UserDataType.BIO]: 'bio',
  [UserDataType.URL]: 'url',
  [UserDataType.USERNAME]: 'username',
  [UserDataType.LOCATION]: 'location',
  [UserDataType.TWITTER]: 'twitter',
  [UserDataType.GITHUB]: 'github',
  [UserDataType.BANNER]: 'banner_url',
  [UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM]: 'primary_eth_address',
  [UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA]: 'primary_sol_address',
  [UserDataType.PROFILE_TOKEN]: 'profile_token',
  [UserDataType.LIVE_AT]: 'live_at',
}

/** Types whose value is imported where a profile has none: the empty string says that there is to be none. */
const importedTypes: ReadonlySet<UserDataType> = new Set([UserDataType.TWITTER, UserDataType.GITHUB])

interface Value {
  readonly fid: number
  /** Null when it was removed, or set to the empty string, which deletes it in the protocol; see `importedTypes`. */
  readonly value: string | null
  readonly ts: number
}

/** Projects profiles with one statement for each type of user data that changed. */
export async function projectUserData(db: Transaction, changes: NetChanges): Promise<void> {
  const byType = new Map<UserDataType, Map<number, Value>>()
  const put = (type: UserDataType, value: Value) => {
    const values = byType.get(type) ?? new Map<number, Value>()
    values.set(value.fid, value)
    byType.set(type, values)
  }
  for (const { data } of ofType(changes.removed, MessageType.USER_DATA_ADD)) {
    put(data.userDataBody!.type, { fid: data.fid, value: null, ts: data.timestamp })
  }
  for (const { data } of ofType(changes.added, MessageType.USER_DATA_ADD)) {
    const { type, value } = data.userDataBody!
    const isNone = value === '' && !importedTypes.has(type)
    put(type, { fid: data.fid, value: isNone ? null : storableText(value), ts: data.timestamp })
  }
  await Promise.all([...byType].map(([type, values]) => updateColumn(db, type, [...values.values()])))
}

async function updateColumn(db: Transaction, type: UserDataType, values: readonly Value[]): Promise<void> {
  const column = columns[type]
  if (column === undefined) return
  const fids = values.map(({ fid }) => fid)
  const texts = db.types.texts(values.map(({ value }) => value))
  await db`
    update users u
    set ${db(column)} = changed.value
    from unnest(${fids}::bigint[], ${texts}::text[]) as changed (fid, value)
    where u.fid = changed.fid
  `
  if (type !== UserDataType.LIVE_AT) return
  await db`
    update users u
    set live_at_ts = case when u.live_at is null then null else changed.ts end
    from unnest(${fids}::bigint[], ${values.map(({ ts }) => ts)}::bigint[]) as changed (fid, ts)
    where u.fid = changed.fid
  `
}

/** Projects the verified addresses of users. */
export async function projectVerifications(db: Transaction, changes: NetChanges): Promise<void> {
  const removed = ofType(changes.removed, MessageType.VERIFICATION_ADD_ETH_ADDRESS)
  const added = ofType(changes.added, MessageType.VERIFICATION_ADD_ETH_ADDRESS)
  if (removed.length > 0) await remove(db, removed)
  if (added.length > 0) await insert(db, added)
}

async function remove(db: Transaction, messages: readonly SignedMessage[]): Promise<void> {
  await db`
    delete from verifications v
    using unnest(
      ${messages.map(({ data }) => data.fid)}::bigint[],
      ${db.types.byteas(messages.map(({ data }) => data.verificationAddAddressBody!.address))}::bytea[]
    ) as deleted (fid, address)
    where v.fid = deleted.fid and v.address = deleted.address
  `
}

async function insert(db: Transaction, messages: readonly SignedMessage[]): Promise<void> {
  const bodies = messages.map(({ data }) => data.verificationAddAddressBody!)
  await db`
    insert into verifications (fid, address, protocol, ts, signer)
    select *
    from unnest(
      ${messages.map(({ data }) => data.fid)}::bigint[],
      ${db.types.byteas(bodies.map(({ address }) => address))}::bytea[],
      ${bodies.map(({ protocol }) => protocol)}::smallint[],
      ${messages.map(({ data }) => data.timestamp)}::bigint[],
      ${db.types.byteas(messages.map(({ signer }) => signer))}::bytea[]
    )
    on conflict (fid, address) do update
    set protocol = excluded.protocol, ts = excluded.ts, signer = excluded.signer
  `
}
