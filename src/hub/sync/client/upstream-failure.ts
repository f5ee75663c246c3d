import { status } from '@grpc/grpc-js'

/** A failed or refused call to an upstream. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'

  /**
   * `code` is a gRPC status, `address` that of the upstream, without secrets. `errorCode` is that of the hub, such as
   * `bad_request.conflict`; null if the upstream did not name one, as when it is not reached.
   */
  constructor(
    readonly code: number,
    readonly address: string,
    readonly details: string,
    readonly errorCode: string | null = null,
  ) {
    super(`${address}: ${status[code] ?? code}: ${details}${keyHint(code)}${tlsHint(details)}`)
  }

  /** Equal for failures of one kind, so that each kind is logged once. */
  get kind(): string {
    return `${this.address}: ${this.code}`
  }

  /** True if the upstream takes no more messages of one user for now, and may take those of others. */
  get isUserLimit(): boolean {
    return this.errorCode === 'bad_request.rate_limited'
  }

  /** True if a repetition, or another upstream, may succeed. */
  get isTransient(): boolean {
    return transientCodes.has(this.code)
  }

  /** True if the upstream may answer other requests: what failed may be this one alone. */
  get mayBeRequestFault(): boolean {
    return !unreachableCodes.has(this.code)
  }

  /** True if a smaller page may succeed. */
  get isTooLarge(): boolean {
    return this.code === status.RESOURCE_EXHAUSTED || this.code === status.DEADLINE_EXCEEDED
  }
}

/** Reads what an upstream has sent. @throws UpstreamFailure if it is malformed: another upstream may send it well. */
export function readSent<Content>(address: string, read: () => Content): Content {
  try {
    return read()
  } catch (error) {
    throw new UpstreamFailure(
      status.INTERNAL,
      address,
      `it sent malformed bytes: ${(error as Error).message}`,
    )
  }
}

function keyHint(code: number): string {
  const isAboutKeys = code === status.UNAUTHENTICATED || code === status.PERMISSION_DENIED
  return isAboutKeys ? '; set its key in UPSTREAM_HEADERS' : ''
}

/** Hints for failed TLS connections, by the library's text. */
const TLS_HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /self-signed certificate|unable to verify the first certificate|unable to get (local )?issuer certificate/i,
    'no known authority signed its certificate: set NODE_EXTRA_CA_CERTS=<file.pem> if it is your own',
  ],
  [/does not match certificate's altnames/i, 'address it in UPSTREAM_HUB as its certificate does'],
  [/certificate has expired/i, 'its certificate must be renewed'],
  [/wrong version number|packet length too long/i, 'the node does not use TLS: unset UPSTREAM_TLS'],
]

function tlsHint(details: string): string {
  const [, hint] = TLS_HINTS.find(([symptom]) => symptom.test(details)) ?? []
  return hint === undefined ? '' : `; ${hint}`
}

/** Statuses of broken connections, restarting servers and truncated answers. */
const transientCodes: ReadonlySet<number> = new Set([
  status.CANCELLED,
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.RESOURCE_EXHAUSTED,
  status.ABORTED,
  status.INTERNAL,
  status.UNAVAILABLE,
  status.DATA_LOSS,
])

/** Statuses of an upstream that is not reached, or answers nothing without a key. */
const unreachableCodes: ReadonlySet<number> = new Set([
  status.CANCELLED,
  status.UNAVAILABLE,
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
])
