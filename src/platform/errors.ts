/**
 * The one catalogue of errors. A code says what went wrong in the protocol's own words
 * (docs/protocol.md §2.2 and §4); its entry says which HTTP status it becomes, which gRPC status name and number
 * the older error body carries, and whether the same request may succeed later.
 *
 * Codes are part of the interface: a retired code is never given another meaning.
 */
const errorCatalog = {
  'bad_request.invalid_param': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.parse_failure': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.validation_failure': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.duplicate': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.conflict': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.prunable': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.unknown_fid': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.invalid_signer': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.no_storage': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.rate_limited': { status: 429, grpc: 'ResourceExhausted', grpcCode: 8, retry: true },
  'bad_request.too_large': { status: 413, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  forbidden: { status: 403, grpc: 'PermissionDenied', grpcCode: 7, retry: false },
  'forbidden.other_app': { status: 403, grpc: 'PermissionDenied', grpcCode: 7, retry: false },
  'forbidden.signer_not_approved': { status: 403, grpc: 'PermissionDenied', grpcCode: 7, retry: false },
  'forbidden.signer_revoked': { status: 403, grpc: 'PermissionDenied', grpcCode: 7, retry: false },
  'forbidden.permission_missing': { status: 403, grpc: 'PermissionDenied', grpcCode: 7, retry: false },
  insufficient_funds: { status: 402, grpc: 'FailedPrecondition', grpcCode: 9, retry: false },
  conflict: { status: 409, grpc: 'AlreadyExists', grpcCode: 6, retry: false },
  'conflict.fid_of_another_wallet': { status: 409, grpc: 'AlreadyExists', grpcCode: 6, retry: false },
  'conflict.fid_hold_expired': { status: 409, grpc: 'AlreadyExists', grpcCode: 6, retry: false },
  unprocessable: { status: 422, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  not_configured: { status: 501, grpc: 'Unimplemented', grpcCode: 12, retry: false },
  'bad_request.wallet_required': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  unauthenticated: { status: 401, grpc: 'Unauthenticated', grpcCode: 16, retry: false },
  not_found: { status: 404, grpc: 'NotFound', grpcCode: 5, retry: false },
  'not_found.wallet': { status: 404, grpc: 'NotFound', grpcCode: 5, retry: false },
  'not_found.event_dropped': { status: 410, grpc: 'OutOfRange', grpcCode: 11, retry: false },
  gone: { status: 410, grpc: 'Unimplemented', grpcCode: 12, retry: false },
  'unavailable.other_side': { status: 502, grpc: 'Unavailable', grpcCode: 14, retry: true },
  unavailable: { status: 503, grpc: 'Unavailable', grpcCode: 14, retry: true },
  internal: { status: 500, grpc: 'Internal', grpcCode: 13, retry: false },
} as const satisfies Record<string, { status: number; grpc: string; grpcCode: number; retry: boolean }>

export type ErrorCode = keyof typeof errorCatalog

/** Everything that is known of a code: HTTP status, gRPC status, whether a retry can help. */
export function describeError(code: ErrorCode): (typeof errorCatalog)[ErrorCode] {
  return errorCatalog[code]
}

/** Every code there is, for the documentation test. */
export const errorCodes = Object.keys(errorCatalog) as ErrorCode[]

/**
 * An expected "no": a value, never thrown by the protocol or the merge.
 * `message` is for the client: it names the rule that was broken and holds no secret.
 */
export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
}

/** A refusal as a value. */
export function refuse(code: ErrorCode, message: string): Refusal {
  return { code, message }
}

/** A member of a request's body that is wrong (docs/compatibility.md §5.2). */
export interface ValidationError {
  /** What kind of fault it is, in the words of zod: `too_big`, `invalid_type`. */
  readonly code: string
  /** What would be right, and what came, in words. */
  readonly expected: string
  readonly received: string
  readonly message: string
  /** Where it stands: `['notification', 'title']`. */
  readonly path: readonly string[]
}

/**
 * A refusal on its way out of a request. `message` is shown to the client; `cause` only reaches the log.
 * `property` names the parameter at fault, where there is one, and `faults` all members of a body that are wrong;
 * `retryAfterSeconds` tells when to ask again, where that is known.
 */
export class PlazaError extends Error {
  override readonly name = 'PlazaError'
  readonly code: ErrorCode
  readonly property: string | undefined
  readonly validationErrors: readonly ValidationError[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      property?: string | undefined
      validationErrors?: readonly ValidationError[] | undefined
      retryAfterSeconds?: number | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.property = options.property
    this.validationErrors = options.validationErrors
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
