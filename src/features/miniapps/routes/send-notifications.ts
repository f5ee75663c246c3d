import { OtherReply } from '../../../api/operation.js'
import {
  QueuedFrameNotificationsResponse,
  SendFrameNotificationsResponse,
} from '../../../graph/view/schema/campaign.js'
import { defineOperation } from '../../operation.js'
import { broadcast } from '../campaigns/broadcast.js'
import { checkTargetUrl } from '../campaigns/notification.js'
import { miniAppDomainOf, noMiniApp } from './mini-app.js'
import { audienceOf, SendFrameNotificationsReqBody } from './notification-body.js'

/** `POST frame/notifications` */
export const sendNotifications = defineOperation({
  method: 'POST',
  path: 'frame/notifications',
  tag: 'Mini app',
  summary: 'Notify users of the mini app',
  description: [
    'Every token of the audience is tried once: `success_count`, `failure_count` and `not_attempted_count` add up to it.',
    'A user with several client apps is told by each that has notifications enabled. What a client would refuse, since',
    'it comes too soon or too often, is not sent and counts as rate limited. With `ASYNC_NOTIFICATIONS_ENABLED` more',
    'than 100 tokens are a campaign, which is queued.',
  ].join(' '),
  body: SendFrameNotificationsReqBody,
  reply: SendFrameNotificationsResponse,
  otherReplies: {
    202: {
      description: 'Queued: `GET frame/notifications` tells what comes of it.',
      reply: QueuedFrameNotificationsResponse,
    },
  },
  notFound: noMiniApp,
  unprocessable: '`target_url` is not on the domain of the mini app.',

  async handle(context, { notification, ...audience }, caller) {
    const { title, body, target_url: targetUrl, uuid = null } = notification
    checkTargetUrl(targetUrl, await miniAppDomainOf(context, caller))
    const { writerDb: db, campaigns } = context
    const { campaignId, result } = await broadcast(
      { db, campaigns },
      {
        appId: caller.appId,
        notification: { title, body, targetUrl },
        uuid: uuid?.toLowerCase() ?? null,
        audience: audienceOf(audience),
      },
    )
    if (result === null) return new OtherReply(202, { campaign_id: campaignId, status: 'queued' })
    return {
      campaign_id: campaignId,
      success_count: result.success,
      failure_count: result.failure,
      not_attempted_count: result.notAttempted,
      retryable_fids: [...result.retryableFids],
    }
  },
})
