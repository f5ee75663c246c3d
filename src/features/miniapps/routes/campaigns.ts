import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { OtherReply } from '../../../api/operation.js'
import { fidParameter, pagingParameters } from '../../../api/parameters.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { isTemporary } from '../../../platform/db/connection-errors.js'
import { PlazaError } from '../../../platform/errors.js'
import { findApp } from '../../apps/apps.js'
import { defineOperation, type Operation, type OperationContext } from '../../operation.js'
import { CELL_DEGREES, MIN_CELL_USERS, mapAudience } from '../campaigns/audience/audience-map.js'
import { previewAudience } from '../campaigns/audience/preview.js'
import { broadcast, checkTargetUrl } from '../campaigns/broadcast.js'
import { SYNCHRONOUS_TOKENS } from '../campaigns/campaign-client.js'
import { listCampaigns } from '../campaigns/campaigns.js'
import { type NotificationDelivery, readDeliveries } from '../campaigns/deliveries.js'
import { countOpen } from '../campaigns/opens.js'
import { lookTurn } from '../campaigns/selection-gates.js'
import { cancelCampaign } from '../campaigns/sending/campaign-end.js'
import {
  NotificationCampaignsResponse,
  NotificationMapResponse,
  NotificationPreviewResponse,
  QueuedFrameNotificationsResponse,
  SendFrameNotificationsResponse,
} from '../schema/miniapp.js'
import {
  audienceMembers,
  audienceOf,
  campaignIdParameter,
  SendFrameNotificationsReqBody,
  uuidMember,
} from './notification-body.js'
import { notificationTokenOperations } from './notification-tokens.js'

/** The error text of 404. */
const noMiniApp = 'The app of this API key has no mini app: it has no mini app domain.'

/**
 * Finds the mini app domain of the calling app (docs/compatibility.md §19.1).
 *
 * @throws PlazaError `not_found` for an app without one.
 */
async function miniAppDomainOf({ db }: Pick<OperationContext, 'db'>, { appId }: Caller): Promise<string> {
  const app = await findApp(db, appId)
  if (!app?.miniAppDomain) throw new PlazaError('not_found', noMiniApp)
  return app.miniAppDomain
}

/** `POST frame/notifications` */
const sendNotifications = defineOperation({
  method: 'POST',
  path: 'frame/notifications',
  tag: 'Mini apps',
  summary: 'Send notifications to mini app users',
  description:
    'Tries each token of the audience once: `success_count`, `failure_count` and `not_attempted_count` ' +
    'add up to it. A user with several client apps is notified by each one that has notifications ' +
    'enabled. Tokens that a client would refuse because of its rate limits are not sent to and count as ' +
    'rate limited. With `ASYNC_NOTIFICATIONS_ENABLED`, more than 100 tokens become a queued campaign.',
  body: SendFrameNotificationsReqBody,
  longWait: { limitMs: 600_000, reason: 'the client apps of the whole audience, unless it is queued' },
  reply: SendFrameNotificationsResponse,
  otherReplies: {
    202: {
      description: 'The campaign is queued. `GET frame/notifications` has its progress.',
      reply: QueuedFrameNotificationsResponse,
    },
  },
  notFound: noMiniApp,
  unprocessable: '`target_url` is not on the domain of the mini app.',

  async handle(context, { notification, ...audienceBody }, caller) {
    const { title, body, target_url: targetUrl, uuid = null } = notification
    checkTargetUrl(targetUrl, await miniAppDomainOf(context, caller))
    const { appId } = caller
    const audience = audienceOf(audienceBody)
    const { campaignId, result } = await broadcast(context, {
      appId,
      notification: { title, body, targetUrl },
      uuid: uuid ?? null,
      audience,
    })
    if (result === null) return new OtherReply(202, { campaign_id: campaignId, status: 'queued' })
    const deliveries = await readDeliveries(context.writerDb, { campaignId, appId, audience }).catch(
      (error: unknown) => {
        // All is sent: a refusal would have it sent again.
        if (isTemporary(error)) return []
        throw error
      },
    )
    return {
      campaign_id: campaignId,
      notification_deliveries: deliveries.map(presentDelivery),
      success_count: result.success,
      failure_count: result.failure,
      not_attempted_count: result.notAttempted,
      retryable_fids: [...result.retryableFids],
    }
  },
})

function presentDelivery({ fid, clientFid, status }: NotificationDelivery) {
  return {
    object: 'notification_delivery' as const,
    fid,
    status,
    ...(clientFid === null ? {} : { app_fid: clientFid }),
  }
}

const campaignCursors = cursorKind('campaigns', keyPart.integer)

/** `GET frame/notifications` */
const campaignList = defineOperation({
  method: 'GET',
  path: 'frame/notifications',
  tag: 'Mini apps',
  summary: 'Get notification campaign stats',
  description:
    'One campaign by id, or all of them, newest first. Counts are current, also while a campaign runs.',
  query: Type.Object({
    campaign_id: Type.Optional(campaignIdParameter),
    ...pagingParameters(1_000, 100),
  }),
  reply: NotificationCampaignsResponse,

  async handle({ db }, { campaign_id, limit, cursor }, { appId }) {
    const [beforeSeq] = campaignCursors.decode(cursor) ?? []
    const found = await listCampaigns(db, appId, { campaignId: campaign_id, limit: limit + 1, beforeSeq })
    const { page, next } = campaignCursors.page(found, limit, ({ seq }) => [seq])
    return { notificationCampaigns: page.map(({ seq: _, ...campaign }) => campaign), next }
  },
})

/** `DELETE frame/notifications` */
const campaignCancel = defineOperation({
  method: 'DELETE',
  path: 'frame/notifications',
  tag: 'Mini apps',
  summary: 'Cancel a notification campaign',
  description:
    'Stops sending. Requests in progress are finished and counted; the rest counts as not attempted. This ' +
    'operation is Plaza’s own; the hosted API has none.',
  example: { reply: { success: true, message: 'the campaign is canceled' } },
  body: Type.Object({ campaign_id: campaignIdParameter }),
  reply: OperationResponse,
  notFound: 'There is no campaign with this campaign_id.',
  conflict: 'The campaign has ended.',

  async handle({ writerDb }, { campaign_id }, { appId }) {
    await cancelCampaign(writerDb, appId, campaign_id)
    return { success: true, message: 'the campaign is canceled' }
  },
})

/** `POST frame/notifications/preview` */
const notificationPreview = defineOperation({
  method: 'POST',
  path: 'frame/notifications/preview',
  isChange: false,
  tag: 'Mini apps',
  summary: 'Preview the audience of a notification',
  description:
    'Counts the tokens of each client app that a notification would be sent to now, and the reasons for ' +
    'leaving out others. Nothing is sent. This operation is Plaza’s own; the hosted API has none.',
  body: Type.Object({ ...audienceMembers, uuid: Type.Optional(uuidMember) }),
  reply: NotificationPreviewResponse,
  notFound: noMiniApp,

  async handle(context, { uuid = null, ...audience }, caller) {
    await miniAppDomainOf(context, caller)
    const { db, campaigns } = context
    const { appId } = caller
    const preview = await campaigns.look(lookTurn(appId), () =>
      previewAudience(db, campaigns.settings, { appId, uuid, audience: audienceOf(audience) }),
    )
    const isQueued = campaigns.settings.isAsync && preview.audienceSize > SYNCHRONOUS_TOKENS
    return {
      tokens: preview.tokens,
      users: preview.users,
      delivery: isQueued ? ('queued' as const) : ('synchronous' as const),
      clients: preview.clients.map(({ clientFid, tokens }) => ({ app_fid: clientFid, tokens })),
      left_out: [...preview.excluded],
    }
  },
})

/** `POST frame/notifications/map` */
const audienceMap = defineOperation({
  method: 'POST',
  path: 'frame/notifications/map',
  isChange: false,
  tag: 'Mini apps',
  summary: 'Map the audience of a notification',
  description:
    `Counts the users with enabled notifications by the locations of their profiles, in cells of ${CELL_DEGREES} ` +
    `degrees. Cells with fewer than ${MIN_CELL_USERS} users are left out. Nothing is sent. This operation is Plaza’s ` +
    'own; the hosted API has none.',
  body: Type.Object(audienceMembers),
  reply: NotificationMapResponse,
  notFound: noMiniApp,

  async handle(context, body, caller) {
    await miniAppDomainOf(context, caller)
    const audience = audienceOf(body)
    const { db, campaigns } = context
    const { appId } = caller
    const { users, isComplete, located, cells } = await campaigns.look(lookTurn(appId), () =>
      mapAudience(db, { appId, audience }),
    )
    return {
      users,
      complete: isComplete,
      located_users: located,
      cell_degrees: CELL_DEGREES,
      cells: cells.map((cell) => ({ object: 'map_cell' as const, ...cell })),
    }
  },
})

/** `POST frame/notifications/open` */
const notificationOpen = defineOperation({
  method: 'POST',
  path: 'frame/notifications/open',
  tag: 'Mini apps',
  summary: 'Report an opened notification',
  description:
    'For mini apps that were opened by a notification: its URL has `utm_source=neynar` and the campaign’s id as ' +
    '`utm_campaign`. Needs no API key. Counts in the statistics of the campaign, if it has notified the user at this ' +
    'client within the last two days; otherwise nothing happens, with the same reply.',
  isKeyless: true,
  example: { reply: { success: true, message: 'the open is taken' } },
  body: Type.Object({
    campaign_id: campaignIdParameter,
    fid: fidParameter({ description: 'User who opened the mini app.' }),
    app_fid: fidParameter({ description: 'Fid of the client app.', examples: [9152] }),
  }),
  reply: OperationResponse,

  async handle({ writerDb }, { campaign_id: campaignId, fid, app_fid: clientFid }) {
    await countOpen(writerDb, { campaignId, fid, clientFid })
    return { success: true, message: 'the open is taken' }
  },
})

/** Operations of mini apps. */
export const frameOperations: readonly Operation[] = [
  ...notificationTokenOperations,
  sendNotifications,
  campaignList,
  campaignCancel,
  notificationPreview,
  audienceMap,
  notificationOpen,
]
