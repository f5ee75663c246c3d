import {
  AppHostGetEventEventEnum,
  type AppHostPostEventReqBodyEventEnum,
} from '@neynar/nodejs-sdk/build/api/index.js'
import { afterAll, expect, it } from 'vitest'
import { createApiKey } from '../../src/features/apps/api-keys.js'
import { createApp } from '../../src/features/apps/apps.js'
import { createHostScene, signedEvent } from '../../src/features/miniapps/routes/host/testing/host-scene.js'
import { connectClient } from './served-api.js'

const { db, api, newUser } = await createHostScene()
const basePath = await api.app.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => api.app.close())
const host = connectClient(basePath, api.key)
const appDomain = 'garden.example.org'
const garden = await createApp(db, { name: 'garden', miniAppDomain: appDomain })
const miniApp = connectClient(basePath, (await createApiKey(db, { appId: garden.id })).key)

/** What the client has for members that it cannot leave out. */
const unsigned = { header: '', payload: '', signature: '' }
const enabled: AppHostPostEventReqBodyEventEnum = 'notifications_enabled'

it('tells a mini app what users do, by a signer and signed elsewhere, and lists who may notify whom', async () => {
  const [one, two] = [await newUser(), await newUser()]
  const { fid, signerUuid } = one
  const reply = await host.appHostPostEvent({
    appDomain,
    signedMessage: unsigned,
    event: enabled,
    fid,
    signerUuid,
  })
  expect(reply.success).toBe(true)

  const event = await host.appHostGetEvent({
    appDomain,
    fid: two.fid,
    event: AppHostGetEventEventEnum.NotificationsEnabled,
  })
  const signedMessage = signedEvent(two, event)
  await host.appHostPostEvent({ appDomain, signedMessage, event: enabled, fid: two.fid, signerUuid: '' })

  const state = await host.appHostGetUserState({ fid })
  expect(state.notifications_enabled).toEqual([
    { domain: appDomain, status: 'valid', updated_at: expect.any(String) },
  ])

  const first = await miniApp.fetchNotificationTokens({ limit: 1 })
  expect(first.notification_tokens).toMatchObject([
    { object: 'notification_token', fid, status: 'enabled', url: event.notificationDetails?.url },
  ])
  const second = await miniApp.fetchNotificationTokens({ limit: 1, cursor: first.next.cursor! })
  expect(second).toMatchObject({
    notification_tokens: [{ fid: two.fid, token: event.notificationDetails?.token }],
    next: { cursor: null },
  })
  const ofOne = await miniApp.fetchNotificationTokens({ fids: [fid] })
  expect(ofOne.notification_tokens).toEqual(first.notification_tokens)
})
