import { inboxConsumer } from '../../features/notifications/refresh.js'
import type { Module } from '../module.js'

/** The notifications of users, derived from the event log. */
export const notificationsModule: Module = {
  name: 'notifications',
  runsIn: ['worker'],
  consumers: () => [inboxConsumer],
}
