import { Type } from '@sinclair/typebox'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { cancelCampaign } from '../campaigns/cancel.js'
import { campaignIdParameter } from './notification-body.js'

/** `DELETE frame/notifications` */
export const campaignCancel = defineOperation({
  method: 'DELETE',
  path: 'frame/notifications',
  tag: 'Mini app',
  summary: 'Cancel what is not sent yet of a campaign',
  description:
    'Requests to clients that are under way are finished and counted; the rest counts as not attempted.',
  body: Type.Object({ campaign_id: campaignIdParameter }),
  reply: OperationResponse,
  notFound: 'There is no campaign with this campaign_id.',
  conflict: 'The campaign has ended.',

  async handle({ writerDb }, { campaign_id }, { appId }) {
    await cancelCampaign(writerDb, appId, campaign_id)
    return { success: true, message: 'the campaign is canceled' }
  },
})
