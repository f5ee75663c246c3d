import type { ReadRouting } from '../../platform/db/replicas/read-routing.js'
import { clientAddress } from '../../platform/text/ip-address.js'
import { LogResetError } from '../log/log-reset.js'
import type { MethodContext } from './hub-method.js'

/** Chooses the database of each read, and remembers writes. */
export type HubReads = Pick<ReadRouting, 'run' | 'wrote'>

/** The hub needs no key: a client is known by its address, and by the user that its request names. */
interface HubCaller {
  readonly address: string
  readonly fid?: number | undefined
}

/** Answers a read from the database that is chosen for it; without a choice from the one of the context. */
export async function readBeside<Answer>(
  reads: HubReads | null,
  { address, fid }: HubCaller,
  context: MethodContext,
  answer: (context: MethodContext) => Promise<Answer>,
): Promise<Answer> {
  if (reads === null) return answer(context)
  const callers = [writerAt(address), ...(fid ? [`fid ${fid}` as const] : [])]
  try {
    return await reads.run(callers, (db) => answer({ ...context, db }))
  } catch (error) {
    // The log of a replica that lags ends before the page that a reader continues: the primary says whether it went back.
    if (error instanceof LogResetError && error.reset.isBehind) return await answer(context)
    throw error
  }
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
    reads?.wrote([writerAt(address)])
  }
}

/** The client at an address, whose next request may come from another port. */
function writerAt(address: string) {
  return `address ${clientAddress(address)}` as const
}
