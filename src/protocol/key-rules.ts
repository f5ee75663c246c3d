import { MessageType } from './definitions.js'

/** Type of a key: Ed25519. */
export const KEY_TYPE_ED25519 = 1
/** Type of the key of an auth address, which signs in for its user and signs no messages (docs/protocol.md §4.10). */
export const KEY_TYPE_AUTH = 2
/** Type of the metadata of a key: the signed request of an app. */
export const METADATA_TYPE_SIGNED_KEY_REQUEST = 1

/** Signature types of a KEY_REMOVE: by the custody address, or by the key itself. */
export const KEY_REMOVE_SIGNATURE_TYPE_CUSTODY = 1
export const KEY_REMOVE_SIGNATURE_TYPE_SELF = 2

/** Longest validity of a KEY_ADD: 90 days. */
export const MAX_KEY_TTL_SECONDS = 90 * 24 * 60 * 60
export const MAX_KEY_ADD_SCOPES = 16
/** Most keys that messages may add for one fid (docs/protocol.md §3.3.12). */
export const MAX_KEYS_PER_FID = 1_000

/** Message types that a KEY_ADD may allow its key to sign (docs/protocol.md §3.3). */
export const ADMISSIBLE_KEY_ADD_SCOPES: readonly MessageType[] = [
  MessageType.CAST_ADD,
  MessageType.CAST_REMOVE,
  MessageType.REACTION_ADD,
  MessageType.REACTION_REMOVE,
  MessageType.LINK_ADD,
  MessageType.LINK_REMOVE,
  MessageType.LINK_COMPACT_STATE,
  MessageType.VERIFICATION_ADD_ETH_ADDRESS,
  MessageType.VERIFICATION_REMOVE,
  MessageType.USER_DATA_ADD,
  MessageType.USERNAME_PROOF,
  MessageType.FRAME_ACTION,
  MessageType.LEND_STORAGE,
]
