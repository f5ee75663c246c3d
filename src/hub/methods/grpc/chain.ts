import { SignerResponse, SignersByFidResponse } from '@farcaster/core'
import { PlazaError } from '../../../platform/errors.js'
import { asBuffer } from '../../../protocol/bytes.js'
import { pageTokens } from '../../page-token.js'
import {
  readChainEventsByFid,
  readIdRegistration,
  readIdRegistrationByFid,
} from '../../query/onchain-events.js'
import { readKeyAllowance, readSigners, type SignerPage } from '../../query/signers.js'
import { describeSigner, MAX_GRANTED_KEYS } from '../../signer.js'
import { onChainEventTypeNames } from '../json/enum-names.js'
import type { HubGrpcApi, RequestOf, UnaryMethod } from './grpc-api.js'
import { method } from './method.js'
import { listReply, pageTokenOf, requireFound } from './replies.js'
import { addressOf, enumValueOf, fidOf, pageOf, refusal } from './request-fields.js'

/** Apps that nonces are asked for at once. */
const MAX_APPS = 1_000

/** What happened on the chains, and the keys that came of it. */
export const chainMethods: readonly UnaryMethod[] = [
  method('getOnChainEvents', async (request, { db }) => {
    const type = enumValueOf(request.eventType, onChainEventTypeNames, 'event_type')
    const page = await readChainEventsByFid(db, fidOf(request.fid), type, pageOf(request, pageTokens.chain))
    return listReply(page.events, pageTokenOf(page.last, pageTokens.chain))
  }),
  method('getIdRegistryOnChainEvent', async ({ fid }, { db }) =>
    requireFound(await readIdRegistrationByFid(db, fidOf(fid)), 'ID registry event not found'),
  ),
  method('getIdRegistryOnChainEventByAddress', async ({ address }, { db }) =>
    requireFound(await readIdRegistration(db, addressOf(address)), 'no id-registry event for address'),
  ),
  method('getOnChainSigner', async (request, { db }) => {
    const { signers } = await keyOf(request, db, true)
    return requireFound(signers[0]?.event ?? null, 'Active signer not found')
  }),
  method('getOnChainSignersByFid', async (request, { db }) => {
    const page = await readSigners(db, fidOf(request.fid), {
      ...pageOf(request, pageTokens.signer),
      onChainOnly: true,
    })
    const events = page.signers.flatMap(({ event }) => event ?? [])
    return listReply(events, pageTokenOf(page.last, pageTokens.signer))
  }),
  method('getSigner', async (request, { db }) => {
    const [signer] = (await keyOf(request, db, false)).signers
    if (!signer) throw new PlazaError('not_found', 'Signer not found')
    return SignerResponse.encode({ signer: describeSigner(request.fid, signer) }).finish()
  }),
  method('getSignersByFid', listSigners),
]

function keyOf(
  { fid, signer }: RequestOf<'getSigner'>,
  db: HubGrpcApi['db'],
  onChainOnly: boolean,
): Promise<SignerPage> {
  if (signer.length === 0) throw refusal('signer', 'is required')
  return readSigners(db, fidOf(fid), {
    limit: 1,
    reverse: false,
    after: null,
    key: asBuffer(signer),
    onChainOnly,
  })
}

async function listSigners(request: RequestOf<'getSignersByFid'>, { db }: HubGrpcApi): Promise<Uint8Array> {
  const fid = fidOf(request.fid)
  const { requesterFids } = request
  if (requesterFids.length > MAX_APPS) throw refusal('requester_fids', `holds more than ${MAX_APPS}`)
  const [page, allowance] = await Promise.all([
    readSigners(db, fid, pageOf(request, pageTokens.signer)),
    readKeyAllowance(db, fid, requesterFids),
  ])
  return SignersByFidResponse.encode({
    signers: page.signers.map((signer) => describeSigner(fid, signer)),
    nextPageToken: pageTokenOf(page.last, pageTokens.signer),
    gaslessSignerCount: allowance.keys,
    gaslessSignerLimit: MAX_GRANTED_KEYS,
    currentUserNonce: allowance.userNonce,
    requesterFidNonces: Object.fromEntries(allowance.appNonces),
  }).finish()
}
