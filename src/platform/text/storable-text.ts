/**
 * PostgreSQL's text cannot hold U+0000, which UTF-8 and so the protocol allow. A space takes its place: it is
 * one byte too, so that positions counted in bytes stay right.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', ' ')
}
