import { storableJson } from '../../platform/text/storable-text.js'

/** A member of a body that is longer is not kept, and no body whose members are longer together. */
const MAX_MEMBER_LENGTH = 1_000
const MAX_BODY_LENGTH = 8_192

/** Names of members that hold secrets, in lower case and without `_`: a mistyped name must not put a key into the log. */
const secretNames =
  /^(?:signeruuid|seed|payload|.*(?:message|mnemonic|phrase|password|token|secret|key|signature)s?)$/
/** Names that end like these and are no secrets. */
const publicNames = new Set(['publickey', 'publickeys', 'idemkey'])
/** Texts that are keys, whatever they are named: 32 bytes and more in hexadecimal digits, keys and secrets of this server. */
const secretText = /^\s*(?:(?:0x)?[\da-f]{64,}\s*$|whsec_|plaza_|Bearer )/i

/**
 * The body or the parameters of a change for the audit log, with secrets taken out at any depth, before anything is known of
 * it. Queries, users and passwords of URLs are secrets, too: receivers put tokens there. Null if it is no object.
 */
export function withoutSecrets(value: unknown): object | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const members = Object.entries(JSON.parse(JSON.stringify(value, withoutSecret)) as object)
  const text = JSON.stringify(Object.fromEntries(members.map(shortened)))
  return text.length > MAX_BODY_LENGTH ? null : (JSON.parse(storableJson(text)) as object)
}

function withoutSecret(name: string, member: unknown): unknown {
  const plain = name.toLowerCase().replaceAll(/[_-]/g, '')
  if (secretNames.test(plain) && !publicNames.has(plain)) return '(secret)'
  if (typeof member !== 'string') return member
  if (secretText.test(member)) return '(secret)'
  return member
    .replace(/^(\s*[a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1(secret)@')
    .replace(/^(\s*[a-z][a-z\d+.-]*:\/\/[^?#]*)[?#].*$/is, '$1?(secret)')
}

function shortened([name, member]: [string, unknown]): [string, unknown] {
  const length = JSON.stringify(member).length
  return [name, length > MAX_MEMBER_LENGTH ? `(${length} characters)` : member]
}
