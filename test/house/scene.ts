import type { Address } from 'viem'
import { expect } from 'vitest'
import type { TestApi } from '../../src/app/testing/test-api.js'
import { FidPool } from '../../src/features/accounts/fid-pool/fid-pool.js'
import { LocalLedger } from '../../src/features/accounts/ledger/local-ledger.js'
import { fundedWallet } from '../../src/features/accounts/testing/funded-wallet.js'
import { createApp, editApp } from '../../src/features/apps/apps.js'
import { listMiniApps } from '../../src/features/miniapps/catalog/testing/catalog-scene.js'
import { refreshTrends } from '../../src/features/miniapps/catalog/trends.js'
import { consumeInbox } from '../../src/features/notifications/testing/consume-inbox.js'
import type { spendingContext } from '../../src/features/payments/testing/spending-scene.js'
import { approvedSigner, testVault } from '../../src/features/signers/testing/approved-signer.js'
import { type KeyHolder, registerKeyHolder } from '../../src/features/signers/testing/key-holder.js'
import type { parseSubscriptionContracts } from '../../src/features/subscriptions/settings.js'
import { refreshSearchLists } from '../../src/graph/refresh/search-prefix-lists.js'
import type { Hub } from '../../src/hub/hub.js'
import type { Database } from '../../src/platform/db/connection.js'
import { silentLog } from '../../src/platform/log/log.js'
import { ReactionType, UserDataType } from '../../src/protocol/definitions.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { ownProtocolChannel } from '../channel-events.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../network.js'

/** Contracts on a test chain, which operations know as `base`. */
export interface ChainScene {
  readonly context: ReturnType<typeof spendingContext> & {
    readonly subscriptions: { readonly contracts: ReturnType<typeof parseSubscriptionContracts> }
  }
  readonly token: Address
  /** A subscription contract of alice, at which she has subscribed herself. */
  readonly subscription: Address
  /** A collection of the scene's wallet, with a free mint. */
  readonly collection: Address
}

/** The objects that requests of `statement-budgets.ts` refer to. */
export interface Scene {
  readonly alice: TestUser
  readonly bob: TestUser
  readonly carol: TestUser
  /** Followed by bob and carol, and not by alice. */
  readonly dan: TestUser
  /** A cast of alice with everything that a cast can load: channel, mention, quote, page, replies. */
  readonly castHash: string
  readonly channelUrl: string
  /** A page to crawl. */
  readonly pageUrl: string
  /** A signer with all permissions of alice, who leads the channel. */
  readonly signerUuid: string
  readonly carolSignerUuid: string
  /** A registered user with a custody key, which may request keys and has approved one. */
  readonly app: KeyHolder
  /** A wallet of the calling app with money and a fid in the pool. */
  readonly walletId: string
  /** Deadline of such a request in Unix seconds. */
  readonly deadline: number
  /** Domain of a mini app of this server. */
  readonly miniAppDomain: string
  /** Domain of the calling app's mini app. */
  readonly ownMiniAppDomain: string
  /** Contracts on a test chain. */
  readonly onchain: ChainScene
  /** The API without counting statements, for preparations. */
  readonly api: TestApi
}

/** Tools for a test to extend the scene. */
type AddedParts = 'pageUrl' | 'api' | 'onchain'

/** Where to create the scene. `appId` owns alice's signer. */
export interface SceneParts {
  readonly db: Database
  readonly hub: Hub
  readonly appId: string
}

const MINI_APP_DOMAIN = 'tulips.plaza.social'
const OWN_MINI_APP_DOMAIN = 'roses.plaza.social'
const CHANNEL_URL = 'https://plaza.test/gardens'

/** Creates users who cast in a channel, so that no operation returns an empty page. */
export async function createScene({ db, hub, appId }: SceneParts): Promise<Omit<Scene, AddedParts>> {
  const [alice, bob, carol, dan] = [new TestUser(1), new TestUser(2), new TestUser(3), new TestUser(4)]
  const users = [alice, bob, carol, dan]
  const names = ['alice', 'bob', 'carol', 'dan']
  const merge = async (...messages: SignedMessage[]) => {
    expect((await hub.submit(messages)).filter((refusal) => refusal !== null)).toEqual([])
  }
  await hub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 5 })))
  await hub.submitNameTransfers(
    names.map((name, index) => nameTransfer(name, index + 1, testNowUnix - 5_000)),
  )
  await merge(
    ...users.map((user, index) => user.userData(UserDataType.USERNAME, names[index]!, testNow - 4_000)),
    ...users.map((user) => user.userData(UserDataType.LOCATION, 'geo:52.52,13.41', testNow - 4_000)),
    alice.userData(UserDataType.TWITTER, 'alice_x', testNow - 4_000),
  )
  await makeChannel(db)
  await ownProtocolChannel(hub, alice, 'lilies')
  await verifyAddress(db, alice)
  await db`update social.users set score = 0.95 where fid = 1`
  const follows: [TestUser, number][] = [
    ...[2, 3].map((fid): [TestUser, number] => [alice, fid]),
    ...[1, 3, 4].map((fid): [TestUser, number] => [bob, fid]),
    ...[1, 2, 4].map((fid): [TestUser, number] => [carol, fid]),
  ]
  const quoted = bob.cast('the first word', testNow - 2_000)
  const cast = alice.cast('look at this,  in the garden', testNow - 1_000, {
    parentUrl: CHANNEL_URL,
    mentions: [3],
    mentionsPositions: [14],
    embeds: [{ url: 'https://example.com/page' }, { castId: { fid: 2, hash: quoted.hash } }],
  })
  const parentCastId = { fid: 1, hash: cast.hash }
  await merge(...follows.map(([user, fid]) => user.link(fid, testNow - 3_000)), quoted)
  await merge(cast)
  await merge(
    bob.cast('an answer', testNow - 900, { parentCastId }),
    bob.cast('more of it', testNow - 800, { embeds: [{ castId: parentCastId }] }),
    carol.cast('another answer', testNow - 700, { parentCastId }),
    ...[bob, carol].flatMap((user) => [
      user.react(cast, testNow - 600),
      user.react(cast, testNow - 500, { type: ReactionType.RECAST }),
    ]),
    alice.react(quoted, testNow - 400),
  )
  await makeMiniApp(db)
  await refreshSearchLists(db, testNowUnix * 1000)
  await consumeInbox(db)
  const { id: signerUuid } = await approvedSigner({ db, hub }, alice, { appId })
  const { id: carolSignerUuid } = await approvedSigner({ db, hub }, carol, { appId })
  const app = await registerKeyHolder({ db, hub, clock: () => testNowUnix * 1000 })
  await approvedSigner({ db, hub }, new TestUser(app.fid), { appId })
  await createApp(db, { name: 'tulips', miniAppDomain: MINI_APP_DOMAIN })
  await editApp(db, appId, { miniAppDomain: OWN_MINI_APP_DOMAIN })
  return {
    alice,
    bob,
    carol,
    dan,
    castHash: `0x${cast.hash.toString('hex')}`,
    channelUrl: CHANNEL_URL,
    signerUuid,
    carolSignerUuid,
    app,
    walletId: await createStockedWallet({ db, hub, appId }),
    deadline: testNowUnix + 86_400,
    miniAppDomain: MINI_APP_DOMAIN,
    ownMiniAppDomain: OWN_MINI_APP_DOMAIN,
  }
}

/** Creates a wallet that has fetched a fid, so that its pool is filled. */
async function createStockedWallet({ db, hub, appId }: SceneParts): Promise<string> {
  const clock = () => testNowUnix * 1000
  const wallet = await fundedWallet(db, { appId, fidPoolSize: 5 })
  const ledger = new LocalLedger({ db, hub, clock })
  const fidPool = new FidPool({ db, vault: testVault, ledger, clock, log: silentLog })
  await fidPool.take(wallet)
  await fidPool.idle()
  return wallet.id
}

/** Verification is tested elsewhere; here the row only has to exist. */
async function verifyAddress(db: Database, { fid, custody }: TestUser): Promise<void> {
  await db`
    insert into social.verifications (fid, address, protocol, ts, signer)
    values (${fid}, ${custody}, 0, ${testNow - 3_000}, ${Buffer.alloc(32)})`
}

/** The page that alice's cast embeds is a mini app of the catalog. */
async function makeMiniApp(db: Database): Promise<void> {
  await listMiniApps(db, [{ domain: 'example.com' }])
  const url = 'https://example.com/page'
  const frame = { version: 'next', frames_url: url, image: 'https://example.com/page.png' }
  await db`
    update embeds.urls
    set state = 'done', kind = 'text/html', metadata = ${JSON.stringify({ _status: 'RESOLVED', frame })}::text::jsonb
    where url = ${url}`
  await refreshTrends(db, testNowUnix * 1000)
}

async function makeChannel(db: Database): Promise<void> {
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at, follower_count, member_count)
    values ('gardens', ${CHANNEL_URL}, ${CHANNEL_URL}, 'Gardens', 1, 1700000000, 4, 3)`
  await db`insert into channels.urls (url, channel_id) values (${CHANNEL_URL}, 'gardens')`
  await db`
    insert into channels.follows (channel_id, fid, followed_at)
    select 'gardens', fid, 1700000000 from unnest('{1,2,3,4}'::bigint[]) as fid`
  await db`
    insert into channels.members (channel_id, fid, role, member_since)
    select 'gardens', fid, 'member', 1700000000 from unnest('{1,2,4}'::bigint[]) as fid`
}
