import { expect, test } from 'vitest'
import { appKeyAuthorization } from '../src/features/bearer/testing/app-key-token.js'
import { issuerKey, jwtAuthorization, startIssuer } from '../src/features/bearer/testing/jwt-issuer.js'
import { createTestDatabase } from './database.js'
import { TestUser } from './network.js'
import { startTestServer } from './running-server.js'

const { url } = await createTestDatabase()
const alice = new TestUser(1)
const nowUnix = Math.floor(Date.now() / 1000)
const inFiveMinutes = nowUnix + 300

test('a user marks notifications as seen with a token instead of a signer', async () => {
  const key = await issuerKey('ES256')
  const issuer = await startIssuer(key)
  const server = await startTestServer(url, {
    CRAWL_EMBEDS: 'false',
    ALLOW_PRIVATE_TARGETS: 'loopback',
    STRICT_FIDS: 'true',
    PUBLIC_URL: 'https://plaza.example/',
    JWT_ISSUERS: `${issuer.issuer}=${issuer.keySetUrl}`,
  })
  await server.hub.submitOnChainEvents(alice.onChain())

  const markSeen = async (authorization?: string) => {
    const reply = await fetch(`${server.urls.main}/v2/farcaster/notifications/seen/`, {
      method: 'POST',
      headers: {
        'x-api-key': 'a-key-for-the-test',
        'content-type': 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: '{}',
    })
    return [reply.status, await reply.json()]
  }
  const seen = [200, { success: true, message: 'all notifications are marked as seen' }]
  const refused = (problem: string) => [
    401,
    {
      message: expect.stringContaining(problem),
      code: 'Unauthorized',
      property: 'authorization',
      status: 401,
    },
  ]
  const appKeyToken = (exp: number) => appKeyAuthorization(alice, { payload: { exp } })
  const jwt = (changes: object) =>
    jwtAuthorization(issuer, key, { aud: 'plaza.example', iat: nowUnix, exp: inFiveMinutes, ...changes })

  expect(await markSeen(appKeyToken(inFiveMinutes))).toEqual(seen)
  expect(await markSeen(await jwt({}))).toEqual(seen)
  expect(await markSeen(appKeyToken(nowUnix - 60))).toEqual(refused('it has expired'))
  expect(await markSeen(appKeyToken(nowUnix + 3_600))).toEqual(refused('more than 600 seconds from now'))
  expect(await markSeen(await jwt({ exp: nowUnix - 60 }))).toEqual(refused('it has expired'))
  expect(await markSeen(await jwt({ aud: 'other.example' }))).toEqual(refused('another audience'))
  expect(await markSeen(await jwt({ iss: 'https://other.example' }))).toEqual(refused('its issuer'))
  expect(await markSeen('Bearer a-key-for-the-test')).toEqual(refused('three parts'))
  expect((await markSeen())[0]).toBe(400)

  const readInbox = async (headers: Readonly<Record<string, string>>) => {
    const inbox = `${server.urls.main}/v2/farcaster/notifications/?fid=${alice.fid}`
    const reply = await fetch(inbox, { headers: { 'x-api-key': 'a-key-for-the-test', ...headers } })
    const { code } = (await reply.json()) as { readonly code?: string }
    return [reply.status, code]
  }
  expect(await readInbox({ authorization: await jwt({}) })).toEqual([200, undefined])
  expect(await readInbox({})).toEqual([403, 'FidNotApproved'])
})
