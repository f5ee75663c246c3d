import { afterAll, expect, it } from 'vitest'
import { setName } from '../../scripts/dev-chain.mjs'
import { readConfig } from '../../src/app/config/config.js'
import { openHub } from '../../src/app/open-hub.js'
import { createTestApi } from '../../src/app/testing/test-api.js'
import type { Hub } from '../../src/hub/hub.js'
import {
  FarcasterNetwork,
  MessageType,
  UserDataType,
  UserNameProof,
  UserNameType,
} from '../../src/protocol/definitions.js'
import { farcasterSecondsFromUnixMs, unixSecondsFromFarcasterSeconds } from '../../src/protocol/time.js'
import { createTestDatabase } from '../database.js'
import { TestUser } from '../network.js'
import { startTestChain } from './test-chain.js'

const { db } = await createTestDatabase()
const chain = await startTestChain()
const [vitalik, impostor] = [new TestUser(1), new TestUser(2)]
await setName(chain.client, 'vitalik.eth', `0x${vitalik.custody.toString('hex')}`)

/** Opens the hub of a mainnet server with these variables. */
async function open(variables: Record<string, string> = {}): Promise<Hub> {
  const result = readConfig({ HUB_NETWORK: 'mainnet', VERIFY_THREADS: '0', ...variables })
  if ('problems' in result) throw new Error(result.problems)
  const opened = await openHub({ config: result.config, writerDb: db })
  afterAll(() => opened.close())
  return opened.hub
}

/** The hub of a server has the clock of the machine. Farcaster seconds. */
const now = farcasterSecondsFromUnixMs(Date.now())

function proof(user: TestUser, at = now - 20) {
  const usernameProofBody = UserNameProof.create({
    timestamp: unixSecondsFromFarcasterSeconds(at),
    name: Buffer.from('vitalik.eth'),
    owner: user.custody,
    fid: user.fid,
    type: UserNameType.USERNAME_TYPE_ENS_L1,
  })
  return onMainnet(user, { type: MessageType.USERNAME_PROOF, usernameProofBody }, at)
}

function username(user: TestUser) {
  const userDataBody = { type: UserDataType.USERNAME, value: 'vitalik.eth' }
  return onMainnet(user, { type: MessageType.USER_DATA_ADD, userDataBody }, now - 20)
}

function onMainnet(user: TestUser, body: Parameters<TestUser['message']>[0], at: number) {
  return user.key.sign({ ...user.message(body, at).data, network: FarcasterNetwork.MAINNET })
}

it('nobody but the owner of vitalik.eth is shown by that name, with or without a chain', async () => {
  const without = await open()
  await without.submitOnChainEvents([...vitalik.onChain(), ...impostor.onChain()])
  const api = await createTestApi({ db, hub: without, network: FarcasterNetwork.MAINNET })
  const shown = async () => {
    const reply = await api.get('user/by_username', { username: 'vitalik.eth' })
    return reply.statusCode === 200 ? reply.json().user.fid : null
  }
  const claim = [proof(impostor), username(impostor)]
  expect((await without.submit(claim)).map((outcome) => outcome?.code)).toEqual([
    'not_configured',
    'bad_request.validation_failure',
  ])
  expect(await shown()).toBeNull()

  const asking = await open({ CHAIN_ETHEREUM_RPC_URLS: chain.url, CHAIN_IDS: 'ethereum=10' })
  for (const messages of [claim, [claim[0]!], [claim[1]!]]) {
    for (const outcome of await asking.submit(messages)) {
      expect(outcome?.code).toBe('bad_request.validation_failure')
    }
    expect(await shown()).toBeNull()
  }
  expect(await asking.submit([proof(vitalik), username(vitalik)])).toEqual([null, null])
  expect(await shown()).toBe(vitalik.fid)
  // A later proof would win, if it merged.
  expect((await asking.submit([proof(impostor, now)]))[0]?.message).toMatch(/resolved address doesn't match/)
  expect(await shown()).toBe(vitalik.fid)
})
