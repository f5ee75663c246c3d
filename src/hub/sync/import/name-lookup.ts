import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Refusal, refuse } from '../../../platform/errors.js'
import type { Log } from '../../../platform/log/log.js'
import type { NetClient } from '../../../platform/outbound/net-client.js'
import { isNetFailure } from '../../../platform/outbound/net-failure.js'
import { tryParseJson } from '../../../platform/text/try-parse-json.js'
import { verifyUsernameProof } from '../../../protocol/kinds/username-proof.js'
import type { FindName, FoundName } from '../../unknown-names.js'
import { proofOf, Transfer } from './transfer.js'

export interface NameLookupOptions {
  readonly net: Pick<NetClient, 'request'>
  /** The address of the registry. */
  readonly url: string
  /** Address of the registry's signer, 20 bytes. */
  readonly signer: Buffer
  /** Counts a lookup against the limit of a user; null within the limit, else the refusal. */
  readonly countFor: (fid: number) => Refusal | null
  readonly log: Log
}

/** A client waits for the answer with its message. */
const DEADLINE_MS = 5_000
const MAX_BYTES = 64 * 1024
/** Concurrent requests. The registry serves the whole network. */
const MAX_CONCURRENT = 8

const Current = Type.Object({ transfer: Transfer })

/**
 * Creates the lookup of the current transfer of a name in the fname registry (`GET /transfers/current?name=`,
 * docs/protocol.md §7.2). Concurrent lookups of a name share a request. It refuses when the registry does not answer.
 */
export function createNameLookup({ net, url, signer, countFor, log }: NameLookupOptions): FindName {
  const running = new Map<string, Promise<FoundName>>()

  async function ask(name: string): Promise<FoundName> {
    const target = `${url.replace(/\/$/, '')}/transfers/current?name=${encodeURIComponent(name)}`
    const answer = await net.request({
      url: target,
      headers: { accept: 'application/json' },
      deadlineMs: DEADLINE_MS,
      maxBytes: MAX_BYTES,
    })
    if (isNetFailure(answer)) return { refusal: noAnswer(answer.detail) }
    if (answer.status === 404) return { proof: null }
    const found = tryParseJson(Buffer.from(answer.bytes).toString('utf8'))
    if (answer.status !== 200 || !Value.Check(Current, found))
      return { refusal: noAnswer(`status ${answer.status}`) }
    const proof = proofOf(found.transfer)
    if (found.transfer.username === name && (await verifyUsernameProof(proof, signer))) return { proof }
    log.warn({ name, id: found.transfer.id }, 'a name transfer is not signed by the registry')
    return { proof: null }
  }

  return async (name, fid) => {
    const shared = running.get(name)
    if (shared !== undefined) return await shared
    const refusal = countFor(fid)
    if (refusal !== null) return { refusal }
    if (running.size >= MAX_CONCURRENT)
      return { refusal: refuse('unavailable', 'too many names are being looked up: try again later') }
    const asking = ask(name).finally(() => running.delete(name))
    running.set(name, asking)
    return await asking
  }
}

function noAnswer(detail: string): Refusal {
  return refuse('unavailable', `the fname registry does not answer (${detail}): try again later`)
}
