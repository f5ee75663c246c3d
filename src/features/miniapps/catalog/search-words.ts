/**
 * Splits a text into the words that searches of the catalog compare. PostgreSQL's parser takes `2.0` and `garden.party` for one
 * word each, and `-1` for a number: the words of a query, which is split likewise, would not be found.
 */
export function searchWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
}
