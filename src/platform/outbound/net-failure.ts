/**
 * Why an outgoing request got no answer. The second member says whether the same request may get one later:
 * a refusal by rule stays a refusal until the rule or the name's addresses change.
 */
const kinds = {
  /** Not a URL, or longer than any we send. */
  'invalid-url': { mayPass: false },
  'forbidden-scheme': { mayPass: false },
  'forbidden-credentials': { mayPass: false },
  'forbidden-port': { mayPass: false },
  /** A name that is only known inside some network. */
  'forbidden-host': { mayPass: false },
  /** An address that is not on the public internet, or a name that resolves to one. */
  'forbidden-address': { mayPass: false },
  /** The name does not exist. Names are registered, and resolvers are late to learn of it. */
  'unknown-host': { mayPass: true },
  'name-service': { mayPass: true },
  connection: { mayPass: true },
  'connect-timeout': { mayPass: true },
  tls: { mayPass: true },
  /** What came back is not HTTP, or breaks our limits on its head. */
  protocol: { mayPass: true },
  /** Compressed by a method that we do not know, or broken. */
  encoding: { mayPass: true },
  'too-many-redirects': { mayPass: true },
  /** The whole exchange took longer than its deadline. */
  deadline: { mayPass: true },
  /** The caller gave up, or the client was closed. */
  aborted: { mayPass: true },
} as const satisfies Record<string, { mayPass: boolean }>

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
export function mayPass({ kind }: NetFailure): boolean {
  return kinds[kind].mayPass
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
