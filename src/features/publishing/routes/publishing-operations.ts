import { deleteCast } from '../../casts/routes/delete-cast.js'
import { postCast } from '../../casts/routes/post-cast.js'
import { followChannelOperation } from '../../channels/routes/follow-channel.js'
import { unfollowChannelOperation } from '../../channels/routes/unfollow-channel.js'
import { followUsers } from '../../follows/routes/follow-users.js'
import { unfollowUsers } from '../../follows/routes/unfollow-users.js'
import type { Operation } from '../../operation.js'
import { deleteReaction } from '../../reactions/routes/delete-reaction.js'
import { postReaction } from '../../reactions/routes/post-reaction.js'
import { addVerification } from '../../users/routes/add-verification.js'
import { deleteVerification } from '../../users/routes/remove-verification.js'
import { updateUser } from '../../users/routes/update-user.js'
import { publishMessage } from './publish-message.js'
import { postAction } from './send-action.js'

/** What apps publish in a user's name. */
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
