import { Type } from '@sinclair/typebox'
import { listParameter } from '../../../api/parameters.js'
import { NotificationsResponse, NotificationType } from '../../../graph/view/schema/notification.js'
import { defineOperation } from '../../operation.js'
import { notificationKinds } from '../kinds.js'
import { MAX_UNSEEN, SHOWN_MEMBERS } from '../pages.js'
import { notificationPages, notificationPaging } from './notification-page.js'

const pages = notificationPages('notifications')

/** `GET notifications` */
export const notifications = defineOperation({
  method: 'GET',
  path: 'notifications',
  tag: 'Notification',
  summary: 'What happened to a user',
  description: [
    'The newest first. Follows are one notification, likes and recasts one for each cast: they stand where their newest',
    `is, \`count\` tells how many they are, and the newest ${SHOWN_MEMBERS} are shown. A cast that answers, quotes and`,
    'mentions the user is one notification, of the first of these that is asked for. What was taken back is gone, and',
    'so is whatever comes from users whom this one blocks or mutes, or who block it.',
    `\`unseen_notifications_count\` counts the same list, up to ${MAX_UNSEEN}.`,
  ].join(' '),
  query: Type.Object({
    ...notificationPaging,
    type: Type.Optional(
      listParameter(NotificationType, {
        maxItems: notificationKinds.length,
        description: 'Kinds of notifications; without it, all.',
      }),
    ),
  }),
  reply: NotificationsResponse,

  async handle(context, { fid, type, ...page }, caller) {
    return pages(context, caller, page, { fid, kinds: type ?? notificationKinds })
  },
})
