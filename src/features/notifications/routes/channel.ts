import { Type } from '@sinclair/typebox'
import { listParameter, textParameter } from '../../../api/parameters.js'
import { NotificationsResponse } from '../../../graph/view/schema/notification.js'
import { defineOperation } from '../../operation.js'
import { castKinds } from '../kinds.js'
import { notificationPages, notificationPaging } from './notification-page.js'

const pages = notificationPages('notifications/channel')
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
    return pages(context, caller, page, { fid, kinds: castKinds, below: { channelIds } })
  },
})
