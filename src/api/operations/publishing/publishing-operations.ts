import type { Operation } from '../../operation.js'
import { postAction } from '../action/send-action.js'
import { deleteCast } from '../cast/delete-cast.js'
import { postCast } from '../cast/post-cast.js'
import { followChannelOperation } from '../channel/follow-channel.js'
import { unfollowChannelOperation } from '../channel/unfollow-channel.js'
import { followUsers } from '../follow/follow-users.js'
import { unfollowUsers } from '../follow/unfollow-users.js'
import { publishMessage } from '../message/publish-message.js'
import { deleteReaction } from '../reaction/delete-reaction.js'
import { postReaction } from '../reaction/post-reaction.js'
import { addVerification } from '../user/add-verification.js'
import { deleteVerification } from '../user/remove-verification.js'
import { updateUser } from '../user/update-user.js'

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
