import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { describeError } from '../../platform/errors.js'
import { toPlazaError } from '../../platform/http/failure.js'
import { clientAddress } from '../../platform/text/ip-address.js'
import type { AdminCaller } from './admin-caller.js'
import { withoutSecrets } from './redacted-body.js'

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
  const address = clientAddress(request.ip)
  return { sessionId, address, operation, params, body: withoutSecrets(request.body) }
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
