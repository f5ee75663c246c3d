/** Control characters and whitespace, including line breaks and U+0000, which PostgreSQL cannot store. */
const whitespace = /[\p{Cc}\s]+/gu

/** Lone surrogates, which `jsonb` refuses. */
const loneSurrogates = /\p{Surrogate}/gu

/**
 * Normalizes a text of a page: one line, trimmed, at most `maxLength` characters. Undefined when nothing is
 * left.
 */
export function cleanText(text: string | undefined, maxLength: number): string | undefined {
  // Truncates first, so that cleaning is bounded.
  const cleaned = text
    ?.slice(0, maxLength * 4)
    .replace(whitespace, ' ')
    .trim()
    .slice(0, maxLength)
  return cleaned?.replace(loneSurrogates, '') || undefined
}

const URL_LENGTH_MAX = 1_024

/** Resolves a URL in a page; undefined unless it is http(s). */
export function resolveUrl(reference: string | undefined, base: URL): string | undefined {
  if (reference === undefined || reference.length > URL_LENGTH_MAX) return undefined
  const trimmed = reference.trim()
  if (trimmed === '' || !URL.canParse(trimmed, base.href)) return undefined
  const url = new URL(trimmed, base.href)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && url.href.length <= URL_LENGTH_MAX ? url.href : undefined
}
