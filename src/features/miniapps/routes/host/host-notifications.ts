import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../../api/cursor.js'
import { cursorParameter, limitParameter } from '../../../../api/parameters.js'
import {
  AppHostNotificationsResponse,
  AppHostUserStateResponse,
} from '../../../../graph/view/schema/app-host.js'
import { defineOperation } from '../../../operation.js'
import { listEnabled } from '../../hosts/host-tokens.js'
import { listReceived } from '../../hosts/received-notifications.js'
import { hostFidParameter } from './host-events.js'

/** `GET app_host/user/state` */
export const appHostUserState = defineOperation({
  method: 'GET',
  path: 'app_host/user/state',
  tag: 'App host',
  summary: 'The mini apps that may notify a user',
  description:
    'Those that were told by this app that the user has enabled notifications, and not since that it ended.',
  query: Type.Object({ fid: hostFidParameter }),
  reply: AppHostUserStateResponse,

  async handle({ writerDb }, { fid }, { appId }) {
    const enabled = await listEnabled(writerDb, appId, fid)
    return {
      notifications_enabled: enabled.map(({ domain, updatedAt }) => ({
        domain,
        status: 'valid',
        updated_at: updatedAt.toISOString(),
      })),
    }
  },
})

const cursors = cursorKind('notifications of mini apps', keyPart.integer)

/** `GET app_host/user/notifications` */
export const appHostUserNotifications = defineOperation({
  method: 'GET',
  path: 'app_host/user/notifications',
  tag: 'App host',
  summary: 'What mini apps have told a user',
  description:
    'For the app to show: what came by the tokens that it has given out, the newest first, of 30 days.',
  query: Type.Object({
    fid: hostFidParameter,
    limit: limitParameter({ maximum: 100, default: 25 }),
    cursor: cursorParameter,
  }),
  reply: AppHostNotificationsResponse,

  async handle({ db }, { fid, limit, cursor }, { appId }) {
    const [beforeId] = cursors.decode(cursor) ?? []
    const foundRows = await listReceived(db, { appId, fid }, { limit: limit + 1, beforeId: beforeId ?? null })
    const { page, next } = cursors.page(foundRows, limit, (last) => [last.id])
    return {
      notifications: page.map(({ domain, notificationId, title, body, targetUrl, createdAt }) => ({
        object: 'mini_app_notification' as const,
        domain,
        notification_id: notificationId,
        title,
        body,
        target_url: targetUrl,
        created_at: createdAt.toISOString(),
      })),
      next,
    }
  },
})
