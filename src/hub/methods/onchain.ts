import { hexOf } from '../../protocol/bytes.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import { OnChainEvent } from '../../protocol/definitions.js'
import {
  SignerResponse,
  SignerSource,
  SignersByFidResponse,
} from '../../protocol/proto/generated/request_response.js'
import { unixSecondsFromFarcasterSeconds } from '../../protocol/time.js'
import { MAX_PAGE_SIZE, pageTokens } from '../page-token.js'
import { readChainEventsByFid, readIdRegistration, readIdRegistrationByFid } from '../query/onchain-events.js'
import type { PageOptions } from '../query/page.js'
import {
  type KeyAllowance,
  readKeyAllowance,
  readSigners,
  type SignerCursor,
  type SignerRow,
} from '../query/signers.js'
import { address, enumeration, fid, fidOrZero, httpOnly, page, requesterFids, signerKey } from './fields.js'
import { type Reply, readMethod } from './hub-method.js'
import { messageTypeNames, nameOf, onChainEventTypeNames } from './json/enum-names.js'
import { onChainEventJson } from './json/onchain-event.js'
import { requireFound } from './refusals.js'
import { base64Token, encodeCursor, onChainEvent, onChainEvents } from './replies.js'

const signerPage = page(pageTokens.signer)
/** The reference node does not page these events over HTTP: without a page size the page is the largest. */
const chainPage = page(pageTokens.chain, { defaultSize: MAX_PAGE_SIZE })
const oneSigner: PageOptions<SignerCursor> = { limit: 1, reverse: false, after: null }

/** Most keys that messages may add for one user (docs/protocol.md §3.3.12). */
const MAX_GRANTED_KEYS = 1_000

/** The protocol's `Signer`. In the generated code, `Signer` is an interface that signs. */
type SignerDescription = NonNullable<SignerResponse['signer']>

const signer: Reply<SignerDescription | null> = {
  json: (found) => ({ signer: signerJson(requireFound(found, 'Signer not found')) }),
  protobuf: (found) => SignerResponse.encode({ signer: requireFound(found, 'Signer not found') }).finish(),
}

interface SignerList {
  readonly signers: SignerDescription[]
  readonly nextPageToken: Buffer | undefined
  readonly allowance: KeyAllowance
}

const signers: Reply<SignerList> = {
  json: ({ signers: list, nextPageToken, allowance: { keys, userNonce, appNonces } }) => ({
    signers: list.map(signerJson),
    nextPageToken: base64Token(nextPageToken),
    gaslessSignerCount: keys,
    gaslessSignerLimit: MAX_GRANTED_KEYS,
    currentUserNonce: userNonce,
    requesterFidNonces: appNonces.size > 0 ? Object.fromEntries(appNonces) : undefined,
  }),
  protobuf: ({ signers: list, nextPageToken, allowance: { keys, userNonce, appNonces } }) =>
    SignersByFidResponse.encode({
      signers: list,
      nextPageToken,
      gaslessSignerCount: keys,
      gaslessSignerLimit: MAX_GRANTED_KEYS,
      currentUserNonce: userNonce,
      requesterFidNonces: Object.fromEntries(appNonces),
    }).finish(),
}

/** A key that may sign for a user, from the chain or from a message. All times are Unix seconds. */
function signerJson(found: SignerDescription): object {
  const { key, keyType, fid: owner, addedAt } = found
  const common = { key: hexOf(key), keyType, fid: owner, addedAt }
  if (found.source === SignerSource.ONCHAIN) {
    const { onchainEvent: event } = found
    return { source: 'SIGNER_SOURCE_ONCHAIN', ...common, onChainEvent: event && onChainEventJson(event) }
  }
  const { lastUsedAt, ttl, expiresAt, requestFid, nonce } = found
  const scopes = found.scopes.map((scope) => nameOf(messageTypeNames, scope))
  return {
    source: 'SIGNER_SOURCE_OFFCHAIN',
    ...common,
    lastUsedAt,
    ttl,
    expiresAt,
    scopes,
    requestFid,
    nonce,
  }
}

export const onChainMethods = [
  readMethod({
    // The public description has it so; the reference node ignores the parameter.
    http: { path: '/onChainSignersByFid', when: 'signer' },
    grpc: 'getOnChainSigner',
    // A page is checked as it is in the list of signers, though one signer needs none.
    request: { fid, key: signerKey, page: httpOnly({ ...signerPage, parameters: [] }, oneSigner) },
    reply: onChainEvent('Active signer not found'),
    handle: async ({ fid, key, page }, { db }) => {
      const { signers: found } = await readSigners(db, fid, { ...page, key, onChainOnly: true })
      return found[0]?.event ?? null
    },
  }),
  readMethod({
    http: { path: '/onChainSignersByFid', failure: 'Failed to get on chain signers' },
    grpc: 'getOnChainSignersByFid',
    request: { fid, page: signerPage },
    reply: onChainEvents,
    handle: async ({ fid, page }, { db }) => {
      const { signers: found, last } = await readSigners(db, fid, { ...page, onChainOnly: true })
      const events = found.flatMap(({ event }) => event ?? [])
      return { events, nextPageToken: encodeCursor(last, pageTokens.signer) }
    },
  }),
  readMethod({
    http: { path: '/signer', failure: 'Failed to get signer' },
    grpc: 'getSigner',
    request: { fid, key: signerKey },
    reply: signer,
    handle: async ({ fid, key }, { db }) => {
      const [found] = (await readSigners(db, fid, { ...oneSigner, key })).signers
      return found ? describeSigner(fid, found) : null
    },
  }),
  readMethod({
    http: { path: '/signersByFid', failure: 'Failed to get signers by fid' },
    grpc: 'getSignersByFid',
    request: { fid, apps: requesterFids, page: signerPage },
    reply: signers,
    handle: async ({ fid, apps, page }, { db }) => {
      const [{ signers: found, last }, allowance] = await Promise.all([
        readSigners(db, fid, page),
        readKeyAllowance(db, fid, apps),
      ])
      return {
        signers: found.map((each) => describeSigner(fid, each)),
        nextPageToken: encodeCursor(last, pageTokens.signer),
        allowance,
      }
    },
  }),
  readMethod({
    http: { path: '/onChainEventsByFid', failure: 'Failed to get on chain events' },
    grpc: 'getOnChainEvents',
    request: {
      fid: fidOrZero,
      type: enumeration('event_type', 'eventType', onChainEventTypeNames),
      page: chainPage,
    },
    reply: onChainEvents,
    handle: async ({ fid, type, page }, { db }) => {
      const { events, last } = await readChainEventsByFid(db, fid, type, page)
      return { events, nextPageToken: encodeCursor(last, pageTokens.chain) }
    },
  }),
  readMethod({
    grpc: 'getIdRegistryOnChainEvent',
    request: { fid },
    reply: onChainEvent('ID registry event not found'),
    handle: ({ fid }, { db }) => readIdRegistrationByFid(db, fid),
  }),
  readMethod({
    http: { path: '/onChainIdRegistryEventByAddress', failure: 'Failed to get id registry event' },
    grpc: 'getIdRegistryOnChainEventByAddress',
    request: { address },
    reply: onChainEvent('no id-registry event for address'),
    handle: ({ address }, { db }) => readIdRegistration(db, address),
  }),
]

/** Describes a key that may sign for a user, from either source. All times are Unix seconds. */
function describeSigner(fid: number, signer: SignerRow): SignerDescription {
  return signer.event === null ? describeGaslessSigner(fid, signer) : describeOnChainSigner(signer.event)
}

function describeOnChainSigner(bytes: Buffer): SignerDescription {
  const event = OnChainEvent.decode(bytes)
  return {
    source: SignerSource.ONCHAIN,
    key: event.signerEventBody?.key ?? Buffer.alloc(0),
    keyType: event.signerEventBody?.keyType ?? 0,
    fid: event.fid,
    addedAt: event.blockTimestamp,
    scopes: [],
    onchainEvent: event,
  }
}

function describeGaslessSigner(
  fid: number,
  { key, grant, requestFid, lastUsedAt }: SignerRow,
): SignerDescription {
  const data = grant && decodeStoredMessage(grant).data
  const body = data?.keyAddBody
  const usedAt = unixSecondsFromFarcasterSeconds(lastUsedAt ?? 0)
  return {
    source: SignerSource.OFFCHAIN,
    key,
    keyType: body?.keyType ?? 0,
    fid,
    addedAt: data ? unixSecondsFromFarcasterSeconds(data.timestamp) : undefined,
    lastUsedAt: usedAt,
    ttl: body?.ttl,
    expiresAt: body && usedAt + body.ttl,
    scopes: body?.scopes ?? [],
    requestFid: requestFid ?? undefined,
    nonce: body?.nonce,
  }
}
