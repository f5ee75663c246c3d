/** What the lists of `search` and the search that reads them agree on. */

/** A prefix that more names begin with has a list of leaders; of a rarer one all users are read. */
export const MIN_NAMES_PER_PREFIX = 100
/** Users in the list of a prefix. */
export const TOP_USERS_PER_PREFIX = 50
/** Longer prefixes have no lists. */
export const MAX_PREFIX_LENGTH = 24

/** `kind` of search.top_users_by_prefix. */
export const nameKind = { username: 0, displayName: 1 } as const
