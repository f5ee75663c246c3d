/** Runs of control characters and white space: line breaks of the source, and U+0000, which no database holds. */
const whitespace = /[\p{Cc}\s]+/gu

/** Halves of a character beyond U+FFFF whose other half is missing: not text, and refused by `jsonb`. */
const loneSurrogates = /\p{Surrogate}/gu

/**
 * A text as a page's head has it, made fit to be kept: on one line, trimmed, at most `maxLength` characters.
 * Undefined if nothing is left.
 */
export function cleanText(text: string | undefined, maxLength: number): string | undefined {
  // Cut first as well: what is thrown away need not be cleaned.
  const cleaned = text
    ?.slice(0, maxLength * 4)
    .replace(whitespace, ' ')
    .trim()
    .slice(0, maxLength)
  return cleaned?.replace(loneSurrogates, '') || undefined
}

const URL_LENGTH_MAX = 1_024

/** A reference in a page, made absolute; undefined unless it leads to http or https. */
export function resolveUrl(reference: string | undefined, base: URL): string | undefined {
  if (reference === undefined || reference.length > URL_LENGTH_MAX) return undefined
  const trimmed = reference.trim()
  if (trimmed === '' || !URL.canParse(trimmed, base.href)) return undefined
  const url = new URL(trimmed, base.href)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && url.href.length <= URL_LENGTH_MAX ? url.href : undefined
}
