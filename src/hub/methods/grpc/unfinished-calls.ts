import type { ServerHttp2Stream } from 'node:http2'
import {
  status as grpcStatus,
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
} from '@grpc/grpc-js'
import { type CallerName, callerAt } from '../../../platform/limits/caller-name.js'
import type { IncomingCall } from './grpc-api.js'

/** How much calls may hold whose caller has not ended its side, and how long. */
export interface UnfinishedCallLimits {
  /** Largest message. */
  readonly bodyLimit: number
  /** Without the port. */
  readonly addressOf: (call: IncomingCall) => string
  readonly limitMs?: number
}

/** Of all callers together, in messages of the largest size. */
const MAX_HELD_MESSAGES = 32
/** Of one address: an importer has eight bulk writes waiting (`work-limits.ts`). */
const MAX_HELD_MESSAGES_OF_ADDRESS = 8
/** HTTP/2 lets a caller send as much of each call before anything reads it. Larger calls count with what they have more. */
const FREE_BYTES = 65_535
/** As long as a body over HTTP may take. */
const LIMIT_MS = 60_000

/** Private members of the library's call: an interceptor learns of a message when it is complete and unpacked. */
interface LibraryCall {
  readonly stream: ServerHttp2Stream
  /** The header `grpc-encoding`. */
  readonly incomingEncoding: string
}

/**
 * Limits what callers make the server hold before their calls count against anything: a call has its key and rate checked
 * when its caller has ended its side. Compressed messages are refused, as the reference node does: 4 kB would be 4 MB.
 */
export function limitUnfinishedCalls(limits: UnfinishedCallLimits): ServerInterceptor {
  const { bodyLimit, addressOf, limitMs = LIMIT_MS } = limits
  const heldBy = new Map<CallerName, number>()
  let held = 0

  /** Returns whether there is room for what is held. */
  function hold(caller: CallerName, bytes: number): boolean {
    const own = (heldBy.get(caller) ?? 0) + bytes
    if (own > 0) heldBy.set(caller, own)
    else heldBy.delete(caller)
    held += bytes
    return own <= MAX_HELD_MESSAGES_OF_ADDRESS * bodyLimit && held <= MAX_HELD_MESSAGES * bodyLimit
  }

  return (_method, call) => {
    const { stream, incomingEncoding } = call as unknown as LibraryCall
    const timeoutText = `the call was not complete in ${limitMs / 1000} s`
    const refuse = (code: grpcStatus, details: string) => call.sendStatus({ code, details })
    let isEnded = false
    let stopCounting = () => {}

    /** Counts what comes, also of messages that are not complete. */
    function count(caller: CallerName): void {
      let received = 0
      const excess = () => Math.max(0, received - FREE_BYTES)
      const timer = setTimeout(() => refuse(grpcStatus.DEADLINE_EXCEEDED, timeoutText), limitMs).unref()
      const onData = (chunk: Buffer) => {
        const before = excess()
        received += chunk.length
        if (excess() === before || hold(caller, excess() - before)) return
        refuse(grpcStatus.RESOURCE_EXHAUSTED, 'too many large calls are not complete, try again soon')
      }
      stream.on('data', onData)
      stopCounting = () => {
        stopCounting = () => {}
        clearTimeout(timer)
        stream.off('data', onData)
        hold(caller, -excess())
      }
      stream.once('close', () => stopCounting())
    }

    return new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata: Metadata, pass) {
            if (incomingEncoding !== 'identity') {
              refuse(
                grpcStatus.UNIMPLEMENTED,
                `messages compressed with ${incomingEncoding} are not accepted`,
              )
              return
            }
            count(callerAt(addressOf({ metadata, getPeer: () => call.getPeer() })))
            pass(metadata)
          },
          onReceiveHalfClose(pass) {
            isEnded = true
            stopCounting()
            pass()
          },
          // Also after any status: the library keeps what came of a message as long as the caller keeps its side open.
          onCancel() {
            if (!isEnded) stream.close()
          },
        })
      },
    })
  }
}
