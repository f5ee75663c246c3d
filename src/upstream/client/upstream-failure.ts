import { status } from '@grpc/grpc-js'

/** Why an upstream did not answer, or what it refused. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'

  /**
   * @param code A gRPC status.
   * @param address Of the upstream, without anything secret.
   */
  constructor(
    readonly code: number,
    readonly address: string,
    details: string,
  ) {
    super(`${address}: ${status[code] ?? code}: ${details}`)
  }

  /** Another upstream, or the same one later, may answer what this one did not. */
  get isPassing(): boolean {
    return passing.has(this.code)
  }

  /** The answer was too large or took too long: a smaller page may go through. */
  get isTooMuch(): boolean {
    return this.code === status.RESOURCE_EXHAUSTED || this.code === status.DEADLINE_EXCEEDED
  }
}

/** What connections that break, servers that restart and answers that are cut off end in. */
const passing: ReadonlySet<number> = new Set([
  status.CANCELLED,
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.RESOURCE_EXHAUSTED,
  status.ABORTED,
  status.INTERNAL,
  status.UNAVAILABLE,
  status.DATA_LOSS,
])
