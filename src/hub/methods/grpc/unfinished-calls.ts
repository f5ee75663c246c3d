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
  /** Most bytes of small calls, and of the first 64 kB of large ones. `ofAnyAddress` is never refused for what others hold. */
  readonly maxSmallBytes?: {
    readonly total: number
    readonly ofAddress: number
    readonly ofAnyAddress: number
  }
}

/** Unfinished calls of all callers together, in messages of the largest size. */
const MAX_HELD_MESSAGES = 32
/** Unfinished calls of one address: an importer has eight bulk writes waiting (`work-limits.ts`). */
const MAX_HELD_MESSAGES_OF_ADDRESS = 8
/** HTTP/2 lets a caller send as much of each call before anything reads it. What a call has more is large. */
const SMALL_CALL_BYTES = 65_535
/** Each call counts with it: without a message it takes 5 kB, and its headers. */
const EMPTY_CALL_BYTES = 8_192
/**
 * A caller may have a thousand calls on each of its connections. Of one address 8,000 may be not complete at a time, or 900 with
 * 64 kB. One with few (128, or 14 with 64 kB) is not refused for what others hold.
 */
const MAX_SMALL_BYTES = { total: 2 ** 28, ofAddress: 2 ** 26, ofAnyAddress: 2 ** 20 }
/** As long as a body over HTTP may take. */
const LIMIT_MS = 60_000

const FULL_TEXT = 'too many calls are not complete, try again soon'

/** Bytes of calls that are not complete. */
interface HeldBytes {
  /** Up to the first 64 kB of each call, and the call itself. */
  small: number
  /** The bytes beyond it. */
  large: number
}

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
  const { bodyLimit, addressOf, limitMs = LIMIT_MS, maxSmallBytes = MAX_SMALL_BYTES } = limits
  const hold = createHolding(bodyLimit, maxSmallBytes)

  return (_method, call) => {
    const { stream, incomingEncoding } = call as unknown as LibraryCall
    const timeoutText = `the call was not complete in ${limitMs / 1000} s`
    const refuse = (code: grpcStatus, details: string) => call.sendStatus({ code, details })
    let isEnded = false
    let stopCounting = () => {}

    /** Counts what comes, also of messages that are not complete. Returns whether there is room for the call. */
    function count(caller: CallerName): boolean {
      let received = 0
      const timer = setTimeout(() => refuse(grpcStatus.DEADLINE_EXCEEDED, timeoutText), limitMs).unref()
      const onData = (chunk: Buffer) => {
        const before = bytesOf(received)
        received += chunk.length
        const { small, large } = bytesOf(received)
        if (hold(caller, { small: small - before.small, large: large - before.large })) return
        refuse(grpcStatus.RESOURCE_EXHAUSTED, FULL_TEXT)
      }
      stream.on('data', onData)
      stopCounting = () => {
        stopCounting = () => {}
        clearTimeout(timer)
        stream.off('data', onData)
        const { small, large } = bytesOf(received)
        hold(caller, { small: -small, large: -large })
      }
      stream.once('close', () => stopCounting())
      return hold(caller, bytesOf(0))
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
            const caller = callerAt(addressOf({ metadata, getPeer: () => call.getPeer() }))
            if (count(caller)) pass(metadata)
            else refuse(grpcStatus.RESOURCE_EXHAUSTED, FULL_TEXT)
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

/** Counts what callers hold. The function that it returns adds to a caller's bytes, and tells whether there is room for them. */
function createHolding(
  bodyLimit: number,
  maxSmallBytes: NonNullable<UnfinishedCallLimits['maxSmallBytes']>,
): (caller: CallerName, bytes: HeldBytes) => boolean {
  const heldBy = new Map<CallerName, HeldBytes>()
  const total: HeldBytes = { small: 0, large: 0 }

  function mayHoldSmall(own: HeldBytes): boolean {
    if (own.small <= maxSmallBytes.ofAnyAddress) return true
    return own.small <= maxSmallBytes.ofAddress && total.small <= maxSmallBytes.total
  }

  function mayHoldLarge(own: HeldBytes): boolean {
    const hasRoom = own.large <= MAX_HELD_MESSAGES_OF_ADDRESS * bodyLimit
    return hasRoom && total.large <= MAX_HELD_MESSAGES * bodyLimit
  }

  return function hold(caller: CallerName, { small, large }: HeldBytes): boolean {
    const own = heldBy.get(caller) ?? { small: 0, large: 0 }
    for (const held of [own, total]) {
      held.small += small
      held.large += large
    }
    if (own.small > 0) heldBy.set(caller, own)
    else heldBy.delete(caller)
    return (small <= 0 || mayHoldSmall(own)) && (large <= 0 || mayHoldLarge(own))
  }
}

function bytesOf(received: number): HeldBytes {
  const small = Math.min(received, SMALL_CALL_BYTES)
  return { small: EMPTY_CALL_BYTES + small, large: received - small }
}
