import { timingSafeEqual } from 'node:crypto'
import { PlazaError } from '../../platform/errors.js'
import { secretDigest } from '../../platform/vault/secret-digest.js'

/** Checks the `authorization` of an operator's request. @throws PlazaError `unauthenticated`. */
export type OperatorCheck = (authorization: string | undefined) => void

/**
 * Creates the check of the operator's credentials, with the texts of the reference node (docs/protocol.md §2.8).
 *
 * @param accounts `user:password`, several between commas; undefined or empty lets everyone in.
 */
export function createOperatorCheck(accounts: string | undefined): OperatorCheck {
  const accepted = (accounts ?? '')
    .split(',')
    .filter((account) => account !== '')
    .map(secretDigest)
  return (authorization) => {
    if (accepted.length === 0) return
    if (!authorization) throw unauthenticated('missing authorization header')
    const [, encoded] = /^Basic ([A-Za-z0-9+/]+={0,2})$/.exec(authorization) ?? []
    const account = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
    if (account.split(':').length !== 2) throw unauthenticated('invalid authorization header')
    const sent = secretDigest(account)
    if (!accepted.some((each) => timingSafeEqual(each, sent)))
      throw unauthenticated('invalid username or password')
  }
}

const unauthenticated = (text: string) => new PlazaError('unauthenticated', text)
