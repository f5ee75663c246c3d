import { createHash, randomBytes } from 'node:crypto'
import { invalidField } from '../../api/invalid-field.js'
import type { ChainLookups, ClaimChain } from '../../hub/chain-claims/chain-lookups.js'
import { isMessageOfWallet } from '../../hub/chain-claims/wallet-message.js'
import { readWalletSignature } from '../../hub/registry/account-signature.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError, refusalError } from '../../platform/errors.js'
import { parseUrl } from '../../platform/text/parse-url.js'
import { authKeysOf } from '../../protocol/auth-key.js'
import { bytesOfHex } from '../../protocol/bytes.js'
import { KEY_TYPE_AUTH } from '../../protocol/key-rules.js'

/** A parsed Sign-In with Ethereum message (EIP-4361). */
export interface SiweMessage {
  /** Such as `https`; null when omitted. */
  readonly scheme: string | null
  /** Host of the requesting site, with a non-default port. */
  readonly domain: string
  /** `0x` and 40 hex digits. */
  readonly address: string
  readonly statement: string | null
  readonly uri: string
  readonly version: string
  readonly chainId: number
  readonly nonce: string
  /** Unix milliseconds, like the next two. */
  readonly issuedAt: number
  readonly expirationTime: number | null
  readonly notBefore: number | null
  readonly requestId: string | null
  readonly resources: readonly string[]
}

/** Date and time of RFC 3339. */
const dateTime = String.raw`\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})`

/**
 * The grammar of EIP-4361, whole and in order. A message without a statement has two empty lines, or one by sparing
 * writers.
 */
const siwePattern = new RegExp(
  [
    String.raw`^(?:(?<scheme>[A-Za-z][A-Za-z0-9+.-]*)://)?(?<domain>[^\s/?#@]+)`,
    ' wants you to sign in with your Ethereum account:\n(?<address>0x[0-9A-Fa-f]{40})\n\n',
    String.raw`(?:(?!URI: )(?<statement>[^\n]+)\n\n|\n)?`,
    String.raw`URI: (?<uri>[^\n]*)\nVersion: (?<version>[^\n]*)\nChain ID: (?<chainId>\d{1,15})\n`,
    String.raw`Nonce: (?<nonce>[A-Za-z0-9]{8,})\nIssued At: (?<issuedAt>${dateTime})`,
    String.raw`(?:\nExpiration Time: (?<expirationTime>${dateTime}))?`,
    String.raw`(?:\nNot Before: (?<notBefore>${dateTime}))?`,
    String.raw`(?:\nRequest ID: (?<requestId>[^\n]*))?(?:\nResources:(?<resources>(?:\n- [^\n]*)*))?$`,
  ].join(''),
)

/** Tolerated clock skew of users. */
const CLOCK_SKEW_MS = 60_000

/**
 * Verifies a Sign-In with Ethereum message and consumes its nonce: for ever, or for every other message.
 *
 * The message must be valid EIP-4361 version 1, name one site in domain and URI, be valid now, and be signed
 * by the wallet that it names: an account, or a contract that is the custody or auth address of a user.
 *
 * @returns The signing address, 20 bytes.
 * @throws PlazaError `bad_request.invalid_param` for an invalid message or signature; `unauthenticated` when
 * it does not verify.
 */
export async function verifySignIn(
  { db, lookups }: { readonly db: Database; readonly lookups: ChainLookups },
  request: {
    readonly message: string
    readonly signature: string
    readonly appId: string
    /** For a request that only reads: the same message may be sent again while its nonce lives. */
    readonly isRepeatable?: boolean
  },
  nowMs: number,
): Promise<Buffer> {
  const message = parseSiweMessage(request.message)
  if (message === null) throw invalidField('message', 'must be a Sign-In with Ethereum message (EIP-4361)')
  if (message.version !== '1') throw invalidField('message', 'must be of version 1')
  checkSite(message)
  checkTimes(message, nowMs)
  const signature = readWalletSignature(request.signature)
  const address = bytesOfHex(message.address)
  const { appId, isRepeatable = false } = request
  const use = { nonce: message.nonce, appId, message: request.message, isRepeatable }
  const findChain = async () => {
    // A message that cannot be used asks no chain.
    if (!(await isUsable(db, use, nowMs))) throw nonceRefusal()
    return await walletNetworkOf(db, address, message.chainId)
  }
  const found = await isMessageOfWallet(lookups, {
    address,
    message: request.message,
    signature,
    findChain,
  })
  if ('refusal' in found) throw refusalError(found.refusal, 'signature')
  if (!found.answer) {
    throw refusedError('signature', `the message was not signed by the account ${message.address}`)
  }
  // Last, so that a failed request does not consume the nonce.
  if (!(await consumeNonce(db, use, nowMs))) throw nonceRefusal()
  return address
}

function nonceRefusal(): PlazaError {
  return refusedError('message', 'the nonce is unknown, used or expired: get a new one from login/nonce')
}

/** Chain id of Base. */
const BASE_CHAIN_ID = 8453

/**
 * Returns where the wallet of a user is if it is a contract; null if no user has the address. A custody address is one
 * on OP Mainnet, which has the id registry: the same address on another chain may have another owner. An auth address is
 * on the chain that the message names, Base or OP Mainnet.
 */
async function walletNetworkOf(db: Database, address: Buffer, chainId: number): Promise<ClaimChain | null> {
  const keys = authKeysOf(address)
  const [found] = await db<{ isCustody: boolean; isAuth: boolean }[]>`
    select
      exists (select from hub.fids where custody_address = ${address}::bytea) as "isCustody",
      exists (
        select from hub.signers
        where key = any (${db.types.byteas(keys)}::bytea[]) and key_type = ${KEY_TYPE_AUTH} and active
      ) as "isAuth"`
  if (found!.isCustody) return 'optimism'
  if (!found!.isAuth) return null
  return chainId === BASE_CHAIN_ID ? 'base' : 'optimism'
}

/** Parses a message by the grammar of EIP-4361; null for any other text. */
export function parseSiweMessage(text: string): SiweMessage | null {
  const found = siwePattern.exec(text)?.groups
  if (found === undefined) return null
  const { scheme = null, statement = null, requestId = null, resources = '' } = found
  const { domain, address, uri, version, nonce, chainId } = found as Record<string, string>
  const timeOf = (time: string | undefined) => (time === undefined ? null : Date.parse(time))
  const issuedAt = Date.parse(found.issuedAt!)
  const [expirationTime, notBefore] = [timeOf(found.expirationTime), timeOf(found.notBefore)]
  if ([issuedAt, expirationTime, notBefore].some(Number.isNaN)) return null
  const site = { scheme, domain: domain!, address: address!, statement, uri: uri!, version: version! }
  const times = { issuedAt, expirationTime: expirationTime ?? null, notBefore: notBefore ?? null }
  const links = { requestId, resources: resources.split('\n- ').slice(1) }
  return { ...site, chainId: Number(chainId), nonce: nonce!, ...times, ...links }
}

/**
 * Checks that domain and URI name one site. Otherwise a message that one site requested would be valid at
 * another.
 */
function checkSite({ scheme, domain, uri }: SiweMessage): void {
  const url = parseUrl(uri)
  const site = parseUrl(`${url?.protocol}//${domain}`)
  if (url === null || site === null || url.host === '' || url.host !== site.host) {
    throw invalidField('message', 'must have a URI whose host is its domain')
  }
  if (scheme !== null && `${scheme.toLowerCase()}:` !== url.protocol) {
    throw invalidField('message', 'must have one scheme before its domain and in its URI')
  }
}

function checkTimes({ issuedAt, expirationTime, notBefore }: SiweMessage, nowMs: number): void {
  if (issuedAt > nowMs + CLOCK_SKEW_MS) throw refusedError('message', 'the message was issued in the future')
  if (notBefore !== null && notBefore > nowMs) throw refusedError('message', 'the message is not valid yet')
  if (expirationTime !== null && expirationTime <= nowMs)
    throw refusedError('message', 'the message has expired')
}

function refusedError(property: string, message: string): PlazaError {
  return new PlazaError('unauthenticated', message, { property })
}

/** How long a nonce is valid: the time that a user has to sign. */
const NONCE_LIFE_MS = 10 * 60 * 1000
/** EIP-4361 requires at least eight alphanumeric characters; hex digits qualify. */
const NONCE_BYTES = 16
/** Expired nonces deleted per created nonce, so that they do not accumulate. */
const CLEANUP_BATCH_SIZE = 20

/** Creates a nonce for an app. */
export async function createNonce(db: Database, appId: string, nowMs: number): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES).toString('hex')
  await db`
    with cleared as (
      delete from sign_in.nonces
      where nonce in (
        select nonce from sign_in.nonces
        where expires_at <= ${new Date(nowMs)}
        order by expires_at
        limit ${CLEANUP_BATCH_SIZE}
        for update skip locked
      )
    )
    insert into sign_in.nonces (nonce, app_id, expires_at)
    values (${nonce}, ${appId}, ${new Date(nowMs + NONCE_LIFE_MS)})`
  return nonce
}

interface NonceUse {
  readonly nonce: string
  readonly appId: string
  readonly message: string
  readonly isRepeatable: boolean
}

function hashOf(message: string): Buffer {
  return createHash('sha256').update(message).digest()
}

/** Whether `consumeNonce` would use the nonce now. */
async function isUsable(
  db: Database,
  { nonce, appId, message, isRepeatable }: NonceUse,
  nowMs: number,
): Promise<boolean> {
  const found = await db`
    select from sign_in.nonces
    where nonce = ${nonce} and app_id = ${appId} and expires_at > ${new Date(nowMs)}
      and (message_hash is null or (${isRepeatable}::boolean and message_hash = ${hashOf(message)}))`
  return found.length > 0
}

/**
 * Uses a nonce. Returns false when it is not of this app, has expired, or was used before: by any message, or, for a
 * repeatable use, by another one.
 */
async function consumeNonce(
  db: Database,
  { nonce, appId, message, isRepeatable }: NonceUse,
  nowMs: number,
): Promise<boolean> {
  const now = new Date(nowMs)
  if (!isRepeatable) {
    const consumed = await db`
      delete from sign_in.nonces
      where nonce = ${nonce} and app_id = ${appId} and expires_at > ${now} and message_hash is null
      returning 1`
    return consumed.length > 0
  }
  const messageHash = hashOf(message)
  const bound = await db`
    update sign_in.nonces set message_hash = ${messageHash}
    where nonce = ${nonce} and app_id = ${appId} and expires_at > ${now}
      and (message_hash is null or message_hash = ${messageHash})
    returning 1`
  return bound.length > 0
}
