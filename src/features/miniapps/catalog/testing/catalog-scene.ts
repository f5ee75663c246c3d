import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, expect } from 'vitest'
import { createTestDatabase } from '../../../../../test/database.js'
import { createTestHub } from '../../../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../../../test/network.js'
import { createTestApi } from '../../../../app/testing/test-api.js'
import { createNetClient } from '../../../../platform/outbound/net-client.js'
import { serveHttp } from '../../../../platform/outbound/testing/loopback-server.js'
import type { SignedMessage } from '../../../../protocol/message.js'
import { registerAddressHolders, signWithWallet } from '../../testing/wallets.js'
import { refreshManifests } from '../manifest-reader.js'
import { refreshTrends } from '../trends.js'

type Answer = object | ((request: IncomingMessage, response: ServerResponse) => void)
type Query = Readonly<Record<string, string | number>>

/** A network of four users and an author with wallets, the API over it, and mini apps on loopback. */
export async function createCatalogScene() {
  const { db } = await createTestDatabase()
  const hub = await createTestHub(db)
  const clock = () => testNowUnix * 1000
  const targetPolicy = { allowHttp: true, allowLoopback: true }
  const net = createNetClient({ policy: targetPolicy, userAgent: 'plaza test' })
  afterAll(() => net.close())
  const users = [1, 2, 3, 4].map((fid) => new TestUser(fid))
  await hub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 5 })))
  const holders = await registerAddressHolders({ db, hub, clock })
  const api = await createTestApi({ db, hub, clock })

  async function merge(...messages: SignedMessage[]): Promise<void> {
    expect((await hub.submit(messages)).filter((refusal) => refusal !== null)).toEqual([])
  }

  /** Reads all manifests that are due. */
  async function readManifests(): Promise<void> {
    await refreshManifests({ db, net, targetPolicy })
  }

  return {
    db,
    api,
    users,
    merge,
    readManifests,
    /** The fid that signs manifests, with its wallets. */
    authorFid: holders.custody.fid,
    /** The account association of a domain. */
    associate: (domain: string, type: 'custody' | 'auth' = 'custody', holder = holders[type]) =>
      signWithWallet({ type, holder, isText: true }, { domain }),
    /** Counts shares and trends as of now. */
    countUse: () => refreshTrends(db, clock()),
    /** Casts a URL, so many seconds ago. */
    async share(fid: number, url: string, secondsAgo = 60): Promise<SignedMessage> {
      const cast = users[fid - 1]!.cast(`look ${secondsAgo}`, testNow - secondsAgo, { embeds: [{ url }] })
      await merge(cast)
      return cast
    },
    /** Adds a domain to those whose manifests are read. */
    addDomain: (domain: string) => db`insert into miniapps.manifests (domain) values (${domain})`,
    /** Makes all manifests due again. */
    letDayPass: () => db`update miniapps.manifests set next_read_at = now() - interval '1 second'`,
    failureOf: async (domain: string) =>
      (await db<{ failure: string }[]>`select failure from miniapps.manifests where domain = ${domain}`)[0]
        ?.failure,
    async frames(path: string, query: Query = {}) {
      const reply = await api.get(path, query)
      expect(reply.statusCode, reply.body).toBe(200)
      return reply.json()
    },
    /** Names of a list, in order. */
    async names(path: string, query: Query = {}): Promise<string[]> {
      const reply = await api.get(path, query)
      expect(reply.statusCode, reply.body).toBe(200)
      return reply
        .json()
        .frames.map((frame: { manifest: { miniapp: { name: string } } }) => frame.manifest.miniapp.name)
    },
  }
}

/** Mini apps on one loopback server, by the first label of their host. It ends with the test. */
export async function serveMiniApps() {
  const answers = new Map<string, Answer>()
  const visits: string[] = []
  const { port } = await serveHttp((request, response) => {
    const [host = ''] = (request.headers.host ?? '').split('.')
    visits.push(`${host}${request.url}`)
    const answer = answers.get(`${host}${request.url}`)
    if (answer === undefined) response.writeHead(404).end()
    else if (typeof answer === 'function') answer(request, response)
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  return {
    visits,
    domainOf: (name: string) => `${name}.localhost:${port}`,
    /** Sets the manifest of a mini app, or another answer in its place. */
    serve: (name: string, answer: Answer, path = '/.well-known/farcaster.json') =>
      void answers.set(`${name}${path}`, answer),
  }
}

/** The part of a manifest about the mini app. */
export function miniApp(domain: string, more: object = {}) {
  return {
    version: '1',
    name: domain.split('.')[0],
    iconUrl: `http://${domain}/icon.png`,
    homeUrl: `http://${domain}/`,
    ...more,
  }
}

/** Stores listed mini apps without reading manifests. */
export async function listMiniApps(
  db: Awaited<ReturnType<typeof createTestDatabase>>['db'],
  apps: readonly { domain: string; category?: string; networks?: readonly string[]; authorFid?: number }[],
): Promise<void> {
  for (const { domain, category = null, networks = [], authorFid = 1 } of apps) {
    const url = `https://${domain}/`
    const manifest = {
      account_association: { header: 'h', payload: 'p', signature: 's' },
      miniapp: { version: '1', name: domain, icon_url: `${url}icon.png`, home_url: url },
    }
    await db`
      insert into miniapps.manifests
        (domain, next_read_at, read_at, author_fid, manifest, home_url, category, networks, words, listed)
      values (
        ${domain}, now() + interval '1 day', now(), ${authorFid}::bigint, ${JSON.stringify(manifest)}::text::jsonb,
        ${url}, ${category}, ${db.types.texts(networks)}::text[], to_tsvector('simple', ${domain.replaceAll(/[.-]/g, ' ')}), true
      )`
  }
}
