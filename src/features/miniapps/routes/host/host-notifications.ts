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
  tag: 'App hosts',
  summary: 'Fetch enabled notifications of a user',
  description:
    'Mini apps for which this app host has reported enabled notifications of the user, and not reported ' +
    'their end.',
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
  tag: 'App hosts',
  summary: 'Fetch mini app notifications for a user',
  description:
    'Notifications that mini apps have sent with tokens of this app host in the last 30 days, newest ' +
    'first. This operation is Plaza’s own; the hosted API has none.',
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
