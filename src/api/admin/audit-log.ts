/** A change that the admin API is about to make, as it is kept. */
export interface AuditEntry {
  /** Null: by the admin token. */
  readonly sessionId: number | null
  readonly address: string
  /** As it is documented: `PATCH apps/{id}`. */
  readonly operation: string
  readonly params: object
  /** Without secrets; null when there was none, or it was too long. */
  readonly body: object | null
}

/** What became of it. */
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

/** Longer bodies are not kept: no admin operation needs one. */
const MAX_BODY_LENGTH = 8_192

/** The body or the parameters of a change for the audit log, with secrets taken out at any depth. */
export function audited(value: unknown, secrets: readonly string[] = []): object | null {
  if (typeof value !== 'object' || value === null) return null
  const isSecret = new Set(secrets)
  const text = JSON.stringify(value, (name, member: unknown) => (isSecret.has(name) ? '(secret)' : member))
  return text.length > MAX_BODY_LENGTH ? null : (JSON.parse(storable(text)) as object)
}

/** PostgreSQL stores neither U+0000 nor halves of surrogate pairs, which JSON.stringify escapes. */
function storable(json: string): string {
  return json.replaceAll(/\\\\|\\u(?:0000|d[89a-f][\da-f]{2})/g, (found) =>
    found === '\\\\' ? found : '\ufffd',
  )
}
