import { inSlices } from '../../platform/process/turns.js'
import { hexOf } from '../../protocol/bytes.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import { OnChainEvent } from '../../protocol/definitions.js'
import { MAX_KEYS_PER_FID } from '../../protocol/key-rules.js'
import {
  Signer,
  SignerResponse,
  SignerSource,
  SignersByFidResponse,
} from '../../protocol/proto/generated/request_response.js'
import { unixSecondsFromFarcasterSeconds } from '../../protocol/time.js'
import { MAX_PAGE_SIZE, pageTokens } from '../page-token.js'
import { listReply } from '../protobuf.js'
import { readChainEventsByFid, readIdRegistration, readIdRegistrationByFid } from '../query/onchain-events.js'
import type { PageOptions } from '../query/page.js'
import {
  type KeyAllowance,
  readKeyAllowance,
  readSigners,
  type SignerCursor,
  type SignerPage,
  type SignerRow,
} from '../query/signers.js'
import {
  address,
  enumeration,
  fid,
  fidOrZero,
  httpOnly,
  requesterFids,
  signerKey,
  sizedPage,
} from './fields.js'
import { type Reply, readMethod } from './hub-method.js'
import { messageTypeNames, nameOf, onChainEventTypeNames } from './json/enum-names.js'
import { onChainEventJson } from './json/onchain-event.js'
import { requireFound } from './refusals.js'
import { base64Token, encodeCursor, jsonPage, onChainEvent, onChainEvents } from './replies.js'

const signerPage = sizedPage(pageTokens.signer)
/** The reference node does not page these events over HTTP: without a page size the page is the largest. */
const chainPage = sizedPage(pageTokens.chain, { defaultSize: MAX_PAGE_SIZE })
const oneSigner: PageOptions<SignerCursor> = { limit: 1, reverse: false, after: null }

/** Signers that are encoded in one turn of the event loop: 0.5 to 1 ms. */
const SLICE_SIGNERS = 50

const signer: Reply<Signer | null> = {
  json: (found) => ({ signer: signerJson(requireFound(found, 'Signer not found')) }),
  protobuf: (found) => SignerResponse.encode({ signer: requireFound(found, 'Signer not found') }).finish(),
}

interface SignerList {
  readonly fid: number
  readonly page: SignerPage
  readonly allowance: KeyAllowance
}

const signers: Reply<SignerList> = {
  json: async ({ fid, page: { signers: found, last }, allowance: { keys, userNonce, appNonces } }) => {
    const json = (row: SignerRow) => JSON.stringify(signerJson(describeSigner(fid, row)))
    const slices = await inSlices(found, SLICE_SIGNERS, (rows) => Buffer.from(rows.map(json).join(',')))
    return jsonPage('signers', slices, {
      nextPageToken: base64Token(encodeCursor(last, pageTokens.signer)),
      gaslessSignerCount: keys,
      gaslessSignerLimit: MAX_KEYS_PER_FID,
      currentUserNonce: userNonce,
      requesterFidNonces: appNonces.size > 0 ? Object.fromEntries(appNonces) : undefined,
    })
  },
  protobuf: async ({ fid, page: { signers: found, last }, allowance: { keys, userNonce, appNonces } }) => {
    const encode = (row: SignerRow) => Signer.encode(describeSigner(fid, row)).finish()
    const encoded = await inSlices(found, SLICE_SIGNERS, (rows) => rows.map(encode))
    const counters = SignersByFidResponse.encode({
      signers: [],
      gaslessSignerCount: keys,
      gaslessSignerLimit: MAX_KEYS_PER_FID,
      currentUserNonce: userNonce,
      requesterFidNonces: Object.fromEntries(appNonces),
    }).finish()
    return Buffer.concat([listReply(encoded.flat(), encodeCursor(last, pageTokens.signer)), counters])
  },
}

/** A key that may sign for a user, from the chain or from a message. All times are Unix seconds. */
function signerJson(found: Signer): object {
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
      const [found, allowance] = await Promise.all([
        readSigners(db, fid, page),
        readKeyAllowance(db, fid, apps),
      ])
      return { fid, page: found, allowance }
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
function describeSigner(fid: number, row: SignerRow): Signer {
  return row.event === null ? describeGaslessSigner(fid, row) : describeOnChainSigner(row.event)
}

function describeOnChainSigner(bytes: Buffer): Signer {
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

function describeGaslessSigner(fid: number, { key, grant, requestFid, lastUsedAt }: SignerRow): Signer {
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
