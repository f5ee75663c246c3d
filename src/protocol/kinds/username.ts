const FNAME_PATTERN = '^[a-z0-9][a-z0-9-]{0,15}$'
const FNAME = new RegExp(FNAME_PATTERN)
const MAX_FNAME_BYTES = 16
const MAX_ENS_NAME_BYTES = 20
const MAX_BASENAME_BYTES = 25

/** Returns the rule that a name breaks (docs/protocol.md §3.3.8), or null. The ending selects the kind. */
export function validateUsername(name: string): string | null {
  if (name.endsWith('.base.eth')) return validateBasename(name)
  return name.endsWith('.eth') ? validateEnsName(name) : validateFname(name)
}

/** Returns the rule that an fname breaks, or null. */
export function validateFname(name: string): string | null {
  if (name === '') return 'fname is missing'
  if (Buffer.byteLength(name) > MAX_FNAME_BYTES) return `fname "${name}" > 16 characters`
  return FNAME.test(name) ? null : `fname "${name}" doesn't match ${FNAME_PATTERN}`
}

/** Returns the rule that a second-level ENS name (`alice.eth`) breaks, or null. */
export function validateEnsName(name: string): string | null {
  if (!name.endsWith('.eth')) return `ensName "${name}" doesn't end with .eth`
  const labels = name.split('.')
  if (labels.length > 2) return `ensName "${name}" unsupported subdomain`
  if (labels[0] === '') return `ensName "${name}" is not a valid ENS name`
  return validateLabel(name, labels[0]!, MAX_ENS_NAME_BYTES)
}

/** Returns the rule that a basename (`alice.base.eth`) breaks, or null. */
export function validateBasename(name: string): string | null {
  const labels = name.split('.')
  if (labels.length !== 3 || labels.includes('')) return 'Message data invalid'
  if (!name.endsWith('.base.eth')) return `ensName "${name}" doesn't end with .base.eth`
  return validateLabel(name, labels[0]!, MAX_BASENAME_BYTES)
}

function validateLabel(name: string, label: string, maxBytes: number): string | null {
  // The reference node names this limit for basenames too.
  if (Buffer.byteLength(name) > maxBytes) return `ensName "${name}" > ${MAX_ENS_NAME_BYTES} characters`
  return FNAME.test(label) ? null : `ensName "${name}" doesn't match ${FNAME_PATTERN}`
}
