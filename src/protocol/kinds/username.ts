const FNAME_PATTERN = '^[a-z0-9][a-z0-9-]{0,15}$'
const FNAME = new RegExp(FNAME_PATTERN)
const MAX_FNAME_CHARACTERS = 16
const MAX_ENS_NAME_CHARACTERS = 20
const MAX_BASENAME_CHARACTERS = 25

/** Returns the rule that a name breaks (docs/protocol.md §3.3.8), or null. The ending selects the kind. */
export function validateUsername(name: string): string | null {
  if (name.endsWith('.base.eth')) return validateBasename(name)
  return name.endsWith('.eth') ? validateEnsName(name) : validateFname(name)
}

/** Returns the rule that an fname breaks, or null. */
export function validateFname(name: string): string | null {
  if (name === '') return 'fname is missing'
  if (name.length > MAX_FNAME_CHARACTERS) return `fname "${name}" > 16 characters`
  return FNAME.test(name) ? null : `fname "${name}" doesn't match ${FNAME_PATTERN}`
}

/** Returns the rule that a second-level ENS name (`alice.eth`) breaks, or null. */
export function validateEnsName(name: string): string | null {
  if (!name.endsWith('.eth')) return `ensName "${name}" doesn't end with .eth`
  const labels = name.split('.')
  if (labels.length > 2) return `ensName "${name}" unsupported subdomain`
  return validateLabel(name, labels[0]!, MAX_ENS_NAME_CHARACTERS)
}

/** Returns the rule that a basename (`alice.base.eth`) breaks, or null. */
export function validateBasename(name: string): string | null {
  if (!name.endsWith('.base.eth')) return `ensName "${name}" doesn't end with .base.eth`
  const labels = name.split('.')
  if (labels.length !== 3) return `ensName "${name}" unsupported subdomain`
  return validateLabel(name, labels[0]!, MAX_BASENAME_CHARACTERS)
}

function validateLabel(name: string, label: string, maxCharacters: number): string | null {
  if (label === '') return `ensName "${name}" is not a valid ENS name`
  if (name.length > maxCharacters) return `ensName "${name}" > ${maxCharacters} characters`
  if (!FNAME.test(label)) return `ensName "${name}" doesn't match ${FNAME_PATTERN}`
  // ENS normalization refuses only this of what the pattern accepts: it is reserved for punycode.
  return label.startsWith('--', 2) ? `ensName "${name}" is not a valid ENS name` : null
}
