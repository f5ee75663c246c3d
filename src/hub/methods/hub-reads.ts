import type { ReadRouting } from '../../platform/db/replicas/read-routing.js'
import type { MethodContext } from './hub-method.js'

/** Chooses the database of each read, and remembers writes. */
export type HubReads = Pick<ReadRouting, 'run' | 'wrote'>

/** The hub needs no key: a client is known by its address, and by the user that its request names. */
interface HubCaller {
  readonly address: string
  readonly fid?: number | undefined
}

/** Answers a read from the database that is chosen for it; without a choice from the one of the context. */
export function readBeside<Answer>(
  reads: HubReads | null,
  { address, fid }: HubCaller,
  context: MethodContext,
  answer: (context: MethodContext) => Promise<Answer>,
): Promise<Answer> {
  if (reads === null) return answer(context)
  const callers = [`address ${address}` as const, ...(fid ? [`fid ${fid}` as const] : [])]
  return reads.run(callers, (db) => answer({ ...context, db }))
}

/** Answers a write, and remembers it for the reads of the same client. A merge is remembered for its user elsewhere. */
export async function writeBeside<Answer>(
  reads: HubReads | null,
  address: string,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await answer()
  } finally {
    reads?.wrote([`address ${address}`])
  }
}
