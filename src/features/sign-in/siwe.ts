import { readAccountSignature, recoverMessageSigner } from '../../hub/registry/account-signature.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { consumeNonce } from './nonces.js'
import { parseSiweMessage, type SiweMessage } from './siwe-message.js'

/** What somebody signs in with. */
export interface SiweRequest {
  /** As it was signed. */
  readonly message: string
  /** `0x` and hex. */
  readonly signature: string
  /** The app of the API key that asks: nonces are good for one app. */
  readonly appId: string
}

/** Clocks of users may be ahead by this much. */
const CLOCK_SKEW_MS = 60_000

/**
 * Checks a Sign-In with Ethereum message and uses up its nonce: the message is of the standard's form and version,
 * speaks for one site (its domain and URI agree), is of now, and was signed by the account that it names.
 *
 * @param db For writes.
 * @param nowMs Unix milliseconds.
 * @returns The address that has signed, 20 bytes.
 * @throws PlazaError `bad_request.invalid_param` for what is no such message or signature; `unauthenticated` for one
 * that does not hold.
 */
export async function verifySignIn(db: Database, request: SiweRequest, nowMs: number): Promise<Buffer> {
  const message = readMessage(request.message)
  checkSite(message)
  checkTimes(message, nowMs)
  const signature = readAccountSignature(request.signature)
  const address = Buffer.from(message.address.slice(2), 'hex')
  const signer = await recoverMessageSigner(request.message, signature)
  if (!signer?.equals(address)) {
    throw refusedError('signature', `the message was not signed by the account ${message.address}`)
  }
  // Last, so that what fails uses up nothing.
  if (!(await consumeNonce(db, { nonce: message.nonce, appId: request.appId }, nowMs))) {
    throw refusedError(
      'message',
      'the nonce is unknown, used already, or too old: get a new one from login/nonce',
    )
  }
  return address
}

function readMessage(text: string): SiweMessage {
  const message = parseSiweMessage(text)
  if (message === null) throw invalidParam('message', 'must be a Sign-In with Ethereum message (EIP-4361)')
  if (message.version !== '1') throw invalidParam('message', 'must be of version 1')
  return message
}

/** A message that one site asked for must not be of use to another: what the wallet showed is what counts. */
function checkSite({ scheme, domain, uri }: SiweMessage): void {
  const url = URL.canParse(uri) ? new URL(uri) : null
  const site = URL.canParse(`${url?.protocol}//${domain}`) ? new URL(`${url?.protocol}//${domain}`) : null
  if (url === null || site === null || url.host === '' || url.host !== site.host) {
    throw invalidParam('message', 'must have a URI whose host is its domain')
  }
  if (scheme !== null && `${scheme.toLowerCase()}:` !== url.protocol) {
    throw invalidParam('message', 'must have one scheme before its domain and in its URI')
  }
}

function checkTimes({ issuedAt, expirationTime, notBefore }: SiweMessage, nowMs: number): void {
  if (issuedAt > nowMs + CLOCK_SKEW_MS) throw refusedError('message', 'the message was issued in the future')
  if (notBefore !== null && notBefore > nowMs) throw refusedError('message', 'the message is not good yet')
  if (expirationTime !== null && expirationTime <= nowMs)
    throw refusedError('message', 'the message has expired')
}

function invalidParam(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}

function refusedError(property: string, message: string): PlazaError {
  return new PlazaError('unauthenticated', message, { property })
}
