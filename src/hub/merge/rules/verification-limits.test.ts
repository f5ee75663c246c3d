import { describe, expect, test } from 'vitest'
import { addressVerification } from '../../../../test/channels.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow } from '../../../../test/network.js'
import { FarcasterNetwork, StorageUnitType } from '../../../protocol/definitions.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const trusted = { trusted: true }
let fids = 0

/** A user with room for five verifications, in a hub with engine V21. */
async function newUser(options?: { units?: number }): Promise<TestUser> {
  fids += 1
  const user = new TestUser(fids)
  const [registration, signer, rent] = user.onChain(options)
  await hub.submitOnChainEvents(
    options?.units === 0 ? [registration!, signer!] : [registration!, signer!, rent!],
  )
  return user
}

const addressOf = (number: number) => Buffer.alloc(20).fill(Buffer.from(`${number}-`))

/** Submits in one batch. Returns the refusals' texts; null for merged ones. */
async function verify(
  user: TestUser,
  addresses: readonly number[],
  options: { at?: number; remove?: boolean } = {},
) {
  const { at = testNow, remove = false } = options
  const messages = addresses.map((number) => addressVerification(user, addressOf(number), at, remove))
  return (await hub.submit(messages, trusted)).map((refusal) => refusal?.message ?? null)
}

const full = 'insufficient storage'
const refused = (texts: readonly (string | null)[]) => texts.filter((text) => text !== null)
const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index)

describe('verifications of engine V21', () => {
  test('are refused beyond the limit, in one batch or in many, and not pruned', async () => {
    const user = await newUser()
    // Those of one second merge in the order of their hashes.
    expect(refused(await verify(user, range(6)))).toEqual([full])
    expect(await verify(user, [9])).toEqual([full])
    const [row] = await db`select count(*) from hub.messages where fid = ${user.fid} and set = 4`
    expect(row).toEqual({ count: 5 })
  })

  test('of an address that is verified replace the one before at the limit', async () => {
    const user = await newUser()
    await verify(user, range(5))
    expect(await verify(user, [0], { at: testNow + 1 })).toEqual([null])
  })

  test('have room again after a removal, also in the batch of the removal', async () => {
    const user = await newUser()
    await verify(user, range(5))
    expect(await verify(user, [4], { at: testNow + 1, remove: true })).toEqual([null])
    expect(await verify(user, [9], { at: testNow + 1 })).toEqual([null])
  })

  test('cannot be added or removed without storage', async () => {
    const user = await newUser({ units: 0 })
    expect(await verify(user, [1])).toEqual([full])
    expect(await verify(user, [1], { remove: true })).toEqual([full])
  })

  test('removals of unknown addresses are refused beyond 256, of known ones never', async () => {
    const user = await newUser()
    await verify(user, [1000])
    expect(await verify(user, range(256), { remove: true })).toEqual(Array(256).fill(null))
    expect(await verify(user, [999], { remove: true })).toEqual([full])
    expect(await verify(user, [1000], { at: testNow + 1, remove: true })).toEqual([null])
    // Rows: 257 removals, and room for four more addresses of 261.
    expect(refused(await verify(user, range(5, 2000)))).toEqual([full])
  })

  test('removals of unknown addresses need a row, too, after the limit has shrunk', async () => {
    const user = await newUser({ units: 2 })
    const borrower = await newUser()
    await verify(user, range(10))
    const loan = user.lendStorage(borrower.fid, 1, StorageUnitType.UNIT_TYPE_2025, testNow)
    expect(await hub.submit([loan], trusted)).toEqual([null])
    // Rows: 10 addresses of a limit that is now 5, and 251 removals of 261 rows.
    expect(await verify(user, range(251, 2000), { remove: true })).toEqual(Array(251).fill(null))
    expect(await verify(user, [3000], { remove: true })).toEqual([full])
    expect(await verify(user, [1], { at: testNow + 1, remove: true })).toEqual([null])
  })
})

test('before engine V21 the oldest verification is pruned', async () => {
  const { db: other } = await createTestDatabase()
  const mainnet = await createTestHub(other, { network: FarcasterNetwork.MAINNET })
  const user = new TestUser(1)
  await mainnet.submitOnChainEvents(user.onChain())
  const messages = range(6).map((number) => {
    const { data } = addressVerification(user, addressOf(number), testNow - 10 + number)
    return user.key.sign({ ...data, network: FarcasterNetwork.MAINNET })
  })
  for (const message of messages) expect(await mainnet.submit([message], trusted)).toEqual([null])
  const rows = await other`select key from hub.messages where set = 4 order by ts`
  expect(rows).toEqual(range(5, 1).map((number) => ({ key: addressOf(number) })))
})
