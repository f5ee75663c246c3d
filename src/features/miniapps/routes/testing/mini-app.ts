import { createTestApi } from '../../../../app/testing/test-api.js'
import type { Database } from '../../../../platform/db/connection.js'
import type { NetClient } from '../../../../platform/outbound/net-client.js'
import { createApiKey } from '../../../apps/api-keys.js'
import { createApp } from '../../../apps/apps.js'
import type { CampaignSettings, Campaigns } from '../../campaigns/campaign-client.js'
import { createTestCampaigns } from '../../campaigns/testing/test-campaigns.js'

let made = 0

/** A mini app of its own, and what it asks the API. */
export async function createMiniApp(
  { db, net }: { readonly db: Database; readonly net: Pick<NetClient, 'request'> },
  settings: Partial<CampaignSettings> = {},
  campaigns: Campaigns = createTestCampaigns(db, net, settings),
) {
  made += 1
  const domain = `app${made}.example.com`
  const { id: appId } = await createApp(db, { name: `mini app ${made}`, miniAppDomain: domain })
  const { key } = await createApiKey(db, { appId })
  const api = await createTestApi({ db, net, key, campaigns })
  const notification = { title: 'hello', body: 'it is your turn', target_url: `https://${domain}/play` }
  async function ask(method: 'POST' | 'DELETE', path: string, body: object) {
    const reply = await api.send(method, path, body)
    return { httpStatus: reply.statusCode, ...reply.json() }
  }
  return {
    appId,
    notification,
    api,
    campaigns,
    /** Sends the notification, unless the body has another one, and answers with the reply and its HTTP status. */
    send: (body: object = {}) => ask('POST', 'frame/notifications', { notification, ...body }),
    preview: (body: object = {}) => ask('POST', 'frame/notifications/preview', body),
    cancel: (campaignId: string) => ask('DELETE', 'frame/notifications', { campaign_id: campaignId }),
    /** A campaign as it is now. */
    async campaign(campaignId: string) {
      const reply = await api.get('frame/notifications', { campaign_id: campaignId })
      return reply.json().notificationCampaigns[0]
    },
  }
}
