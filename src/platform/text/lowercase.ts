/**
 * Converts a text to lowercase as PostgreSQL's `lower` does, each character by itself. JavaScript depends on
 * neighbors (a final sigma) and makes two characters of one (`İ`), so that a search for its result would find
 * nothing.
 */
export function lowercase(text: string): string {
  return Array.from(text, (character) => (character === 'İ' ? 'i' : character.toLowerCase())).join('')
}
