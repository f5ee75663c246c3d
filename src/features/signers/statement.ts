import { hexOf } from '../../protocol/bytes.js'
import type { KeyRequest } from './key-request.js'
import { AUTH_ADDRESS_KEY_TYPE } from './signer-record.js'

/**
 * Builds the text that a user signs (`personal_sign`) to refuse a request or to restrict its permissions.
 *
 * It contains the unguessable token of the request, so it is valid for nothing else.
 */
export function refusalStatement(request: KeyRequest, fid: number): string {
  const action = request.keyType === AUTH_ADDRESS_KEY_TYPE ? 'address may sign in' : 'key may act'
  return statement(`No: I do not want that this ${action} for my account.`, request, fid)
}

/**
 * Builds the text that restricts the permissions of a request.
 *
 * @param permissions Granted permissions, in this order.
 */
export function permissionsStatement(
  request: KeyRequest,
  fid: number,
  permissions: readonly string[],
): string {
  const allowed = permissions.length === 0 ? 'nothing' : permissions.join(', ')
  return statement(`If I approve this key, this is all that it may do for me here: ${allowed}.`, request, fid)
}

function statement(sentence: string, request: KeyRequest, fid: number): string {
  return [
    sentence,
    '',
    `Account: fid ${fid}`,
    `App: fid ${request.app.fid}`,
    `Key: ${hexOf(request.publicKey)}`,
    `Request: ${request.approvalToken}`,
  ].join('\n')
}
