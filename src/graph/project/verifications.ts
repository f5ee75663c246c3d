import { MessageType } from '@farcaster/core'
import type { Transaction } from '../../platform/db/connection.js'
import type { SignedMessage } from '../../protocol/message.js'
import { type NetChanges, ofType } from './net-changes.js'

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
