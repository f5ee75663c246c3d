import { hexOf } from '../../../protocol/bytes.js'
import type { MessageData } from '../../../protocol/definitions.js'
import {
  castingModeNames,
  channelMemberActionNames,
  channelModerateActionNames,
  membershipModeNames,
  nameOf,
} from './enum-names.js'

/** Maps the body of a channel message (docs/protocol.md §7.1.2): what is not set is left out. Empty for others. */
export function channelBodyJson(data: MessageData): Record<string, unknown> {
  if (data.channelUpdateBody) {
    const { channelId, castingMode, membershipMode, ...texts } = data.channelUpdateBody
    return {
      channelUpdateBody: {
        channelId: hexOf(channelId),
        ...texts,
        castingMode: castingMode === undefined ? undefined : nameOf(castingModeNames, castingMode),
        membershipMode:
          membershipMode === undefined ? undefined : nameOf(membershipModeNames, membershipMode),
      },
    }
  }
  if (data.channelMemberBody) {
    const { channelId, fid, action } = data.channelMemberBody
    const name = nameOf(channelMemberActionNames, action)
    return { channelMemberBody: { channelId: hexOf(channelId), fid, action: name } }
  }
  if (data.channelPinBody) {
    const { channelId, castHash } = data.channelPinBody
    return { channelPinBody: { channelId: hexOf(channelId), castHash: hexOf(castHash) } }
  }
  if (data.channelModerateBody) {
    const { channelId, castHash, action } = data.channelModerateBody
    const name = nameOf(channelModerateActionNames, action)
    return { channelModerateBody: { channelId: hexOf(channelId), castHash: hexOf(castHash), action: name } }
  }
  return {}
}
