/** What is ready, and what has to be loaded, each once. */
export function split<Id, Ready>(
  ids: Iterable<Id>,
  get: (id: Id) => Ready | undefined,
): { ready: Map<Id, Ready>; missing: Id[] } {
  const ready = new Map<Id, Ready>()
  const missing: Id[] = []
  for (const id of new Set(ids)) {
    const value = get(id)
    if (value === undefined) missing.push(id)
    else ready.set(id, value)
  }
  return { ready, missing }
}

/** Each value once, where it came first. */
export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

/** JSON of an object without the closing brace, so that members can be put behind. */
export function openJson(value: object): string {
  return JSON.stringify(value).slice(0, -1)
}
