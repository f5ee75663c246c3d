/**
 * Replaces U+0000, which PostgreSQL's text cannot hold but the protocol allows, by a space. A space is one
 * byte as well, so positions in bytes stay correct.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', ' ')
}

/** Replaces what PostgreSQL stores in no jsonb, U+0000 and halves of surrogate pairs, in what JSON.stringify returned. */
export function storableJson(json: string): string {
  return json.replaceAll(/\\\\|\\u(?:0000|d[89a-f][\da-f]{2})/g, (found) =>
    found === '\\\\' ? found : '\ufffd',
  )
}
