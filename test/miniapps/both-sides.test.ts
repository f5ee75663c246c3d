import { afterAll, expect, it } from 'vitest'
import { createHostScene, HOST_FID } from '../../src/features/miniapps/routes/host/testing/host-scene.js'
import { createMiniApp } from '../../src/features/miniapps/routes/testing/mini-app.js'
import { createNetClient } from '../../src/platform/outbound/net-client.js'

const { db, openApi, newUser } = await createHostScene()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
let publicUrl = ''
const host = await openApi({ publicUrl: () => publicUrl })
publicUrl = await host.app.listen({ host: '127.0.0.1', port: 0 })
afterAll(async () => {
  await host.app.close()
  await net.close()
})

it('mini apps: notifications reach users of an app host while they are enabled', async () => {
  const miniApp = await createMiniApp({ db, net })
  const app_domain = new URL(miniApp.notification.target_url).host
  const users = [await newUser(), await newUser()]
  const sendHostEvent = async (event: string, { fid, signerUuid }: (typeof users)[number]) => {
    const notifyResult = { app_domain, signer_uuid: signerUuid, fid, event }
    expect((await host.send('POST', 'app_host/user/event', notifyResult)).json()).toMatchObject({
      success: true,
    })
  }
  for (const user of users) await sendHostEvent('notifications_enabled', user)

  const { campaign_id, ...sent } = await miniApp.send()
  expect(sent).toMatchObject({ httpStatus: 200, success_count: 2, failure_count: 0, not_attempted_count: 0 })
  expect((await miniApp.campaign(campaign_id)).stats.successful_sends_by_app_fid).toEqual({ [HOST_FID]: 2 })
  for (const { fid } of users) {
    const { notifications } = (await host.get('app_host/user/notifications', { fid })).json()
    expect(notifications).toMatchObject([
      { title: miniApp.notification.title, body: miniApp.notification.body },
    ])
  }

  await sendHostEvent('frame_removed', users[0]!)
  await db`update miniapps.rate_windows set sent_at = '{}'`
  expect(await miniApp.preview()).toMatchObject({ tokens: 1, left_out: [{ reason: 'invalid', tokens: 1 }] })
  // The host's clock stands still here, so its rate limit applies to the token.
  expect(await miniApp.send()).toMatchObject({ failure_count: 1, retryable_fids: [users[1]!.fid] })
})
