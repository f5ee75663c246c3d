/** The longest that an fname may be (docs/protocol.md §3.3.8). */
const MAX_NAME_CHARACTERS = 16

/** Who has which name. A name is given once, even when its holder has given it back. */
export class UsernameAllocator {
  readonly #allocated = new Set<string>()
  readonly #usernames = new Map<number, string>()

  /** Gives the user the handle, or with a number behind it when somebody else was first. */
  allocate(user: number, handle: string): string {
    for (const suffix of suffixes(user)) {
      const name = `${handle.slice(0, MAX_NAME_CHARACTERS - suffix.length)}${suffix}`
      if (this.#allocated.has(name)) continue
      this.#allocated.add(name)
      this.#usernames.set(user, name)
      return name
    }
    throw new Error('unreachable: there is always another number')
  }

  /** The name that the user took last. */
  usernameOf(user: number): string {
    return this.#usernames.get(user)!
  }
}

/** What people put behind a name that is taken: a short number, or else a longer one. */
function* suffixes(user: number): Generator<string> {
  yield ''
  yield String((user * 7) % 100)
  yield String(user)
  for (let number = user + 1; ; number += 1) yield `${number}x`
}
