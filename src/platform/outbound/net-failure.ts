/**
 * Reasons why an outgoing request has no response, and whether a retry can succeed. A refusal by the policy
 * is permanent until the policy or the addresses of the name change.
 */
const kinds = {
  /** Not a URL, or too long. */
  'invalid-url': { isTransient: false },
  'forbidden-scheme': { isTransient: false },
  'forbidden-credentials': { isTransient: false },
  'forbidden-port': { isTransient: false },
  /** A name that exists only inside a network. */
  'forbidden-host': { isTransient: false },
  /** An address that is not on the public internet, or a name that resolves to one. */
  'forbidden-address': { isTransient: false },
  /** The name does not exist. A retry helps if it was registered recently. */
  'unknown-host': { isTransient: true },
  /** This server could not ask the target: its name servers, its network or its resources failed. It says nothing of the target. */
  local: { isTransient: true },
  connection: { isTransient: true },
  'connect-timeout': { isTransient: true },
  tls: { isTransient: true },
  /** The response is not HTTP, or its head exceeds the limits. */
  protocol: { isTransient: true },
  /** An unknown compression, or corrupted data. */
  encoding: { isTransient: true },
  'too-many-redirects': { isTransient: true },
  /** The exchange exceeded its deadline. */
  deadline: { isTransient: true },
  /** The caller aborted, or the client was closed. */
  aborted: { isTransient: true },
} as const satisfies Record<string, { isTransient: boolean }>

export type NetFailureKind = keyof typeof kinds

/** An expected failure of a request, never thrown. `detail` is for logs and contains no secret. */
export interface NetFailure {
  readonly kind: NetFailureKind
  readonly detail: string
}

/** Creates a failure. */
export function netFailure(kind: NetFailureKind, detail: string): NetFailure {
  return { kind, detail }
}

/** Whether a result is a failure. */
export function isNetFailure(value: object): value is NetFailure {
  return 'kind' in value && 'detail' in value
}

/** Whether a retry of the same request can succeed. */
export function isTransient({ kind }: NetFailure): boolean {
  return kinds[kind].isTransient
}

/** Carries a failure through libraries that use exceptions. It does not leave this folder. */
export class NetFailureError extends Error {
  override readonly name = 'NetFailureError'

  constructor(readonly failure: NetFailure) {
    super(failure.detail)
  }
}
