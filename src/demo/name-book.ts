/** The longest that an fname may be (docs/protocol.md §3.3.8). */
const MAX_NAME_CHARACTERS = 16

/** Who has which name. A name is given once, even when its holder has given it back. */
export class NameBook {
  readonly #taken = new Set<string>()
  readonly #held = new Map<number, string>()

  /** Gives the user the handle, or with a number behind it when somebody else was first. */
  take(user: number, handle: string): string {
    for (const suffix of suffixes(user)) {
      const name = `${handle.slice(0, MAX_NAME_CHARACTERS - suffix.length)}${suffix}`
      if (this.#taken.has(name)) continue
      this.#taken.add(name)
      this.#held.set(user, name)
      return name
    }
    throw new Error('unreachable: there is always another number')
  }

  /** The name that the user took last. */
  of(user: number): string {
    return this.#held.get(user)!
  }
}

/** What people put behind a name that is taken: a short number, or else a longer one. */
function* suffixes(user: number): Generator<string> {
  yield ''
  yield String((user * 7) % 100)
  yield String(user)
  for (let number = user + 1; ; number += 1) yield `${number}x`
}
