import { type MessageData, MessageType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { typedKindOf } from '../../protocol/message-kinds.js'
import type { MergeRule } from './rule.js'
import { channelRule } from './rules/channels.js'
import { keyAddRule, keyRemoveRule } from './rules/keys.js'
import { lendRule } from './rules/lends.js'
import { linkCompactRule, linkRule } from './rules/links.js'
import { userDataRule } from './rules/user-data.js'
import { usernameProofRule } from './rules/username-proofs.js'
import { verificationAddRule, verificationRule } from './rules/verifications.js'

const noRule: MergeRule = {}

/** The rules by message type. A type without an entry has conflict resolution only. */
const rules: Partial<Record<MessageType, MergeRule>> = {
  [MessageType.LINK_ADD]: linkRule,
  [MessageType.LINK_REMOVE]: linkRule,
  [MessageType.LINK_COMPACT_STATE]: linkCompactRule,
  [MessageType.VERIFICATION_ADD_ETH_ADDRESS]: verificationAddRule,
  [MessageType.VERIFICATION_REMOVE]: verificationRule,
  [MessageType.USER_DATA_ADD]: userDataRule,
  [MessageType.USERNAME_PROOF]: usernameProofRule,
  [MessageType.LEND_STORAGE]: lendRule,
  [MessageType.KEY_ADD]: keyAddRule,
  [MessageType.KEY_REMOVE]: keyRemoveRule,
  [MessageType.CHANNEL_UPDATE]: channelRule,
  [MessageType.CHANNEL_MEMBER]: channelRule,
  [MessageType.CHANNEL_PIN]: channelRule,
  [MessageType.CHANNEL_MODERATE]: channelRule,
}

/** Order of the types that nothing else depends on. */
const LAST_ORDER = 4

/** Returns the rule of a message type. */
export function ruleOf(type: MessageType): MergeRule {
  return rules[type] ?? noRule
}

/** Returns the order of a message within a block, lower first (docs/protocol.md §1.8). */
export function mergeOrder(data: MessageData): number {
  if (typedKindOf(data) === undefined) return LAST_ORDER
  return ruleOf(data.type).order?.(data) ?? LAST_ORDER
}

/** Returns true if a message may change state that is unique across fids; with a body of another type it is refused. */
export function locksAllShards({ data }: SignedMessage): boolean {
  return typedKindOf(data) !== undefined && ruleOf(data.type).locksAllShards === true
}
