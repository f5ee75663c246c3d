/**
 * Why an outgoing request got no answer. The second member says whether the same request may get one later:
 * a refusal by rule stays a refusal until the rule or the name's addresses change.
 */
const kinds = {
  /** Not a URL, or longer than any we send. */
  'invalid-url': { isTransient: false },
  'forbidden-scheme': { isTransient: false },
  'forbidden-credentials': { isTransient: false },
  'forbidden-port': { isTransient: false },
  /** A name that is only known inside some network. */
  'forbidden-host': { isTransient: false },
  /** An address that is not on the public internet, or a name that resolves to one. */
  'forbidden-address': { isTransient: false },
  /** The name does not exist. Names are registered, and resolvers are late to learn of it. */
  'unknown-host': { isTransient: true },
  'name-service': { isTransient: true },
  connection: { isTransient: true },
  'connect-timeout': { isTransient: true },
  tls: { isTransient: true },
  /** What came back is not HTTP, or breaks our limits on its head. */
  protocol: { isTransient: true },
  /** Compressed by a method that we do not know, or broken. */
  encoding: { isTransient: true },
  'too-many-redirects': { isTransient: true },
  /** The whole exchange took longer than its deadline. */
  deadline: { isTransient: true },
  /** The caller gave up, or the client was closed. */
  aborted: { isTransient: true },
} as const satisfies Record<string, { isTransient: boolean }>

export type NetFailureKind = keyof typeof kinds

/** An expected "no answer": a value, never thrown. `detail` is for logs and records; it holds no secret. */
export interface NetFailure {
  readonly kind: NetFailureKind
  readonly detail: string
}

/** A failure as a value. */
export function netFailure(kind: NetFailureKind, detail: string): NetFailure {
  return { kind, detail }
}

/** Whether this is a failure and no answer. */
export function isNetFailure(value: object): value is NetFailure {
  return 'kind' in value && 'detail' in value
}

/** Whether the same request may succeed later, nothing being changed on our side. */
export function isTransient({ kind }: NetFailure): boolean {
  return kinds[kind].isTransient
}

/** Carries a failure through libraries that only know exceptions. It does not leave this folder. */
export class NetFailureError extends Error {
  override readonly name = 'NetFailureError'
  readonly failure: NetFailure

  constructor(failure: NetFailure) {
    super(failure.detail)
    this.failure = failure
  }
}
