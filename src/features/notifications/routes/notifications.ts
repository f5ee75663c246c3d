import { Type } from '@sinclair/typebox'
import { listParameter, textParameter } from '../../../api/parameters.js'
import { NotificationsResponse, NotificationType } from '../../../graph/view/schema/notification.js'
import { defineOperation } from '../../operation.js'
import { castKinds, notificationKinds } from '../kinds.js'
import { MAX_UNSEEN, SHOWN_MEMBERS } from '../pages.js'
import { notificationPages, notificationPaging } from './notification-page.js'

const allPages = notificationPages('notifications')

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
    return allPages(context, caller, page, { fid, kinds: type ?? notificationKinds })
  },
})

const channelPages = notificationPages('notifications/channel')
const MAX_CHANNELS = 10

/** `GET notifications/channel` */
export const notificationsInChannels = defineOperation({
  method: 'GET',
  path: 'notifications/channel',
  tag: 'Notification',
  summary: 'What happened to a user in some channels',
  description: 'As `notifications`, of casts in these channels and in the threads there: without follows.',
  query: Type.Object({
    ...notificationPaging,
    channel_ids: listParameter(textParameter({ description: 'A channel.' }), {
      maxItems: MAX_CHANNELS,
      description: 'The channels.',
    }),
  }),
  reply: NotificationsResponse,

  async handle(context, { fid, channel_ids: channelIds, ...page }, caller) {
    return channelPages(context, caller, page, { fid, kinds: castKinds, below: { channelIds } })
  },
})

const urlPages = notificationPages('notifications/parent_url')
const MAX_URLS = 20
/** As long as a cast lets them be. */
const MAX_URL_LENGTH = 2_048

/** `GET notifications/parent_url` */
export const notificationsBelowUrls = defineOperation({
  method: 'GET',
  path: 'notifications/parent_url',
  tag: 'Notification',
  summary: 'What happened to a user below some URLs',
  description: 'As `notifications`, of casts below these URLs and in the threads there: without follows.',
  query: Type.Object({
    ...notificationPaging,
    parent_urls: listParameter(textParameter({ description: 'A URL.', maxLength: MAX_URL_LENGTH }), {
      maxItems: MAX_URLS,
      description: 'The URLs.',
    }),
  }),
  reply: NotificationsResponse,

  async handle(context, { fid, parent_urls: urls, ...page }, caller) {
    return urlPages(context, caller, page, { fid, kinds: castKinds, below: { urls } })
  },
})
