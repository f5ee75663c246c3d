import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createJsonFarcasterSignature,
  createVerifyAppKeyWithHub,
  type ParseWebhookEventResult,
  parseWebhookEvent,
} from '@farcaster/miniapp-node'
import { afterAll, expect } from 'vitest'
import { createTestDatabase } from '../../../../../../test/database.js'
import { createTestHub } from '../../../../../../test/hub.js'
import { openHubApi } from '../../../../../../test/hub-api.js'
import { TestUser, testNowUnix } from '../../../../../../test/network.js'
import { createTestApi, type TestApiOptions } from '../../../../../app/testing/test-api.js'
import { createNetClient } from '../../../../../platform/outbound/net-client.js'
import { serveHttp } from '../../../../../platform/outbound/testing/loopback-server.js'
import { createSigner } from '../../../../signers/signer-record.js'
import { testVault } from '../../../../signers/testing/approved-signer.js'
import { addClientKey, type ClientKey } from '../../../testing/client-key.js'

/** The app that opens mini apps, as a user of the network: who asked for the keys of its users. */
export const HOST_FID = 7_001

/** A user of that app. */
export interface HostTestUser {
  readonly fid: number
  readonly key: ClientKey
  /** Has the same key. */
  readonly signerUuid: string
}

/** A mini app elsewhere. */
export interface ServedMiniApp {
  readonly domain: string
  /** Events of its webhook, parsed by the published library, which asks the hub about keys. */
  readonly events: ParseWebhookEventResult[]
}

/** An app that opens mini apps, its users, and mini apps, for the file that calls it. */
export async function createHostScene() {
  const { db } = await createTestDatabase()
  let secondsAfter = 0
  const clock = () => (testNowUnix + secondsAfter) * 1000
  const hub = await createTestHub(db)
  const hubApi = await openHubApi(db, { hub })
  const hubUrl = await hubApi.app.listen({ host: '127.0.0.1', port: 0 })
  const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
  afterAll(async () => {
    await hubApi.app.close()
    await net.close()
  })
  const publicUrl = () => 'https://plaza.example.org'
  const openApi = (more: Partial<TestApiOptions> = {}) =>
    createTestApi({ db, hub, clock, net, publicUrl, ...more })
  const api = await openApi()
  let fids = 100

  async function newUser(): Promise<HostTestUser> {
    fids += 1
    const user = new TestUser(fids)
    await hub.submitOnChainEvents(user.onChain())
    const key = await addClientKey(hub, user, HOST_FID)
    const { id } = await createSigner({ db, vault: testVault }, api.appId)
    await db`
      update signers.signers
      set public_key = ${key.publicKey}, sealed_key = ${testVault.seal(key.privateKey, `signer ${id}`)}
      where id = ${id}`
    return { fid: user.fid, key, signerUuid: id }
  }

  /** Has an event signed by the user's signer. */
  const bySigner = ({ fid, signerUuid }: HostTestUser, app_domain: string, event: string) =>
    api.send('POST', 'app_host/user/event', { app_domain, signer_uuid: signerUuid, fid, event })

  async function eventToSign({ fid }: Pick<HostTestUser, 'fid'>, app_domain: string, event: string) {
    const reply = await api.get('app_host/user/event', { app_domain, fid, event })
    expect([reply.statusCode, reply.json()]).toEqual([200, expect.objectContaining({ event })])
    return reply.json() as { event: string; notificationDetails?: { url: string; token: string } }
  }

  return {
    db,
    hub,
    clock,
    api,
    openApi,
    newUser,
    serveMiniApp: miniApps(hubUrl),
    bySigner,
    eventToSign,
    wait: (seconds: number) => {
      secondsAfter += seconds
    },
  }
}

/** Serves mini apps, each until its test ends. */
function miniApps(hubUrl: string) {
  return async (answer = (response: ServerResponse) => response.end('{}')): Promise<ServedMiniApp> => {
    const events: ParseWebhookEventResult[] = []
    const server = await serveHttp(async (request, response) => {
      const origin = `http://${request.headers.host}`
      if (request.url === '/.well-known/farcaster.json') {
        return response.end(JSON.stringify({ miniapp: { webhookUrl: `${origin}/webhook` } }))
      }
      expect([request.method, request.url]).toEqual(['POST', '/webhook'])
      const envelope = JSON.parse(await bodyOf(request))
      events.push(await parseWebhookEvent(envelope, createVerifyAppKeyWithHub(hubUrl)))
      return answer(response)
    })
    return { domain: `127.0.0.1:${server.port}`, events }
  }
}

/** An event as the published library signs it. */
export function signedEvent({ fid, key }: Pick<HostTestUser, 'fid' | 'key'>, event: object) {
  return createJsonFarcasterSignature({
    fid,
    type: 'app_key',
    privateKey: key.privateKey,
    payload: Buffer.from(JSON.stringify(event)),
  })
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}
