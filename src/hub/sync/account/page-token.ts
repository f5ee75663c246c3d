/**
 * The token to ask for the next page with; undefined when there is none.
 *
 * Lists that several shards of a node have are asked for with a JSON array: the place of each shard. A shard at its end
 * has null there, and starts anew when it is asked with it, and an array of nothing else stands at the end of such lists
 * (snapchain#720). So a shard that has come to its end stays at its last page, until all have.
 *
 * @param asked What the page was asked with.
 * @param given What came with it.
 */
export function nextToken(
  asked: Uint8Array | undefined,
  given: Uint8Array | undefined,
): Uint8Array | undefined {
  const places = given === undefined ? null : placesOf(given)
  if (places === null) return given
  if (places.every((place) => place === null)) return undefined
  const before = asked === undefined ? null : placesOf(asked)
  return Buffer.from(JSON.stringify(places.map((place, shard) => place ?? before?.[shard] ?? null)))
}

/** The places of shards in a token; null of one that is made otherwise. */
function placesOf(token: Uint8Array): unknown[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(token).toString())
    return Array.isArray(value) && value.every((place) => place === null || Array.isArray(place))
      ? value
      : null
  } catch {
    return null
  }
}
