import { afterAll, expect } from 'vitest'
import { startServer } from '../../src/app/compose.js'
import { readConfig } from '../../src/app/config/config.js'
import type { Hub } from '../../src/hub/hub.js'
import type { Database } from '../../src/platform/db/connection.js'
import { createLogger } from '../../src/platform/log/logger.js'
import { toProtobuf } from '../../src/protocol/codec.js'
import {
  Message,
  MessageType,
  ReactionType,
  SignerEventType,
  UserDataType,
} from '../../src/protocol/definitions.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { createTestDatabase } from '../database.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../network.js'

const CHANNEL_URL = 'https://plaza.test/gardens'

/** What a frame is posted. */
export interface FramePress {
  readonly untrustedData: Readonly<Record<string, unknown>>
  readonly trustedData: { readonly messageBytes: string }
}

/** The complete server with a small network, for one test file. */
export interface ServedNetwork {
  /** The address of the server, without a slash at its end. */
  readonly url: string
  readonly key: string
  readonly alice: TestUser
  readonly bob: TestUser
  /** A cast of alice with a reply, a like and a recast of bob. `0x` and hex. */
  readonly castHash: string
  /** The body that a host posts to a frame at this URL when bob presses its second button below the cast. */
  press(frameUrl: string): FramePress
  /** Approves a key of a managed signer, as the user would on chain. */
  approve(user: TestUser, publicKey: string): Promise<void>
}

const key = 'a-key-of-the-clients'

/** Starts the server on a database of its own. It stops after the last test of the file. */
export async function serveNetwork(): Promise<ServedNetwork> {
  const { db, url: databaseUrl } = await createTestDatabase()
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    PORT: '0',
    VERIFY_THREADS: '0',
    SCORE_INTERVAL_HOURS: '0',
    CRAWL_EMBEDS: 'false',
    PLAZA_DEV_API_KEY: key,
    PLAZA_SECRET_KEY: 'a-secret-of-the-tests-of-published-clients',
  })
  if ('problems' in config) throw new Error(config.problems)
  const server = await startServer(config.config, createLogger('silent'))
  afterAll(() => server.stop())
  const { hub } = server
  const [alice, bob] = [new TestUser(1), new TestUser(2)]
  const cast = await createNetwork(db, hub, { alice, bob })
  return {
    url: server.urls.main,
    key,
    alice,
    bob,
    castHash: `0x${cast.hash.toString('hex')}`,
    press: (frameUrl) => pressBelow(cast, bob, frameUrl),
    async approve(user, publicKey) {
      const block = 1_000_000 + Number.parseInt(publicKey.slice(2, 8), 16)
      const event = user.signerEvent(SignerEventType.ADD, block, Buffer.from(publicKey.slice(2), 'hex'))
      expect(await hub.submitOnChainEvents([event])).toEqual([null])
    },
  }
}

/** Returns alice's cast. */
async function createNetwork(
  db: Database,
  hub: Hub,
  { alice, bob }: Pick<ServedNetwork, 'alice' | 'bob'>,
): Promise<SignedMessage> {
  const merge = async (...messages: SignedMessage[]) =>
    expect((await hub.submit(messages)).filter((refusal) => refusal !== null)).toEqual([])
  await hub.submitOnChainEvents([alice, bob].flatMap((user) => user.onChain({ units: 5 })))
  await hub.submitNameTransfers(
    ['alice', 'bob'].map((name, index) => nameTransfer(name, index + 1, testNowUnix - 5_000)),
  )
  await merge(
    alice.userData(UserDataType.USERNAME, 'alice', testNow - 4_000),
    alice.userData(UserDataType.DISPLAY, 'Alice', testNow - 4_000),
    bob.userData(UserDataType.USERNAME, 'bob', testNow - 4_000),
    alice.link(2, testNow - 3_000),
    bob.link(1, testNow - 3_000),
  )
  await db`
    insert into social.verifications (fid, address, protocol, ts, signer)
    values (1, ${alice.custody}, 0, ${testNow - 3_000}, ${Buffer.alloc(32)})`
  await db`update social.users set score = 0.95 where fid = 1`
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at, follower_count, member_count)
    values ('gardens', ${CHANNEL_URL}, ${CHANNEL_URL}, 'Gardens', 1, ${testNowUnix - 4_000}, 0, 0)`
  await db`insert into channels.urls (channel_id, url) values ('gardens', ${CHANNEL_URL})`
  const embeds = [{ url: 'https://example.com/page' }]
  const cast = alice.cast('tomatoes in the garden', testNow - 1_000, { parentUrl: CHANNEL_URL, embeds })
  await merge(cast)
  await merge(
    bob.cast('an answer', testNow - 900, { parentCastId: { fid: 1, hash: cast.hash } }),
    bob.react(cast, testNow - 800),
    bob.react(cast, testNow - 700, { type: ReactionType.RECAST }),
  )
  return cast
}

function pressBelow(cast: SignedMessage, user: TestUser, frameUrl: string): FramePress {
  const empty = Buffer.alloc(0)
  const castId = { fid: cast.data.fid, hash: cast.hash }
  const frameActionBody = {
    url: Buffer.from(frameUrl),
    buttonIndex: 2,
    castId,
    inputText: Buffer.from('more water'),
    state: empty,
    transactionId: empty,
    address: empty,
  }
  const message = user.message({ type: MessageType.FRAME_ACTION, frameActionBody }, testNow - 600)
  return {
    untrustedData: {
      fid: user.fid,
      url: frameUrl,
      messageHash: `0x${message.hash.toString('hex')}`,
      timestamp: testNow - 600,
      network: message.data.network,
      buttonIndex: 2,
      inputText: 'more water',
      castId: { fid: castId.fid, hash: `0x${castId.hash.toString('hex')}` },
    },
    trustedData: { messageBytes: withData(message).toString('hex') },
  }
}

/** Encodes a message as hosts do: with its data as a message, not as bytes. */
function withData(message: SignedMessage): Buffer {
  const { dataBytes: _, ...envelope } = toProtobuf(message)
  return Buffer.from(Message.encode({ ...envelope, data: message.data }).finish())
}
