import { status as grpcStatus, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js'

/** How much calls may hold whose caller has not ended its side, and how long. */
export interface UnfinishedCallLimits {
  /** Bytes of all messages together, unpacked. */
  readonly maxHeldBytes?: number
  readonly limitMs?: number
}

/** A message has up to `HUB_BODY_LIMIT`, and a caller a thousand calls: some of the largest at once. */
const MAX_HELD_BYTES = 64 * 1024 * 1024
/** As long as a body over HTTP may take. */
const LIMIT_MS = 60_000

/**
 * Limits what callers make the server hold before their calls count against anything: a call has its key and rate checked
 * when its caller has ended its side. Until then a kilobyte that was packed holds megabytes.
 */
export function limitUnfinishedCalls(options: UnfinishedCallLimits = {}): ServerInterceptor {
  const { maxHeldBytes = MAX_HELD_BYTES, limitMs = LIMIT_MS } = options
  let heldBytes = 0
  return (_method, call) => {
    let ownBytes = 0
    let timer: NodeJS.Timeout | undefined
    const release = () => {
      clearTimeout(timer)
      heldBytes -= ownBytes
      ownBytes = 0
    }
    const refuse = (code: grpcStatus, details: string) => {
      release()
      call.sendStatus({ code, details })
    }
    return new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, pass) {
            const details = `the call was not complete in ${limitMs / 1000} s`
            timer = setTimeout(() => refuse(grpcStatus.DEADLINE_EXCEEDED, details), limitMs).unref()
            pass(metadata)
          },
          onReceiveMessage(message: Buffer, pass) {
            ownBytes += message.length
            heldBytes += message.length
            if (heldBytes <= maxHeldBytes) pass(message)
            else refuse(grpcStatus.RESOURCE_EXHAUSTED, 'too many calls are not complete, try again soon')
          },
          onReceiveHalfClose(pass) {
            release()
            pass()
          },
          onCancel: release,
        })
      },
    })
  }
}
