/** Pattern of a UUID within another pattern, in either case. */
export const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/** Pattern of a UUID in either case, for schemas. */
export const UUID_PATTERN = `^${UUID}$`

/** Pattern of a UUID as PostgreSQL writes it, in lower case. */
export const LOWERCASE_UUID_PATTERN = UUID_PATTERN.replaceAll('A-F', '')

const uuidPattern = new RegExp(UUID_PATTERN)

/** Whether a text is a UUID, in either case. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}
