/** Something written, and where. */
export interface Written {
  readonly place: string
  readonly text: string
  /** Secrets that are meant to be shown there. */
  readonly shows?: readonly string[]
}

/** Looks for secrets in what was written. */
export interface SecretSearch {
  /** What to look for from now on: texts, and bytes. */
  add(name: string, ...values: readonly (string | Buffer)[]): void
  /** One line for each secret and place where it is found and has no business. */
  findIn(written: Iterable<Written>): string[]
}

/** Less than this is found by chance. */
const MIN_CHARACTERS = 16
const SHOWN_AROUND = 60

/** Makes a search that knows no secret yet. */
export function createSecretSearch(): SecretSearch {
  const secrets: { readonly name: string; readonly forms: readonly string[] }[] = []
  return {
    add(name, ...values) {
      secrets.push({ name, forms: [...new Set(values.flatMap(formsOf))].map((form) => form.toLowerCase()) })
    },
    findIn(written) {
      const found: string[] = []
      for (const { place, text, shows = [] } of written) {
        // Hex may be written either way; the letters of base64 that differ in nothing else are no chance hit.
        const lower = text.toLowerCase()
        for (const { name, forms } of secrets) {
          const at = shows.includes(name) ? -1 : Math.max(...forms.map((form) => lower.indexOf(form)))
          if (at < 0) continue
          found.push(`${name} in ${place}: ${text.slice(Math.max(0, at - SHOWN_AROUND), at)}…`)
        }
      }
      return found
    },
  }
}

/** A value as it is, in hex, base64 and base64url, also within something longer that was encoded, and in a URL. */
function formsOf(value: string | Buffer): string[] {
  const bytes = Buffer.from(value)
  const plain = typeof value === 'string' ? [value, encodeURIComponent(value)] : []
  const encoded = [0, 1, 2].flatMap((before) => [
    base64Within(bytes, before, 'base64'),
    base64Within(bytes, before, 'base64url'),
  ])
  const forms = [...plain, bytes.toString('hex'), ...encoded]
  if (forms.some(({ length }) => length < MIN_CHARACTERS)) throw new Error('a secret that is found by chance')
  return forms
}

/** The characters of base64 that tell of these bytes alone, behind so many other bytes. */
function base64Within(bytes: Buffer, before: number, encoding: 'base64' | 'base64url'): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString(encoding)
  return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}
