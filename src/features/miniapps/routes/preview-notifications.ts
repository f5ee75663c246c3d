import { Type } from '@sinclair/typebox'
import { NotificationPreviewResponse } from '../../../graph/view/schema/campaign.js'
import { defineOperation } from '../../operation.js'
import { previewAudience } from '../campaigns/audience/preview.js'
import { SYNCHRONOUS_TOKENS } from '../campaigns/settings.js'
import { miniAppDomainOf, noMiniApp } from './mini-app.js'
import { audienceMembers, audienceOf, uuidMember } from './notification-body.js'

/** `POST frame/notifications/preview` */
export const notificationPreview = defineOperation({
  method: 'POST',
  path: 'frame/notifications/preview',
  tag: 'Mini app',
  summary: 'Whom a notification would be sent to',
  description:
    'How many tokens of each client app would be tried now, and why others would not. Nothing is sent.',
  body: Type.Object({ ...audienceMembers, uuid: Type.Optional(uuidMember) }),
  reply: NotificationPreviewResponse,
  notFound: noMiniApp,

  async handle(context, { uuid = null, ...audience }, caller) {
    await miniAppDomainOf(context, caller)
    const { db, campaigns } = context
    const preview = await previewAudience(db, campaigns.settings, {
      appId: caller.appId,
      uuid,
      audience: audienceOf(audience),
    })
    const isQueued = campaigns.settings.isAsync && preview.tokens > SYNCHRONOUS_TOKENS
    return {
      tokens: preview.tokens,
      users: preview.users,
      delivery: isQueued ? ('queued' as const) : ('synchronous' as const),
      clients: preview.clients.map(({ clientFid, tokens }) => ({ app_fid: clientFid, tokens })),
      left_out: [...preview.excluded],
    }
  },
})
