import { Type } from '@sinclair/typebox'
import { Notification } from '../../../graph/view/schema/notification.js'
import { Count, NextCursor, namedObject, textEnum } from '../../../graph/view/schema/primitives.js'

/** The types of notifications in requests. In replies, types of single casts are singular. */
export const NotificationType = textEnum(['follows', 'recasts', 'likes', 'mentions', 'replies', 'quotes'], {
  $id: 'NotificationType',
})

export const NotificationsResponse = namedObject('NotificationsResponse', {
  notifications: Type.Array(Notification),
  unseen_notifications_count: Count,
  next: NextCursor,
})
