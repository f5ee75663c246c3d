/**
 * Largest `dataBytes` of a message, in bytes, by who sends what (docs/protocol.md §3.3.1).
 * A type for which nothing is said has the base limit.
 */
export const BASE_DATA_BYTES = 2048
export const PRO_CAST_DATA_BYTES = 16_384
export const USERNAME_PROOF_DATA_BYTES = 16_384
export const LINK_COMPACT_STATE_DATA_BYTES = 65_536
