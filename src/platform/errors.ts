/**
 * The catalog of errors. A code uses the terms of the protocol (docs/protocol.md §2.2 and §4). Its entry has
 * the HTTP status, the name and number of the gRPC status, and whether a retry can succeed.
 *
 * Codes are part of the interface: a retired code never gets another meaning.
 */
const errorCatalog = {
  'bad_request.invalid_param': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.parse_failure': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.validation_failure': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.duplicate': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.conflict': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.prunable': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  'bad_request.rate_limited': { status: 429, grpc: 'ResourceExhausted', grpcCode: 8, retry: true },
  'bad_request.too_large': { status: 413, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  forbidden: { status: 403, grpc: 'PermissionDenied', grpcCode: 7, retry: false },
  'forbidden.other_app': { status: 403, grpc: 'PermissionDenied', grpcCode: 7, retry: false },
  'forbidden.signer_not_approved': { status: 403, grpc: 'PermissionDenied', grpcCode: 7, retry: false },
  'forbidden.signer_revoked': { status: 403, grpc: 'PermissionDenied', grpcCode: 7, retry: false },
  'forbidden.fid_not_approved': { status: 403, grpc: 'PermissionDenied', grpcCode: 7, retry: false },
  'forbidden.permission_missing': { status: 403, grpc: 'PermissionDenied', grpcCode: 7, retry: false },
  insufficient_funds: { status: 402, grpc: 'FailedPrecondition', grpcCode: 9, retry: false },
  conflict: { status: 409, grpc: 'AlreadyExists', grpcCode: 6, retry: false },
  'conflict.fid_of_another_wallet': { status: 409, grpc: 'AlreadyExists', grpcCode: 6, retry: false },
  'conflict.fid_hold_expired': { status: 409, grpc: 'AlreadyExists', grpcCode: 6, retry: false },
  unprocessable: { status: 422, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  not_configured: { status: 501, grpc: 'Unimplemented', grpcCode: 12, retry: false },
  not_implemented: { status: 501, grpc: 'Unimplemented', grpcCode: 12, retry: false },
  'bad_request.wallet_required': { status: 400, grpc: 'InvalidArgument', grpcCode: 3, retry: false },
  unauthenticated: { status: 401, grpc: 'Unauthenticated', grpcCode: 16, retry: false },
  not_found: { status: 404, grpc: 'NotFound', grpcCode: 5, retry: false },
  'not_found.wallet': { status: 404, grpc: 'NotFound', grpcCode: 5, retry: false },
  'not_found.event_dropped': { status: 410, grpc: 'OutOfRange', grpcCode: 11, retry: false },
  'not_found.log_reset': { status: 410, grpc: 'Aborted', grpcCode: 10, retry: false },
  'unavailable.other_side': { status: 502, grpc: 'Unavailable', grpcCode: 14, retry: true },
  unavailable: { status: 503, grpc: 'Unavailable', grpcCode: 14, retry: true },
  internal: { status: 500, grpc: 'Internal', grpcCode: 13, retry: false },
} as const satisfies Record<string, { status: number; grpc: string; grpcCode: number; retry: boolean }>

export type ErrorCode = keyof typeof errorCatalog

/** Whether a status is a failure of the server. 501 is a refusal: the operation is not served, or needs what is not configured. */
export function isServerFailure(status: number): boolean {
  return status >= 500 && status !== 501
}

/** Returns the entry of a code: HTTP status, gRPC status, whether a retry can succeed. */
export function describeError(code: ErrorCode): (typeof errorCatalog)[ErrorCode] {
  return errorCatalog[code]
}

/** All codes, for the test of the documentation. */
export const errorCodes = Object.keys(errorCatalog) as ErrorCode[]

/**
 * An expected refusal. It is a value; the protocol and the merge never throw it. `message` is for the client:
 * it names the violated rule and contains no secret.
 */
export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  /** Seconds until a retry, if known. */
  readonly retryAfterSeconds?: number | undefined
}

/** Creates a refusal. */
export function refuse(
  code: ErrorCode,
  message: string,
  options: Pick<Refusal, 'retryAfterSeconds'> = {},
): Refusal {
  return { code, message, ...options }
}

/** Whether a result is a refusal. No other result has a `code`. */
export function isRefusal<T extends object>(result: T): result is Extract<T, Refusal> {
  return 'code' in result
}

/** Returns the code and text of a refusal without names and numbers, which may be millions: equal for refusals of one kind. */
export function refusalKind({ code, message }: Refusal): string {
  return `${code}: ${message.replace(/"[^"]*"/g, '"…"').replace(/\d+/g, '…')}`
}

/** A wrong member of a request body (docs/compatibility.md §5.2). */
export interface ValidationError {
  /** Kind of the error, as named by zod: `too_big`, `invalid_type`. */
  readonly code: string
  /** The expected and the received value, in words. */
  readonly expected: string
  readonly received: string
  readonly message: string
  /** Path of the member: `['notification', 'title']`. */
  readonly path: readonly string[]
}

/**
 * A refusal that ends a request. The client gets `message`; `cause` goes only to the log. `property` names
 * the wrong parameter, if any, `validationErrors` all wrong members of a body, and `retryAfterSeconds` when
 * to retry, if known.
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

/** Converts a refusal to an error that names the invalid member, if any. */
export function refusalError({ code, message, retryAfterSeconds }: Refusal, property?: string): PlazaError {
  return new PlazaError(code, message, { property, retryAfterSeconds })
}

/** Returns the code of an error of Node.js or of PostgreSQL: `ENOENT`, `23505`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
