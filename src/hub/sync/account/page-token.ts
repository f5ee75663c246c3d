/**
 * The token to ask for the next page with; undefined when there is none.
 *
 * Lists that several shards of a node have are asked for with a JSON array: the place of each shard. A shard at its end
 * has null there, and starts anew when it is asked with it, and an array of nothing else stands at the end of such lists
 * (snapchain#720). So a shard that has come to its end stays at its last page, until all have.
 *
 * @param requestToken What the page was asked with.
 * @param responseToken What came with it.
 */
export function nextRequestToken(
  requestToken: Uint8Array | undefined,
  responseToken: Uint8Array | undefined,
): Uint8Array | undefined {
  const cursors = responseToken === undefined ? null : parseShardCursors(responseToken)
  if (cursors === null) return responseToken
  if (cursors.every((cursor) => cursor === null)) return undefined
  const requestCursors = requestToken === undefined ? null : parseShardCursors(requestToken)
  return Buffer.from(
    JSON.stringify(cursors.map((cursor, shard) => cursor ?? requestCursors?.[shard] ?? null)),
  )
}

/** The places of shards in a token; null of one that is made otherwise. */
function parseShardCursors(token: Uint8Array): unknown[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(token).toString())
    return Array.isArray(value) && value.every((cursor) => cursor === null || Array.isArray(cursor))
      ? value
      : null
  } catch {
    return null
  }
}
