/**
 * Replaces U+0000, which PostgreSQL's text cannot hold but the protocol allows, by a space. A space is one
 * byte as well, so positions in bytes stay correct.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', ' ')
}
