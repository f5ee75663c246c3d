import { deleteCast, postCast } from '../../casts/routes/publish-cast.js'
import { followChannelOperation, unfollowChannelOperation } from '../../channels/routes/channel-follows.js'
import { followUsers, unfollowUsers } from '../../follows/routes/follows.js'
import type { Operation } from '../../operation.js'
import { deleteReaction, postReaction } from '../../reactions/routes/reactions.js'
import { addVerification, deleteVerification, updateUser } from '../../users/routes/update-user.js'
import { publishMessage } from './publish-message.js'
import { postAction } from './send-action.js'

/** Operations that publish for a user. */
export const publishingOperations: readonly Operation[] = [
  postCast,
  deleteCast,
  postReaction,
  deleteReaction,
  followUsers,
  unfollowUsers,
  updateUser,
  addVerification,
  deleteVerification,
  publishMessage,
  followChannelOperation,
  unfollowChannelOperation,
  postAction,
]
