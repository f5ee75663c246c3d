import type { Operation } from '../operation.js'
import { versionOneCasts } from './casts.js'
import { versionOneNotifications } from './notifications.js'
import { versionOneReactions } from './reactions.js'
import { versionOneUsers } from './users.js'

/** The operations below `/v1/farcaster` that SDK 1.x and its contemporaries call (docs/compatibility.md §30). */
export const versionOneOperations: readonly Operation[] = [
  ...versionOneUsers,
  ...versionOneCasts,
  ...versionOneReactions,
  ...versionOneNotifications,
  // All of them read public data.
].map((operation) => ({ ...operation, isPublic: true }))
