import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { nameTransfer, TestUser, testKey, testNow, testNowUnix } from '../../../test/network.js'
import {
  FarcasterNetwork,
  HubEventType,
  type MergeUserNameProofBody,
  MessageType,
  Protocol,
  SignerEventType,
  StorageUnitType,
  UserDataType,
  UserNameProof,
  UserNameType,
} from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { decodeHubEvent } from '../log/hub-event.js'
import { ensurePartitions } from '../log/partitions.js'
import type { LoggedEvent } from '../log/write.js'
import type { MergeBatch } from './batch.js'
import { mergeBatch } from './merge.js'

const { db } = await createTestDatabase()
const alice = new TestUser(1)
const bob = new TestUser(2)

beforeAll(() => ensurePartitions(db, testNowUnix * 1000))
beforeEach(async () => {
  await db.unsafe(`
    truncate hub.messages, hub.set_counts, hub.events, hub.onchain_events, hub.fids, hub.signers,
      hub.storage_rents, hub.storage_loans, hub.shards, hub.username_proofs, hub.pruned_messages;
    insert into hub.shards (shard) values (1);
  `)
  await merge({ chainEvents: [...alice.onChain({ units: 10 }), ...bob.onChain({ units: 10 })] })
})

async function merge(batch: Partial<MergeBatch>, hook?: (events: readonly LoggedEvent[]) => void) {
  const whole = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
  const hooks = hook ? [async (_db: unknown, events: readonly LoggedEvent[]) => hook(events)] : []
  return await mergeBatch(
    db,
    1,
    whole,
    { shards: 1, hooks, network: FarcasterNetwork.TESTNET },
    testNowUnix * 1000,
  )
}

/** Merges messages in one batch each. Returns the code of the last outcome; null if merged. */
async function submit(...messages: SignedMessage[]): Promise<string | null> {
  let last: string | null = null
  for (const message of messages) last = (await merge({ messages: [message] })).messages[0]?.code ?? null
  return last
}

/** The types of the events after a height, without block confirmations. */
async function eventsAfter(height: number) {
  const rows = await db<{ event: Buffer }[]>`
    select event from hub.events where id >= ${height * 16_384} and type <> ${HubEventType.BLOCK_CONFIRMED} order by id
  `
  return rows.map((row) => decodeHubEvent(row.event))
}

async function stored(fid: number): Promise<string[]> {
  const rows = await db<{ hash: Buffer }[]>`select hash from hub.messages where fid = ${fid}`
  return rows.map((row) => row.hash.toString('hex')).sort()
}

function verification(user: TestUser, address: Buffer, at: number): SignedMessage {
  const verificationAddAddressBody = {
    address,
    claimSignature: Buffer.alloc(65),
    blockHash: Buffer.alloc(32),
    verificationType: 0,
    chainId: 0,
    protocol: Protocol.ETHEREUM,
  }
  return user.message({ type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody }, at)
}

describe('account checks', () => {
  test('an unregistered fid -> unknown fid', async () => {
    expect(await submit(new TestUser(99).cast('hello', testNow))).toBe('bad_request.validation_failure')
  })

  test('a key that is no signer of the fid -> invalid signer, also if it is one of another fid', async () => {
    expect(await submit(new TestUser(1, 'another key').cast('hello', testNow))).toBe(
      'bad_request.validation_failure',
    )
    expect(await submit(new TestUser(1, 'user 2').cast('hello', testNow))).toBe(
      'bad_request.validation_failure',
    )
  })

  test('a removed signer is refused; an admin reset activates it again', async () => {
    await merge({ chainEvents: [alice.signerEvent(SignerEventType.REMOVE, 5000)] })
    expect(await submit(alice.cast('removed', testNow))).toBe('bad_request.validation_failure')
    await merge({ chainEvents: [alice.signerEvent(SignerEventType.ADMIN_RESET, 5001)] })
    expect(await submit(alice.cast('back', testNow))).toBeNull()
  })

  test('removing a signer keeps its messages', async () => {
    const cast = alice.cast('stays', testNow)
    await submit(cast)
    await merge({ chainEvents: [alice.signerEvent(SignerEventType.REMOVE, 5000)] })
    expect(await stored(1)).toEqual([cast.hash.toString('hex')])
  })

  test('a key of type 2 may not sign messages', async () => {
    const key = testKey('auth')
    const event = alice.signerEvent(SignerEventType.ADD, 6000, key.publicKey)
    await merge({ chainEvents: [{ ...event, signerEventBody: { ...event.signerEventBody!, keyType: 2 } }] })
    expect(await submit(new TestUser(1, 'auth').cast('hello', testNow))).toBe(
      'bad_request.validation_failure',
    )
  })

  test('no active storage -> insufficient storage', async () => {
    const carol = new TestUser(3)
    await merge({ chainEvents: [carol.registered(), carol.signerEvent(SignerEventType.ADD)] })
    expect(await submit(carol.cast('hello', testNow))).toBe('bad_request.validation_failure')
    await merge({ chainEvents: [carol.storageRentEvent(1, 7000, testNowUnix - 400 * 86_400)] })
    expect(await submit(carol.cast('hello', testNow))).toBeNull()
  })

  test('a known on-chain event -> duplicate, within a batch too', async () => {
    const event = alice.storageRentEvent(1, 9000)
    const { chainEvents } = await merge({ chainEvents: [event, { ...event }] })
    expect(chainEvents.map((outcome) => outcome?.code ?? null)).toEqual([null, 'bad_request.duplicate'])
    const again = await merge({ chainEvents: [event] })
    expect(again.chainEvents[0]?.code).toBe('bad_request.duplicate')
    const [row] = await db`select sum(units)::int as units from hub.storage_rents where fid = 1`
    expect(row!.units).toBe(11)
  })

  test('long casts need an active pro tier', async () => {
    const long = alice.cast('x'.repeat(1500), testNow, { type: 2 })
    expect(await submit(long)).toBe('bad_request.validation_failure')
    await merge({ chainEvents: [alice.proPurchaseEvent(30)] })
    expect(await submit(long)).toBeNull()
  })
})

describe('refused messages', () => {
  test('the same message again -> duplicate, not logged', async () => {
    const cast = alice.cast('once', testNow)
    const { messages } = await merge({ messages: [cast, cast] })
    expect(messages.map((outcome) => outcome?.code ?? null)).toEqual([null, 'bad_request.duplicate'])
    expect(await submit(cast)).toBe('bad_request.duplicate')
    expect((await eventsAfter(2)).map((event) => event.type)).toEqual([HubEventType.MERGE_MESSAGE])
  })

  test('an older message -> conflict, not logged', async () => {
    const target = bob.cast('target', testNow - 10)
    expect(await submit(alice.react(target, testNow), alice.react(target, testNow - 5))).toBe(
      'bad_request.conflict',
    )
    expect(await eventsAfter(3)).toEqual([])
  })

  test('a message that loses within its batch is logged as MERGE_FAILURE', async () => {
    const older = alice.userData(UserDataType.BIO, 'older', testNow - 1)
    const cast = alice.cast('gone', testNow - 3)
    const remove = alice.removeCast(cast.hash, testNow - 4)
    const { messages } = await merge({
      messages: [alice.userData(UserDataType.BIO, 'newer', testNow), older, cast, remove],
    })
    expect(messages.map((outcome) => outcome?.code ?? null)).toEqual([
      null,
      null,
      'bad_request.conflict',
      null,
    ])
    const failures = (await eventsAfter(2)).filter((event) => event.type === HubEventType.MERGE_FAILURE)
    expect(failures.map((event) => event.mergeFailure!.code)).toEqual(['bad_request.conflict'])
    expect(failures[0]!.mergeFailure!.reason).toBe('message conflicts with a more recent remove')
  })

  test('a message older than a full set is logged as merged and pruned, and refused to its sender', async () => {
    const carol = new TestUser(3)
    await merge({ chainEvents: carol.onChain({ units: 1 }) })
    const five = [1, 2, 3, 4, 5].map((n) => verification(carol, Buffer.alloc(20, n), testNow - n))
    await merge({ messages: five })
    expect(await submit(verification(carol, Buffer.alloc(20, 9), testNow - 100))).toBe('bad_request.prunable')
    expect((await eventsAfter(4)).map((event) => event.type)).toEqual([
      HubEventType.MERGE_MESSAGE,
      HubEventType.PRUNE_MESSAGE,
    ])
    expect(await stored(3)).toHaveLength(5)
  })
})

describe('casts', () => {
  test('a removed cast never returns, and its removal may come first', async () => {
    const cast = alice.cast('early', testNow)
    expect(await submit(alice.removeCast(cast.hash, testNow - 100))).toBeNull()
    expect(await submit(cast)).toBe('bad_request.conflict')
  })

  test('the event of a removal contains the removed cast', async () => {
    const cast = alice.cast('gone', testNow - 1)
    await submit(cast, alice.removeCast(cast.hash, testNow))
    const [, removal] = await eventsAfter(2)
    expect(removal!.mergeMessageBody!.deletedMessages.map((message) => Buffer.from(message.hash))).toEqual([
      cast.hash,
    ])
  })
})

describe('compact states', () => {
  test('displace unlisted older follows and keep listed and newer ones', async () => {
    const [gone, listed, newer] = [
      alice.link(5, testNow - 10),
      alice.link(6, testNow - 10),
      alice.link(7, testNow),
    ]
    const compact = alice.compactLinks([6], testNow - 5)
    await submit(gone, listed, newer, compact)
    expect(await stored(1)).toEqual([listed, newer, compact].map((each) => each.hash.toString('hex')).sort())
    expect(await submit(gone)).toBe('bad_request.conflict')
    expect(await submit(alice.link(5, testNow - 8, { remove: true }))).toBe('bad_request.prunable')
    expect(await submit(alice.compactLinks([5], testNow - 6))).toBe('bad_request.conflict')
  })

  test('do not affect other link types', async () => {
    const blocked = alice.link(5, testNow - 10, { type: 'block' })
    await submit(blocked, alice.compactLinks([6], testNow - 5))
    expect(await stored(1)).toContain(blocked.hash.toString('hex'))
  })
})

describe('names', () => {
  test('a username needs a name that the fid holds', async () => {
    const claim = alice.userData(UserDataType.USERNAME, 'alice', testNow)
    expect(await submit(claim)).toBe('bad_request.validation_failure')
    await merge({ nameTransfers: [nameTransfer('alice', 1, 100)] })
    expect(await submit(claim)).toBeNull()
    expect(await submit(bob.userData(UserDataType.USERNAME, 'alice', testNow))).toBe(
      'bad_request.validation_failure',
    )
    expect(await submit(bob.userData(UserDataType.USERNAME, '', testNow))).toBeNull()
  })

  test('a transfer revokes the username of the previous holder', async () => {
    const claim = alice.userData(UserDataType.USERNAME, 'alice', testNow)
    await merge({ nameTransfers: [nameTransfer('alice', 1, 100)] })
    await submit(claim)
    await merge({ nameTransfers: [nameTransfer('alice', 2, 200)] })
    expect(await stored(1)).toEqual([])
    const [transfer, revoke] = await eventsAfter(4)
    const body = transfer!.mergeUsernameProofBody as MergeUserNameProofBody
    expect([body.usernameProof!.fid, body.deletedUsernameProof!.fid]).toEqual([2, 1])
    expect(Buffer.from(revoke!.revokeMessageBody!.message!.hash)).toEqual(claim.hash)
  })

  test.each([
    ['one batch', (transfers: UserNameProof[]) => [transfers]],
    ['two batches', (transfers: UserNameProof[]) => transfers.map((transfer) => [transfer])],
  ])('two transfers of a name in %s revoke the usernames of both former holders', async (_how, batchesOf) => {
    await merge({ nameTransfers: [nameTransfer('alice', 1, 100), nameTransfer('bob', 2, 100)] })
    await submit(
      alice.userData(UserDataType.USERNAME, 'alice', testNow),
      bob.userData(UserDataType.USERNAME, 'bob', testNow),
    )
    const transfers = [2, 3].map((fid) => nameTransfer('alice', fid, testNowUnix + fid))
    for (const nameTransfers of batchesOf(transfers)) await merge({ nameTransfers })
    expect([await stored(1), await stored(2)]).toEqual([[], []])
  })

  test('transfers are ordered by time and signature, and a released name stays released', async () => {
    await merge({ nameTransfers: [nameTransfer('alice', 1, 100), nameTransfer('alice', 0, 200)] })
    const { nameTransfers } = await merge({
      nameTransfers: [nameTransfer('alice', 2, 150), nameTransfer('alice', 0, 200)],
    })
    expect(nameTransfers.map((outcome) => outcome?.code)).toEqual([
      'bad_request.conflict',
      'bad_request.duplicate',
    ])
    const rows = await db`select fid from hub.username_proofs where name = 'alice'`
    expect(rows[0]!.fid).toBe(0)
  })

  test('name proofs by message compete across fids, and the owner must be the sender', async () => {
    const proof = (user: TestUser, owner: Buffer, timestamp: number) =>
      user.message(
        {
          type: MessageType.USERNAME_PROOF,
          usernameProofBody: UserNameProof.create({
            timestamp: timestamp + 1_609_459_200,
            name: Buffer.from('alice.eth'),
            owner,
            signature: Buffer.alloc(65),
            fid: user.fid,
            type: UserNameType.USERNAME_TYPE_ENS_L1,
          }),
        },
        timestamp,
      )
    expect(await submit(proof(alice, bob.custody, testNow - 9))).toBe('bad_request.validation_failure')
    const first = proof(alice, alice.custody, testNow - 8)
    expect(await submit(first)).toBeNull()
    expect(await submit(proof(bob, bob.custody, testNow - 9))).toBe('bad_request.conflict')
    expect(await submit(proof(bob, bob.custody, testNow))).toBeNull()
    expect(await stored(1)).toEqual([])
    const last = (await eventsAfter(2)).at(-1)!.mergeUsernameProofBody!
    expect([last.usernameProof!.fid, last.deletedUsernameProof!.fid]).toEqual([2, 1])
    expect(Buffer.from(last.deletedUsernameProofMessage!.hash)).toEqual(first.hash)
    const counts = await db`select fid, count from hub.set_counts where set = 6 order by fid`
    expect(counts.map((row) => [row.fid, row.count])).toEqual([
      [1, 0],
      [2, 1],
    ])
  })
})

describe('primary addresses', () => {
  const address = Buffer.from('d8da6bf26964af9d7eed9e03e53415d37aa96045', 'hex')
  const checksummed = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
  const primary = (at: number) =>
    alice.userData(UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM, checksummed, at)
  const remove = (at: number) =>
    alice.message(
      {
        type: MessageType.VERIFICATION_REMOVE,
        verificationRemoveBody: { address, protocol: Protocol.ETHEREUM },
      },
      at,
    )

  test('need a verification by the user, in the same batch or before', async () => {
    expect(await submit(primary(testNow))).toBe('bad_request.validation_failure')
    const { messages } = await merge({ messages: [primary(testNow), verification(alice, address, testNow)] })
    expect(messages).toEqual([null, null])
  })

  test('are revoked with their verification', async () => {
    await submit(verification(alice, address, testNow - 5), primary(testNow - 4))
    await submit(remove(testNow))
    const types = (await eventsAfter(4)).map((event) => event.type)
    expect(types).toEqual([HubEventType.MERGE_MESSAGE, HubEventType.REVOKE_MESSAGE])
    expect(await stored(1)).toHaveLength(1)
  })
})

describe('storage loans', () => {
  const unit2025 = StorageUnitType.UNIT_TYPE_2025

  test('move units, as many as the lender can spare', async () => {
    const carol = new TestUser(3)
    await merge({ chainEvents: [carol.registered(), carol.signerEvent(SignerEventType.ADD)] })
    expect(await submit(carol.cast('poor', testNow))).toBe('bad_request.validation_failure')
    expect(await submit(alice.lendStorage(3, 10, unit2025, testNow))).toBe('bad_request.validation_failure')
    expect(await submit(alice.lendStorage(3, 9, unit2025, testNow))).toBeNull()
    expect(await submit(carol.cast('rich', testNow))).toBeNull()
    expect(await submit(alice.lendStorage(2, 1, unit2025, testNow))).toBe('bad_request.validation_failure')
  })

  test('of 0 units end the loan and store no message', async () => {
    await submit(alice.lendStorage(2, 5, unit2025, testNow - 1), alice.lendStorage(2, 0, unit2025, testNow))
    expect(await stored(1)).toEqual([])
    expect(await db`select 1 from hub.storage_loans`).toHaveLength(0)
    expect((await eventsAfter(3)).map((event) => event.type)).toEqual([
      HubEventType.MERGE_MESSAGE,
      HubEventType.PRUNE_MESSAGE,
    ])
  })
})

describe('hooks', () => {
  test('receive every event of the batch with its id, inside the transaction', async () => {
    const seen: number[] = []
    await merge({ messages: [alice.cast('a', testNow), bob.cast('b', testNow)] }, (events) => {
      seen.push(...events.map((event) => event.id))
    })
    const rows = await db`select id from hub.events where id >= ${2 * 16_384} order by id`
    expect(seen).toEqual(rows.map((row) => row.id))
    expect(seen).toHaveLength(3)
  })

  test('undo the merge when they fail', async () => {
    const failing = merge({ messages: [alice.cast('a', testNow)] }, () => {
      throw new Error('projection failed')
    })
    await expect(failing).rejects.toThrow('projection failed')
    expect(await stored(1)).toEqual([])
    expect(await eventsAfter(2)).toEqual([])
  })
})
