/** What is ready, and what has to be loaded, each once. */
export function splitCached<Id, Cached>(
  ids: Iterable<Id>,
  get: (id: Id) => Cached | undefined,
): { cached: Map<Id, Cached>; missing: Id[] } {
  const cached = new Map<Id, Cached>()
  const missing: Id[] = []
  for (const id of new Set(ids)) {
    const value = get(id)
    if (value === undefined) missing.push(id)
    else cached.set(id, value)
  }
  return { cached, missing }
}

/** Each value once, where it came first. */
export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

/** JSON of an object without the closing brace, so that members can be put behind. */
export function toJsonPrefix(value: object): string {
  return JSON.stringify(value).slice(0, -1)
}
