import { PlazaError } from '../../../platform/errors.js'
import { MAX_PAGE_SIZE, pageTokens } from '../../page-token.js'
import { readChainEventsByFid, readIdRegistration } from '../../query/onchain-events.js'
import { readKeyAllowance, readSigners, type SignerRow } from '../../query/signers.js'
import { describeSigner, MAX_GRANTED_KEYS } from '../../signer.js'
import { onChainEventTypeNames } from '../json/enum-names.js'
import { storedOnChainEventJson } from '../json/onchain-event.js'
import { signerJson } from '../json/signer.js'
import type { GetOperation, HubApi } from './hub-api.js'
import { decodePageToken, nextPageToken } from './page-tokens.js'
import { type Parameters, parseFid, refusal, required } from './parameters.js'

export const chainOperations: readonly GetOperation[] = [
  { path: '/onChainSignersByFid', failure: 'Failed to get on chain signers', answer: getOnChainSigners },
  { path: '/onChainEventsByFid', failure: 'Failed to get on chain events', answer: listEvents },
  {
    path: '/onChainIdRegistryEventByAddress',
    failure: 'Failed to get id registry event',
    answer: getIdRegistration,
  },
  { path: '/signersByFid', failure: 'Failed to get signers by fid', answer: listSigners },
  { path: '/signer', failure: 'Failed to get signer', answer: getSigner },
]

/** Apps that nonces are asked for at once. */
const MAX_APPS = 1_000

/** One event when a key is asked for, as the public description has it; the reference node ignores it. */
async function getOnChainSigners(parameters: Parameters, { db }: HubApi): Promise<object> {
  const fid = parameters.fid('fid')
  const key = parameters.optionalBytes('signer') ?? undefined
  const page = await readSigners(db, fid, { ...signerPageOptions(parameters), key, onChainOnly: true })
  const events = page.signers.flatMap(({ event }) => (event ? [storedOnChainEventJson(event)] : []))
  if (key === undefined) return { events, nextPageToken: nextPageToken(page.last, pageTokens.signer) }
  return events[0] ?? notFound('Active signer not found')
}

async function listSigners(parameters: Parameters, { db }: HubApi): Promise<object> {
  const fid = parameters.fid('fid')
  const apps = requesterFidsOf(parameters)
  const [page, allowance] = await Promise.all([
    readSigners(db, fid, signerPageOptions(parameters)),
    readKeyAllowance(db, fid, apps),
  ])
  return {
    signers: page.signers.map((signer) => signerJson(describeSigner(fid, signer))),
    nextPageToken: nextPageToken(page.last, pageTokens.signer),
    gaslessSignerCount: allowance.keys,
    gaslessSignerLimit: MAX_GRANTED_KEYS,
    currentUserNonce: allowance.userNonce,
    requesterFidNonces: apps.length > 0 ? Object.fromEntries(allowance.appNonces) : undefined,
  }
}

async function getSigner(parameters: Parameters, { db }: HubApi): Promise<object> {
  const fid = parameters.fid('fid')
  const key = parameters.optionalBytes('signer') ?? required('signer')
  const { signers } = await readSigners(db, fid, { limit: 1, reverse: false, after: null, key })
  const signer: SignerRow = signers[0] ?? notFound('Signer not found')
  return { signer: signerJson(describeSigner(fid, signer)) }
}

function signerPageOptions(parameters: Parameters) {
  return {
    limit: parameters.pageSize(),
    reverse: parameters.reverse,
    after: decodePageToken(parameters, pageTokens.signer),
  }
}

function requesterFidsOf(parameters: Parameters): number[] {
  const given = parameters.list('requester_fids', 'requesterFids', 'requester_fids[]', 'requesterFids[]')
  if (!given) return []
  if (given.values.length > MAX_APPS) throw refusal(given.name, `holds more than ${MAX_APPS}`)
  return given.values.map((value) => parseFid(given.name, value))
}

/** Unpaged in the reference node: without a page size, everything up to the largest page. */
async function listEvents(parameters: Parameters, { db }: HubApi): Promise<object> {
  const fid = parameters.fid('fid')
  const type = parameters.enumValue('event_type', onChainEventTypeNames)
  const page = await readChainEventsByFid(db, fid, type, {
    limit: parameters.pageSize(MAX_PAGE_SIZE),
    reverse: parameters.reverse,
    after: decodePageToken(parameters, pageTokens.chain),
  })
  return {
    events: page.events.map(storedOnChainEventJson),
    nextPageToken: nextPageToken(page.last, pageTokens.chain),
  }
}

async function getIdRegistration(parameters: Parameters, { db }: HubApi): Promise<object> {
  const event = await readIdRegistration(db, parameters.address('address'))
  return storedOnChainEventJson(event ?? notFound('no id-registry event for address'))
}

function notFound(message: string): never {
  throw new PlazaError('not_found', message)
}
