/** What the lists of `search` and the search that reads them agree on. */

/** A prefix that more names begin with has a list of leaders; of a rarer one all users are read. */
export const MANY = 100
/** Users in the list of a prefix. */
export const LEADERS = 50
/** Longer prefixes have no lists. */
export const LONGEST_PREFIX = 24

/** `kind` of search.leaders. */
export const nameKind = { username: 0, displayName: 1 } as const
