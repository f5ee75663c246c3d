/** Parses JSON from elsewhere, of bounded length; undefined for text that is no JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
