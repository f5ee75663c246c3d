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
    super(`${address}: ${status[code] ?? code}: ${details}${keyHint(code)}${tlsHint(details)}`)
  }

  /** The same for failures of one kind, of which the second one is no news. */
  get kind(): string {
    return `${this.address}: ${this.code}`
  }

  /** Another upstream, or the same one later, may answer what this one did not. */
  get isTransient(): boolean {
    return transientCodes.has(this.code)
  }

  /** The answer was too large or took too long: a smaller page may go through. */
  get isTooLarge(): boolean {
    return this.code === status.RESOURCE_EXHAUSTED || this.code === status.DEADLINE_EXCEEDED
  }
}

function keyHint(code: number): string {
  const isAboutKeys = code === status.UNAUTHENTICATED || code === status.PERMISSION_DENIED
  return isAboutKeys ? '; give it one in UPSTREAM_HEADERS' : ''
}

/** What is to be done about connections by TLS that do not come about, by what the library says of them. */
const TLS_HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /self-signed certificate|unable to verify the first certificate|unable to get (local )?issuer certificate/i,
    'nobody who is known here has signed its certificate: start with NODE_EXTRA_CA_CERTS=<file.pem> if it is your own authority',
  ],
  [/does not match certificate's altnames/i, 'name it in UPSTREAM_HUB as its certificate does'],
  [/certificate has expired/i, 'its certificate has to be renewed there'],
  [/wrong version number|packet length too long/i, 'it does not speak TLS: unset UPSTREAM_TLS'],
]

function tlsHint(details: string): string {
  const [, hint] = TLS_HINTS.find(([symptom]) => symptom.test(details)) ?? []
  return hint === undefined ? '' : `; ${hint}`
}

/** What connections that break, servers that restart and answers that are cut off end in. */
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
