import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../test/database.js'
import { createTestHub } from '../../../../../test/hub.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../../../test/network.js'
import { createTestApi, type TestApi, type TestApiOptions } from '../../../../app/testing/test-api.js'
import type { Hub } from '../../../../hub/hub.js'
import { UserDataType } from '../../../../protocol/definitions.js'
import { approvedSigner } from '../../../signers/testing/approved-signer.js'

/** Users with names and signers, and an API that acts for them. */
export interface PublishingNetwork extends TestDatabase {
  readonly hub: Hub
  readonly api: TestApi
  /** `alice` is fid 1, `bob` is fid 2, `carol` is fid 3. */
  readonly users: readonly [alice: TestUser, bob: TestUser, carol: TestUser]
  /** The signers of the API's app for them, which may do everything. */
  readonly signers: readonly [alice: string, bob: string, carol: string]
  /** Changes what time it is, in seconds after `testNow`. */
  setTime(secondsAfter: number): void
}

/** The server's clock is `testNow`; user messages of the tests are older. */
export async function createPublishingNetwork(
  options: Partial<TestApiOptions> = {},
): Promise<PublishingNetwork> {
  const database = await createTestDatabase()
  const { db } = database
  let secondsAfter = 0
  const clock = () => (testNowUnix + secondsAfter) * 1000
  const hub = await createTestHub(db, { clock })
  const users = [1, 2, 3].map((fid) => new TestUser(fid)) as [TestUser, TestUser, TestUser]
  await hub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 10 })))
  const names = ['alice', 'bob', 'carol']
  await hub.submitNameTransfers(names.map((name, index) => nameTransfer(name, index + 1, testNowUnix - 900)))
  const outcomes = await hub.submit(
    users.map((user, index) => user.userData(UserDataType.USERNAME, names[index]!, testNow - 800)),
  )
  expect(outcomes).toEqual([null, null, null])
  const api = await createTestApi({ db, hub, clock, ...options })
  const signers: string[] = []
  for (const user of users) signers.push((await approvedSigner({ db, hub }, user, api)).id)
  return {
    ...database,
    hub,
    api,
    users,
    signers: signers as [string, string, string],
    setTime: (seconds) => {
      secondsAfter = seconds
    },
  }
}

/** The body of a success; a failure of the test for any other answer. */
export function bodyOf(reply: LightMyRequestResponse, status = 200): ReturnType<typeof JSON.parse> {
  expect(reply.json(), reply.body).toBeDefined()
  expect({ status: reply.statusCode, body: reply.statusCode === status ? '' : reply.body }).toEqual({
    status,
    body: '',
  })
  return reply.json()
}
