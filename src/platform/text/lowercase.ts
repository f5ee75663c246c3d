/**
 * A text in small letters as PostgreSQL's `lower` writes them: each character by itself. JavaScript by itself looks
 * around (a sigma that ends a word) and makes two characters of one (`İ`), and what it writes would not be found.
 */
export function lowercase(text: string): string {
  return Array.from(text, (character) => (character === 'İ' ? 'i' : character.toLowerCase())).join('')
}
