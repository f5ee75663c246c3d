/** Recorded output and its source. */
export interface RecordedOutput {
  readonly source: string
  readonly text: string
  /** Secrets that may appear there. */
  readonly allowedSecrets?: readonly string[]
}

/** Searches recorded output for secrets. */
export interface SecretSearch {
  /** Adds a secret as texts or bytes. */
  add(name: string, ...values: readonly (string | Buffer)[]): void
  /** Returns one line per forbidden secret and source. */
  findIn(outputs: Iterable<RecordedOutput>): string[]
}

/** Shorter matches could be chance. */
const MIN_CHARACTERS = 16
const CONTEXT_CHARACTERS = 60

/** Creates a search without secrets. */
export function createSecretSearch(): SecretSearch {
  const secrets: { readonly name: string; readonly encodings: readonly string[] }[] = []
  return {
    add(name, ...values) {
      secrets.push({
        name,
        encodings: [...new Set(values.flatMap(encodingsOf))].map((form) => form.toLowerCase()),
      })
    },
    findIn(outputs) {
      const found: string[] = []
      for (const { source, text, allowedSecrets = [] } of outputs) {
        // Hex has two cases; a case-insensitive match of base64 is not a coincidence either.
        const lower = text.toLowerCase()
        for (const { name, encodings } of secrets) {
          const index = allowedSecrets.includes(name)
            ? -1
            : Math.max(...encodings.map((form) => lower.indexOf(form)))
          if (index < 0) continue
          found.push(`${name} in ${source}: ${text.slice(Math.max(0, index - CONTEXT_CHARACTERS), index)}…`)
        }
      }
      return found
    },
  }
}

/** Returns a value as text, hex, base64 and base64url, within longer encoded data, and URL-encoded. */
function encodingsOf(value: string | Buffer): string[] {
  const bytes = Buffer.from(value)
  const plain = typeof value === 'string' ? [value, encodeURIComponent(value)] : []
  const encoded = [0, 1, 2].flatMap((before) => [
    base64Within(bytes, before, 'base64'),
    base64Within(bytes, before, 'base64url'),
  ])
  const encodings = [...plain, bytes.toString('hex'), ...encoded]
  if (encodings.some(({ length }) => length < MIN_CHARACTERS))
    throw new Error('the secret is too short to search for')
  return encodings
}

/** Returns the base64 characters that depend only on these bytes at an offset. */
function base64Within(bytes: Buffer, before: number, encoding: 'base64' | 'base64url'): string {
  const encodedWhole = Buffer.concat([Buffer.alloc(before), bytes]).toString(encoding)
  return encodedWhole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}
