import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { cursorParameter, limitParameter } from '../../../api/parameters.js'
import { NotificationCampaignsResponse } from '../../../graph/view/schema/campaign.js'
import { defineOperation } from '../../operation.js'
import { listCampaigns } from '../campaigns/campaigns.js'
import { campaignIdParameter } from './notification-body.js'

const cursors = cursorKind('campaigns', keyPart.integer)

/** `GET frame/notifications` */
export const campaignList = defineOperation({
  method: 'GET',
  path: 'frame/notifications',
  tag: 'Mini app',
  summary: 'What came of notifications',
  description:
    'One campaign, or all, the newest first. The counts are those of this moment, also while it runs.',
  query: Type.Object({
    campaign_id: Type.Optional(campaignIdParameter),
    limit: limitParameter({ maximum: 1_000, default: 100 }),
    cursor: cursorParameter,
  }),
  reply: NotificationCampaignsResponse,

  async handle({ db }, { campaign_id, limit, cursor }, { appId }) {
    const [beforeSeq = null] = cursors.decode(cursor) ?? []
    const found = await listCampaigns(db, appId, {
      campaignId: campaign_id ?? null,
      limit: limit + 1,
      beforeSeq,
    })
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return {
      notificationCampaigns: page.map(({ view }) => view),
      next: { cursor: last ? cursors.encode([last.seq]) : null },
    }
  },
})
