/** Splits ids, each once, into those with a cached value and those to load. */
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

/** The distinct values, in the order in which each comes first. */
export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
