/** Something written, and where. */
export interface RecordedOutput {
  readonly source: string
  readonly text: string
  /** Secrets that are meant to be shown there. */
  readonly allowedSecrets?: readonly string[]
}

/** Looks for secrets in what was written. */
export interface SecretSearch {
  /** What to look for from now on: texts, and bytes. */
  add(name: string, ...values: readonly (string | Buffer)[]): void
  /** One line for each secret and place where it is found and has no business. */
  findIn(outputs: Iterable<RecordedOutput>): string[]
}

/** Less than this is found by chance. */
const MIN_CHARACTERS = 16
const CONTEXT_CHARACTERS = 60

/** Makes a search that knows no secret yet. */
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
        // Hex may be written either way; the letters of base64 that differ in nothing else are no chance hit.
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

/** A value as it is, in hex, base64 and base64url, also within something longer that was encoded, and in a URL. */
function encodingsOf(value: string | Buffer): string[] {
  const bytes = Buffer.from(value)
  const plain = typeof value === 'string' ? [value, encodeURIComponent(value)] : []
  const encoded = [0, 1, 2].flatMap((before) => [
    base64Within(bytes, before, 'base64'),
    base64Within(bytes, before, 'base64url'),
  ])
  const encodings = [...plain, bytes.toString('hex'), ...encoded]
  if (encodings.some(({ length }) => length < MIN_CHARACTERS))
    throw new Error('a secret that is found by chance')
  return encodings
}

/** The characters of base64 that tell of these bytes alone, behind so many other bytes. */
function base64Within(bytes: Buffer, before: number, encoding: 'base64' | 'base64url'): string {
  const encodedWhole = Buffer.concat([Buffer.alloc(before), bytes]).toString(encoding)
  return encodedWhole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}
