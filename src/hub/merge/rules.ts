import { MessageType } from '@farcaster/core'
import type { MergeRule } from './rule.js'
import { lendRule } from './rules/lends.js'
import { linkCompactRule, linkRule } from './rules/links.js'
import { userDataRule } from './rules/user-data.js'
import { usernameProofRule } from './rules/username-proofs.js'
import { verificationRule } from './rules/verifications.js'

const noRule: MergeRule = {}

/** The visible list: which types ask more of state than their own slot. */
const rules: Partial<Record<MessageType, MergeRule>> = {
  [MessageType.LINK_ADD]: linkRule,
  [MessageType.LINK_REMOVE]: linkRule,
  [MessageType.LINK_COMPACT_STATE]: linkCompactRule,
  [MessageType.VERIFICATION_ADD_ETH_ADDRESS]: verificationRule,
  [MessageType.VERIFICATION_REMOVE]: verificationRule,
  [MessageType.USER_DATA_ADD]: userDataRule,
  [MessageType.USERNAME_PROOF]: usernameProofRule,
  [MessageType.LEND_STORAGE]: lendRule,
}

/** The rule of a message type. */
export function ruleOf(type: MessageType): MergeRule {
  return rules[type] ?? noRule
}
