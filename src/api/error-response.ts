import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ErrorRes } from '../graph/view/schema/error.js'
import { describeError, type ErrorCode, PlazaError, type ValidationError } from '../platform/errors.js'
import { redactedPath } from '../platform/text/redacted-path.js'
import { clientMessage, replyToFailure } from './error-reply.js'
import { customError } from './invalid-field.js'

/**
 * `code` of ErrorRes. The hosted API defines `InvalidField`; the others follow its style. Refusals by the
 * hub keep the hub's code.
 */
const codes: Partial<Record<ErrorCode, string>> = {
  'bad_request.invalid_param': 'InvalidField',
  'bad_request.wallet_required': 'RequiredField',
  'bad_request.rate_limited': 'RateLimited',
  'bad_request.too_large': 'TooLarge',
  unauthenticated: 'Unauthorized',
  forbidden: 'Forbidden',
  'forbidden.other_app': 'SignerOfAnotherApp',
  'forbidden.signer_not_approved': 'SignerNotApproved',
  'forbidden.signer_revoked': 'SignerRevoked',
  'forbidden.fid_not_approved': 'FidNotApproved',
  'forbidden.permission_missing': 'PermissionMissing',
  insufficient_funds: 'InsufficientFunds',
  conflict: 'Conflict',
  unprocessable: 'Unprocessable',
  'conflict.fid_of_another_wallet': 'FidOfAnotherWallet',
  'conflict.fid_hold_expired': 'FidHoldExpired',
  not_configured: 'NotConfigured',
  not_implemented: 'NotImplemented',
  not_found: 'NotFound',
  'not_found.wallet': 'InvalidWalletId',
  'unavailable.other_side': 'OtherSideFailed',
  unavailable: 'Unavailable',
  internal: 'InternalError',
}

/** Returns `code` of ErrorRes for an error code. */
export function errorResponseCode(code: ErrorCode): string {
  return codes[code] ?? code
}

/** Converts an error to ErrorRes. */
export function errorResponse(error: PlazaError, request: FastifyRequest): ErrorRes {
  const { code, property, validationErrors } = error
  const message = clientMessage(error, request)
  const errors = validationErrors ?? wrongMember(error)
  return {
    message,
    code: errorResponseCode(code),
    ...(property === undefined ? {} : { property }),
    status: describeError(code).status,
    ...(errors.length === 0 ? {} : { errors: errors.map((each) => ({ ...each, path: [...each.path] })) }),
  }
}

/** The parameter, or the member of a body, that a rule beyond its schema refuses. */
function wrongMember({ code, property, message }: PlazaError): ValidationError[] {
  if (code !== 'bad_request.invalid_param' || property === undefined) return []
  return [customError(property.split('.'), message)]
}

/** Makes the routes of a scope reply to every failure with ErrorRes. */
export function handleRouteErrors(scope: FastifyInstance): void {
  scope.setErrorHandler((failure, request, reply) => replyToFailure(failure, request, reply, errorResponse))
}

/** Makes a scope reply to every failure with ErrorRes, including unknown paths. */
export function handleErrors(scope: FastifyInstance): void {
  handleRouteErrors(scope)
  scope.setNotFoundHandler((request, reply) => {
    const error = new PlazaError('not_found', `no operation ${request.method} ${redactedPath(request.url)}`)
    return reply.status(404).send(errorResponse(error, request))
  })
}
