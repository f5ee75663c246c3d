import { Type } from '@sinclair/typebox'
import { listParameter, textParameter } from '../../../api/parameters.js'
import { NotificationsResponse, NotificationType } from '../../../graph/view/schema/notification.js'
import { parentUrl } from '../../feeds/routes/feed-parameters.js'
import { defineOperation } from '../../operation.js'
import { castKinds, notificationKinds } from '../kinds.js'
import { MAX_UNSEEN, SHOWN_MEMBERS } from '../pages.js'
import { notificationPages, notificationPaging } from './notification-page.js'

const allPages = notificationPages('notifications')

/** `GET notifications` */
export const notifications = defineOperation({
  method: 'GET',
  path: 'notifications',
  tag: 'Notifications',
  summary: 'Fetch notifications for user',
  description:
    'Newest first. All follows form one notification, likes and recasts one for each cast; such a group ' +
    `is placed at its newest entry, \`count\` is its size, and the newest ${SHOWN_MEMBERS} entries are ` +
    'shown. A cast that replies to, quotes and mentions the user is one notification, of the first of ' +
    'these types that is requested. Undone actions disappear, and so do users whom this user blocks or ' +
    `mutes or who block it. \`unseen_notifications_count\` counts the same selection, up to ${MAX_UNSEEN}.`,
  query: Type.Object({
    ...notificationPaging,
    type: Type.Optional(
      listParameter(NotificationType, {
        maxItems: notificationKinds.length,
        description: 'Types of notifications. Without it, all types.',
      }),
    ),
  }),
  reply: NotificationsResponse,

  async handle(context, { fid, type, ...page }, caller) {
    return allPages(context, caller, page, { fid, kinds: type ?? notificationKinds })
  },
})

const channelPages = notificationPages('notifications/channel')
const MAX_CHANNELS = 10

/** `GET notifications/channel` */
export const notificationsInChannels = defineOperation({
  method: 'GET',
  path: 'notifications/channel',
  tag: 'Notifications',
  summary: 'Fetch notifications for user by channel',
  description:
    'The same as `notifications`, limited to casts in these channels and their threads. Follows are left ' +
    'out.',
  query: Type.Object({
    ...notificationPaging,
    channel_ids: listParameter(textParameter({ description: 'Id of a channel.', examples: ['gardening'] }), {
      maxItems: MAX_CHANNELS,
      description: 'Ids of channels.',
    }),
  }),
  reply: NotificationsResponse,

  async handle(context, { fid, channel_ids: channelIds, ...page }, caller) {
    return channelPages(context, caller, page, { fid, kinds: castKinds, below: { channelIds } })
  },
})

const urlPages = notificationPages('notifications/parent_url')
const MAX_URLS = 20

/** `GET notifications/parent_url` */
export const notificationsBelowUrls = defineOperation({
  method: 'GET',
  path: 'notifications/parent_url',
  tag: 'Notifications',
  summary: 'Fetch notifications for user by parent URLs',
  description:
    'The same as `notifications`, limited to casts below these URLs and their threads. Follows are left ' +
    'out.',
  query: Type.Object({
    ...notificationPaging,
    parent_urls: listParameter(parentUrl('URL.'), {
      maxItems: MAX_URLS,
      description: 'Parent URLs.',
    }),
  }),
  reply: NotificationsResponse,

  async handle(context, { fid, parent_urls: urls, ...page }, caller) {
    return urlPages(context, caller, page, { fid, kinds: castKinds, below: { urls } })
  },
})
