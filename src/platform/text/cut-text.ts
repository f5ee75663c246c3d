/** Cuts a text to a number of UTF-16 code units, without half of a surrogate pair: many decoders of JSON refuse one. */
export function cutText(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
}
