import { namehash } from 'viem/ens'
import { beforeEach, describe, expect, it } from 'vitest'
import { setName } from '../../../scripts/dev-chain.mjs'
import { type Faults, startRpcProxy } from '../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../test/database.js'
import { type TestUser, testNow } from '../../../test/network.js'
import { silentLog } from '../../platform/log/log.js'
import { HubEventType, UserDataType, UserNameProof } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { hubEventBody } from '../log/hub-event.js'
import { readUsernameProof, readUsernameProofsByFid } from '../query/users.js'
import { recheckNames } from './recheck-names.js'
import { addUser, claimHub, nameProof, submitOne, testLookups, username } from './testing/claim-scene.js'

const { db } = await createTestDatabase()
const chain = await startTestChain()
const [first, second] = [await startRpcProxy(chain.url), await startRpcProxy(chain.url)]
const lookups = testLookups({ ethereum: [first.url, second.url] })
const hub = await claimHub(db, lookups)
const owner = chain.account(3).address
const later = chain.account(4).address

function recheck(everyHours = 0, clock = Date.now) {
  return recheckNames({ db, hub, lookups, log: silentLog, clock, everyHours })
}

beforeEach(async () => {
  for (const proxy of [first, second]) proxy.faults = {}
  // A chain without a recent block is not asked.
  await chain.mine(1)
})

let nextName = 1
/** A user whose username resolves to their custody address. */
async function addNamed(): Promise<{ user: TestUser; name: string }> {
  const user = await addUser(hub, owner)
  const name = `checked${nextName++}.eth`
  await setName(chain.client, name, owner)
  expect(await hub.submit([nameProof(user, name, owner), username(user, name)])).toEqual([null, null])
  return { user, name }
}

const shownName = async (user: TestUser) =>
  (await db`select username from social.users where fid = ${user.fid}`)[0]?.username ?? null
const proofsOf = (user: TestUser) =>
  db`select name, must_check, checked_at is not null as checked from hub.username_proofs where fid = ${user.fid}`
const markOld = () => db`update hub.username_proofs set must_check = true where message_hash is not null`

describe('names that an older version has merged', () => {
  it('are checked once: who does not own them loses them, and nobody sees them any more', async () => {
    const honest = await addNamed()
    const impostor = await addUser(hub, later)
    const stolen = nameProof(impostor, 'vitalik.eth', later)
    await setName(chain.client, 'vitalik.eth', owner)
    expect(await hub.submit([stolen, username(impostor, 'vitalik.eth')], { origin: 'log' })).toEqual([
      null,
      null,
    ])
    expect(await shownName(impostor)).toBe('vitalik.eth')
    await markOld()
    expect(await recheck()).toEqual({ kept: 1, removed: 1 })
    expect(await shownName(impostor)).toBeNull()
    expect(await proofsOf(impostor)).toEqual([])
    expect(await shownName(honest.user)).toBe(honest.name)
    expect(await proofsOf(honest.user)).toEqual([{ name: honest.name, must_check: false, checked: true }])
    expect(await recheck()).toEqual({ kept: 0, removed: 0 })
  })

  it('are removed with events: of the proof as if pruned, of the username as if revoked', async () => {
    const { user, name } = await addNamed()
    await setName(chain.client, name, later)
    await markOld()
    const [before] = await db<{ id: number }[]>`select max(id) as id from hub.events`
    expect((await recheck()).removed).toBe(1)
    const rows = await db<{ event: Buffer }[]>`
      select event from hub.events where id > ${before!.id} and fid = ${user.fid} order by id`
    const [pruned, revoked] = rows.map(({ event }) => hubEventBody(event))
    expect(rows).toHaveLength(2)
    expect(pruned).toMatchObject({
      type: HubEventType.MERGE_USERNAME_PROOF,
      deletedUsernameProof: { fid: user.fid },
      deletedUsernameProofMessage: { data: { fid: user.fid } },
    })
    expect(pruned).toHaveProperty('usernameProof', undefined)
    expect(revoked).toMatchObject({
      type: HubEventType.REVOKE_MESSAGE,
      message: { data: { userDataBody: { value: name } } },
    })
  })

  it('leave another username of their user alone', async () => {
    const { user, name } = await addNamed()
    const shown = `checked${nextName++}.eth`
    await setName(chain.client, shown, owner)
    expect(await submitOne(hub, nameProof(user, shown, owner))).toBeNull()
    expect(await hub.submit([user.userData(6, shown, testNow + 1)])).toEqual([null])
    await setName(chain.client, name, later)
    await markOld()
    expect((await recheck()).removed).toBe(1)
    expect(await shownName(user)).toBe(shown)
  })
})

describe('a name that stopped resolving', () => {
  it('is removed by the check, if the operator has turned it on, when its time has come', async () => {
    const { user, name } = await addNamed()
    expect((await recheck(24)).removed).toBe(0)
    await setName(chain.client, name, later)
    expect(await recheck(0)).toEqual({ kept: 0, removed: 0 })
    expect(await recheck(24)).toEqual({ kept: 0, removed: 0 })
    await db`update hub.username_proofs set checked_at = checked_at - 25 * 3600 where name = ${name}`
    expect((await recheck(24)).removed).toBe(1)
    expect(await proofsOf(user)).toEqual([])
    await setName(chain.client, name, owner)
    expect(await submitOne(hub, nameProof(user, name, owner, testNow + 1))).toBeNull()
  })

  it.each<[string, Faults]>([
    ['an RPC is away', { stopped: true }],
    ['an RPC answers with errors', { refuse: () => 'header not found' }],
    [
      'an RPC knows no names',
      {
        alterResult: (method, result) => (method === 'eth_call' ? `0x${'00'.repeat(32)}` : result),
      },
    ],
    ['an RPC has no registry', { alterResult: (method, result) => (method === 'eth_call' ? '0x' : result) }],
  ])('stays while %s', async (_, faults) => {
    const { user, name } = await addNamed()
    await setName(chain.client, name, later)
    await markOld()
    second.faults = faults
    expect((await recheck()).removed).toBe(0)
    expect(await shownName(user)).toBe(name)
    second.faults = {}
    expect((await recheck()).removed).toBe(1)
  })

  it('stays while the chain has no recent block, as an RPC that still syncs', async () => {
    const { user, name } = await addNamed()
    await setName(chain.client, name, later)
    await markOld()
    expect(await recheck(0, () => Date.now() + 2 * 3_600_000)).toEqual({ kept: 0, removed: 0 })
    expect(await shownName(user)).toBe(name)
  })

  it('is checked on a chain whose last block is an hour old, and not on an older one', async () => {
    const { user, name } = await addNamed()
    await setName(chain.client, name, later)
    await markOld()
    const { timestamp } = await chain.client.getBlock()
    const secondsAfter = (seconds: number) => () => (Number(timestamp) + seconds) * 1000
    expect(await recheck(0, secondsAfter(3_601))).toEqual({ kept: 0, removed: 0 })
    expect(await shownName(user)).toBe(name)
    await recheck(0, secondsAfter(3_600))
    expect(await shownName(user)).toBeNull()
  })

  it('is checked again after exactly the hours that the operator has set', async () => {
    const { name } = await addNamed()
    const nowUnix = Number((await chain.client.getBlock()).timestamp)
    const clock = () => nowUnix * 1000
    await recheck(24, clock)
    const checkedAgo = (seconds: number) =>
      db`update hub.username_proofs set checked_at = ${nowUnix - seconds} where name = ${name}`
    await checkedAgo(24 * 3_600 - 1)
    expect(await recheck(24, clock)).toEqual({ kept: 0, removed: 0 })
    await checkedAgo(24 * 3_600)
    expect(await recheck(24, clock)).toEqual({ kept: 1, removed: 0 })
    expect(await recheck(24, clock)).toEqual({ kept: 0, removed: 0 })
  })

  it('ends a run after three names without an answer; those before keep their result', async () => {
    const named: { name: string }[] = []
    for (let count = 0; count < 5; count += 1) named.push(await addNamed())
    // In this order: the oldest check first.
    for (const [index, { name }] of named.entries())
      await db`update hub.username_proofs set must_check = true, checked_at = ${index} where name = ${name}`
    const silent = (count: number): Faults => {
      const nodes = named.slice(1, 1 + count).map(({ name }) => namehash(name).slice(2))
      return {
        refuse: (method, params) =>
          method === 'eth_call' && nodes.some((node) => JSON.stringify(params).includes(node)) ? 'no' : null,
      }
    }
    second.faults = silent(3)
    expect(await recheck()).toEqual({ kept: 1, removed: 0 })
    // They are behind the others now, and have to be checked still.
    expect(await recheck()).toEqual({ kept: 1, removed: 0 })
    await db`update hub.username_proofs set must_check = true, checked_at = 0 where name = ${named[0]!.name}`
    second.faults = silent(2)
    expect(await recheck()).toEqual({ kept: 2, removed: 0 })
  })

  it('is checked again though others that must be checked have no answer', async () => {
    const silentNames: string[] = []
    for (let count = 0; count < 3; count += 1) silentNames.push((await addNamed()).name)
    const { name } = await addNamed()
    // Names of other tests are not due.
    await db`
      update hub.username_proofs
      set must_check = name = any (${db.types.texts(silentNames)}::text[]),
        checked_at = case when name = ${name} then 1 else ${Math.floor(Date.now() / 1000)} end`
    const silent = silentNames.map((each) => namehash(each).slice(2))
    second.faults = {
      refuse: (method, params) =>
        method === 'eth_call' && silent.some((node) => JSON.stringify(params).includes(node)) ? 'no' : null,
    }
    expect(await recheck(24)).toEqual({ kept: 1, removed: 0 })
  })

  it('is not counted as removed if a newer proof of it merges meanwhile', async () => {
    const { user, name } = await addNamed()
    await setName(chain.client, name, later)
    await markOld()
    const proofsFirst: typeof hub.removeLostNames = async (proofs) => {
      const newer = nameProof(user, name, owner, testNow + 1)
      expect(await hub.submit([newer], { origin: 'log' })).toEqual([null])
      return await hub.removeLostNames(proofs)
    }
    const raced = { ...hub, removeLostNames: proofsFirst }
    const options = { db, hub: raced, lookups, log: silentLog, clock: Date.now }
    expect((await recheckNames({ ...options, everyHours: 0 })).removed).toBe(0)
    expect(await shownName(user)).toBe(name)
  })

  it('a newer proof that merges during the check is not checked by it', async () => {
    const { user, name } = await addNamed()
    await markOld()
    const newer = nameProof(user, name, owner, testNow + 1)
    const raced = {
      isConfigured: lookups.isConfigured.bind(lookups),
      async ask(...question: Parameters<typeof lookups.ask>) {
        const answer = await lookups.ask(...question)
        await hub.submit([newer], { origin: 'log' })
        return answer
      },
    } as unknown as typeof lookups
    const options = { db, hub, lookups: raced, log: silentLog, clock: Date.now }
    await recheckNames({ ...options, everyHours: 0 })
    expect(await proofsOf(user)).toEqual([{ name, must_check: false, checked: false }])
  })

  it('stays if a newer proof has taken its place meanwhile', async () => {
    const { user, name } = await addNamed()
    const [row] = await db<{ message: Buffer }[]>`
      select message from hub.messages where fid = ${user.fid} and set = 6`
    expect(row).toBeDefined()
    const older = nameProof(user, name, owner, testNow - 50)
    expect((await hub.removeLostNames([older]))[0]?.code).toBe('bad_request.conflict')
    expect(await shownName(user)).toBe(name)
  })
})

describe('a lost name that another hub still stores', () => {
  const nameRow = async (name: string) =>
    (await db`select fid, must_check from hub.username_proofs where name = ${name}`)[0]
  const passTime = (name: string) =>
    db`update hub.username_proofs set checked_at = checked_at - 25 * 3600 where name = ${name}`

  /** A user whose name another hub has listed: names come without their messages. */
  async function addListed(): Promise<{ user: TestUser; name: string; proven: SignedMessage }> {
    const user = await addUser(hub, owner)
    const name = `checked${nextName++}.eth`
    await setName(chain.client, name, owner)
    const proven = nameProof(user, name, owner)
    expect(await copyListed(user, proven)).toEqual([null, null])
    return { user, name, proven }
  }

  /** Merges what another hub lists of the user, as a comparison does. Returns the codes of refusals. */
  async function copyListed(user: TestUser, { data }: SignedMessage): Promise<(string | null)[]> {
    const proof = data.usernameProofBody!
    const name = Buffer.from(proof.name).toString()
    const listed = UserNameProof.decode(UserNameProof.encode(proof).finish())
    const transfers = await hub.submitNameTransfers([listed])
    const shown = await hub.submit([username(user, name)], { origin: 'store' })
    return [...transfers, ...shown].map((outcome) => outcome?.code ?? null)
  }

  it('does not come back with the next comparison', async () => {
    const { user, name } = await addNamed()
    const proven = nameProof(user, name, owner)
    await recheck(24)
    await setName(chain.client, name, later)
    await passTime(name)
    expect((await recheck(24)).removed).toBe(1)
    expect(await copyListed(user, proven)).toEqual([
      'bad_request.duplicate',
      'bad_request.validation_failure',
    ])
    expect((await hub.submit([proven], { origin: 'log' }))[0]?.code).toBe('bad_request.duplicate')
    expect((await hub.submit([nameProof(user, name, owner, testNow - 9)], { origin: 'log' }))[0]?.code).toBe(
      'bad_request.conflict',
    )
    expect(await shownName(user)).toBeNull()
    expect(await readUsernameProof(db, name)).toBeNull()
    for (const fid of [0, user.fid]) expect(await readUsernameProofsByFid(db, fid)).toEqual([])
    expect(await recheck(24, () => Date.now() + 3_000_000)).toEqual({ kept: 0, removed: 0 })
  })

  it('is checked though its proof came without the message, and does not come back', async () => {
    const { user, name, proven } = await addListed()
    expect(await shownName(user)).toBe(name)
    expect(await recheck(0)).toEqual({ kept: 0, removed: 0 })
    expect((await recheck(24)).removed).toBe(0)
    await setName(chain.client, name, later)
    await passTime(name)
    const [before] = await db<{ id: number }[]>`select max(id) as id from hub.events`
    expect((await recheck(24)).removed).toBe(1)
    expect(await copyListed(user, proven)).toEqual([
      'bad_request.duplicate',
      'bad_request.validation_failure',
    ])
    expect((await hub.submit([proven], { origin: 'log' }))[0]?.code).toBe('bad_request.duplicate')
    expect(await shownName(user)).toBeNull()
    const rows = await db<{ event: Buffer }[]>`
      select event from hub.events where id > ${before!.id} and fid = ${user.fid} order by id`
    const [removed, revoked] = rows.map(({ event }) => hubEventBody(event))
    expect(rows).toHaveLength(2)
    expect(removed).toMatchObject({
      type: HubEventType.MERGE_USERNAME_PROOF,
      usernameProof: undefined,
      deletedUsernameProof: { fid: user.fid },
      deletedUsernameProofMessage: undefined,
    })
    expect(revoked).toMatchObject({ type: HubEventType.REVOKE_MESSAGE })
  })

  it('is held again by a newer proof, of the user who owns it now', async () => {
    const { name } = await addListed()
    await recheck(24)
    await setName(chain.client, name, later)
    await passTime(name)
    expect((await recheck(24)).removed).toBe(1)
    const buyer = await addUser(hub, later)
    const [before] = await db<{ id: number }[]>`select max(id) as id from hub.events`
    expect(await submitOne(hub, nameProof(buyer, name, later, testNow + 1))).toBeNull()
    expect(await nameRow(name)).toEqual({ fid: buyer.fid, must_check: false })
    const [proven] = await db<{ event: Buffer }[]>`
      select event from hub.events where id > ${before!.id} and fid = ${buyer.fid} order by id limit 1`
    // The end of the lost proof has been logged already.
    expect(hubEventBody(proven!.event)).toHaveProperty('deletedUsernameProof', undefined)
  })

  it('comes back if names are checked only once: the operator wants what the network has', async () => {
    const { user, name } = await addNamed()
    const proven = nameProof(user, name, owner)
    await setName(chain.client, name, later)
    await markOld()
    expect((await recheck(0)).removed).toBe(1)
    expect(await copyListed(user, proven)).toEqual([null, null])
    expect(await shownName(user)).toBe(name)
    await db`update hub.username_proofs set checked_at = ${Math.floor(Date.now() / 1000)}::bigint where name = ${name}`
  })

  it('stays if a newer proof of it merges meanwhile', async () => {
    const { user, name } = await addListed()
    await setName(chain.client, name, later)
    const proofsFirst: typeof hub.submitItems = async (items) => {
      const newer = nameProof(user, name, owner, testNow + 1)
      expect(await hub.submit([newer], { origin: 'log' })).toEqual([null])
      return await hub.submitItems(items)
    }
    const raced = { ...hub, submitItems: proofsFirst }
    const options = { db, hub: raced, lookups, log: silentLog, clock: Date.now, everyHours: 24 }
    expect((await recheckNames(options)).removed).toBe(0)
    expect(await shownName(user)).toBe(name)
    expect(await nameRow(name)).toMatchObject({ fid: user.fid })
  })

  it('leaves another username of its user alone', async () => {
    const { user, name } = await addListed()
    await recheck(24)
    await setName(chain.client, name, later)
    await passTime(name)
    const shown = `checked${nextName++}.eth`
    await setName(chain.client, shown, owner)
    expect(await submitOne(hub, nameProof(user, shown, owner))).toBeNull()
    expect(await hub.submit([user.userData(UserDataType.USERNAME, shown, testNow + 1)])).toEqual([null])
    expect((await recheck(24)).removed).toBe(1)
    expect(await shownName(user)).toBe(shown)
  })
})
