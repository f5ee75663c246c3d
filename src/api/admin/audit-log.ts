import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { describeError } from '../../platform/errors.js'
import { toPlazaError } from '../../platform/http/failure.js'
import { storableJson } from '../../platform/text/storable-text.js'
import type { AdminCaller } from './admin-caller.js'

/** A change that the admin API is about to make, as it is kept. */
export interface AuditEntry {
  /** Null: by the admin token. */
  readonly sessionId: number | null
  readonly address: string
  /** As it is documented: `PATCH apps/{id}`. */
  readonly operation: string
  readonly params: object
  /** Without secrets; null when there was none, it was too long, or no object. */
  readonly body: object | null
}

/** Outcome of the request. */
export interface AuditOutcome {
  readonly status: number
  /** The code of the error, if it was refused. */
  readonly error: string | null
}

/** Keeps what is changed through the admin API. */
export interface AuditLog {
  /** Before the change: one whose process dies on the way is in the log, without an outcome. */
  begin(entry: AuditEntry): Promise<number>
  end(id: number, outcome: AuditOutcome): Promise<void>
}

/** The entry of a request that is about to change something; `params` are those of its path. */
export function auditEntryOf(
  request: FastifyRequest,
  { sessionId }: AdminCaller,
  operation: string,
  params: object,
): AuditEntry {
  return { sessionId, address: request.ip, operation, params, body: withoutSecrets(request.body) }
}

/**
 * Makes a change that is in the audit log before it begins, and there with what became of it. When that cannot be written,
 * the change is made all the same: its reply, which may hold a key that is shown once, is sent.
 */
export async function runAudited<Reply extends { readonly status: number }>(
  { audit, log }: { readonly audit: AuditLog; readonly log: FastifyBaseLogger },
  entry: AuditEntry,
  run: () => Promise<Reply>,
): Promise<Reply> {
  const id = await audit.begin(entry)
  async function end(outcome: AuditOutcome): Promise<void> {
    await audit.end(id, outcome).catch((error: unknown) => {
      log.warn(
        { err: error, operation: entry.operation, id },
        'the outcome of a change is not in the audit log',
      )
    })
  }
  let reply: Reply
  try {
    reply = await run()
  } catch (cause) {
    const { code } = toPlazaError(cause)
    await end({ status: describeError(code).status, error: code })
    throw cause
  }
  await end({ status: reply.status, error: null })
  return reply
}

/** A member of a body that is longer is not kept, and no body whose members are longer together. */
const MAX_MEMBER_LENGTH = 1_000
const MAX_BODY_LENGTH = 8_192

/** Names of members that hold secrets, in lower case and without `_`: a mistyped name must not put a key into the log. */
const secretNames =
  /^(?:signeruuid|seed|message|siwemessage|.*(?:mnemonic|phrase|password|token|secret|key|signature)s?)$/
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
