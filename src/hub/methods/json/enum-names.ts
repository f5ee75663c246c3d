/**
 * The names of the protocol's enums in the hub API, by number (docs/protocol.md §1.1-1.2). The protocol
 * library lacks some of the values, and the reference node spells others differently.
 */
type Names = readonly (string | undefined)[]

/** The name of a value; its number as text when it has no name. */
export function nameOf(names: Names, value: number): string {
  return names[value] ?? String(value)
}

/** The value of a name, or of a number as text; undefined when there is none. */
export function enumValue(names: Names, text: string): number | undefined {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : names.indexOf(text)
  return names[value] === undefined ? undefined : value
}

export const hubEventTypeNames: Names = [
  'HUB_EVENT_TYPE_NONE',
  'HUB_EVENT_TYPE_MERGE_MESSAGE',
  'HUB_EVENT_TYPE_PRUNE_MESSAGE',
  'HUB_EVENT_TYPE_REVOKE_MESSAGE',
  // 4, 5, 7 and 8 are no longer used.
  undefined,
  undefined,
  'HUB_EVENT_TYPE_MERGE_USERNAME_PROOF',
  undefined,
  undefined,
  'HUB_EVENT_TYPE_MERGE_ON_CHAIN_EVENT',
  'HUB_EVENT_TYPE_MERGE_FAILURE',
  'HUB_EVENT_TYPE_BLOCK_CONFIRMED',
  'HUB_EVENT_TYPE_CHANNEL_OWNER_CHANGE_HINT',
]

export const messageTypeNames: Names = [
  'MESSAGE_TYPE_NONE',
  'MESSAGE_TYPE_CAST_ADD',
  'MESSAGE_TYPE_CAST_REMOVE',
  'MESSAGE_TYPE_REACTION_ADD',
  'MESSAGE_TYPE_REACTION_REMOVE',
  'MESSAGE_TYPE_LINK_ADD',
  'MESSAGE_TYPE_LINK_REMOVE',
  'MESSAGE_TYPE_VERIFICATION_ADD_ETH_ADDRESS',
  'MESSAGE_TYPE_VERIFICATION_REMOVE',
  undefined,
  undefined,
  'MESSAGE_TYPE_USER_DATA_ADD',
  'MESSAGE_TYPE_USERNAME_PROOF',
  'MESSAGE_TYPE_FRAME_ACTION',
  'MESSAGE_TYPE_LINK_COMPACT_STATE',
  'MESSAGE_TYPE_LEND_STORAGE',
  'MESSAGE_TYPE_KEY_ADD',
  'MESSAGE_TYPE_KEY_REMOVE',
  'MESSAGE_TYPE_CHANNEL_UPDATE',
  'MESSAGE_TYPE_CHANNEL_MEMBER',
  'MESSAGE_TYPE_CHANNEL_PIN',
  'MESSAGE_TYPE_CHANNEL_MODERATE',
]

export const networkNames: Names = [
  'FARCASTER_NETWORK_NONE',
  'FARCASTER_NETWORK_MAINNET',
  'FARCASTER_NETWORK_TESTNET',
  'FARCASTER_NETWORK_DEVNET',
]

export const hashSchemeNames: Names = ['HASH_SCHEME_NONE', 'HASH_SCHEME_BLAKE3']

export const signatureSchemeNames: Names = [
  'SIGNATURE_SCHEME_NONE',
  'SIGNATURE_SCHEME_ED25519',
  'SIGNATURE_SCHEME_EIP712',
]

export const castTypeNames: Names = ['CAST', 'LONG_CAST', 'TEN_K_CAST']

export const reactionTypeNames: Names = ['REACTION_TYPE_NONE', 'REACTION_TYPE_LIKE', 'REACTION_TYPE_RECAST']

export const userDataTypeNames: Names = [
  'USER_DATA_TYPE_NONE',
  'USER_DATA_TYPE_PFP',
  'USER_DATA_TYPE_DISPLAY',
  'USER_DATA_TYPE_BIO',
  undefined,
  'USER_DATA_TYPE_URL',
  'USER_DATA_TYPE_USERNAME',
  'USER_DATA_TYPE_LOCATION',
  'USER_DATA_TYPE_TWITTER',
  'USER_DATA_TYPE_GITHUB',
  'USER_DATA_TYPE_BANNER',
  'USER_DATA_PRIMARY_ADDRESS_ETHEREUM',
  'USER_DATA_PRIMARY_ADDRESS_SOLANA',
  'USER_DATA_TYPE_PROFILE_TOKEN',
  'USER_DATA_TYPE_LIVE_AT',
]

export const protocolNames: Names = ['PROTOCOL_ETHEREUM', 'PROTOCOL_SOLANA']

export const usernameTypeNames: Names = [
  'USERNAME_TYPE_NONE',
  'USERNAME_TYPE_FNAME',
  'USERNAME_TYPE_ENS_L1',
  'USERNAME_TYPE_BASENAME',
]

/** Without the prefix, as in the reference node. */
export const storeTypeNames: Names = [
  'None',
  'Casts',
  'Links',
  'Reactions',
  'UserData',
  'Verifications',
  'UsernameProofs',
]

export const storageUnitTypeNames: Names = ['UnitTypeLegacy', 'UnitType2024', 'UnitType2025']

export const onChainEventTypeNames: Names = [
  'EVENT_TYPE_NONE',
  'EVENT_TYPE_SIGNER',
  'EVENT_TYPE_SIGNER_MIGRATED',
  'EVENT_TYPE_ID_REGISTER',
  'EVENT_TYPE_STORAGE_RENT',
  'EVENT_TYPE_TIER_PURCHASE',
  'EVENT_TYPE_CHANNEL_REGISTER',
]

export const signerEventTypeNames: Names = [
  'SIGNER_EVENT_TYPE_NONE',
  'SIGNER_EVENT_TYPE_ADD',
  'SIGNER_EVENT_TYPE_REMOVE',
  'SIGNER_EVENT_TYPE_ADMIN_RESET',
]

/** These two are without the prefix, as in the reference node. */
export const idRegisterEventTypeNames: Names = ['None', 'Register', 'Transfer', 'ChangeRecovery']
export const tierTypeNames: Names = ['None', 'Pro']
