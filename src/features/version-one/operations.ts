import type { Operation } from '../operation.js'
import { versionOneCasts } from './routes/casts.js'
import { versionOneNotifications } from './routes/notifications.js'
import { versionOneReactions } from './routes/reactions.js'
import { versionOneUsers } from './routes/users.js'

/** Public: they read what the network has. */
const publicOperations: readonly Operation[] = [
  ...versionOneUsers,
  ...versionOneCasts,
  ...versionOneReactions,
].map((operation) => ({ ...operation, isPublic: true }))

/**
 * The operations below `/v1/farcaster` that SDK 1.x and its contemporaries call (docs/compatibility.md §30). What is in an
 * inbox depends on whom its user mutes, so those on notifications need a key.
 */
export const versionOneOperations: readonly Operation[] = [...publicOperations, ...versionOneNotifications]
