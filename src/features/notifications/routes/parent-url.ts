import { Type } from '@sinclair/typebox'
import { listParameter, textParameter } from '../../../api/parameters.js'
import { NotificationsResponse } from '../../../graph/view/schema/notification.js'
import { defineOperation } from '../../operation.js'
import { castKinds } from '../kinds.js'
import { notificationPages, notificationPaging } from './notification-page.js'

const pages = notificationPages('notifications/parent_url')
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
    return pages(context, caller, page, { fid, kinds: castKinds, below: { urls } })
  },
})
