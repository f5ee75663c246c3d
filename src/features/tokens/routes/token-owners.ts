import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { invalidField } from '../../../api/invalid-field.js'
import { OtherReply } from '../../../api/operation.js'
import {
  chainAddressParameter,
  choiceParameter,
  listLength,
  listParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { visibilityTags } from '../../../graph/cache/cache-tags.js'
import { type Viewer, viewerKey } from '../../../graph/query/visibility-filter.js'
import { Json, joined, json, jsonArray } from '../../../graph/view/json.js'
import { type ChainName, chainNames } from '../../../hub/chain/chains.js'
import type { Database } from '../../../platform/db/connection.js'
import { type WorkPrice, workPrices } from '../../../platform/limits/work-prices.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { awaitTrackedTokens, ensureTrackedTokens, rpcOf } from '../on-demand-tokens.js'
import { MAX_OWNERS, type Owner, readOwners } from '../owners.js'
import { checksummedAddress } from '../present-token.js'
import {
  BulkFungiblesNotReady,
  BulkRelevantFungibleOwnersResponse,
  FungiblesNotReady,
  RelevantFungibleOwnersResponse,
} from '../schema/fungible.js'
import { backfillProgress, isBackfilled, type Token } from '../token.js'

/** Users shown in full, for each token. */
const TOP_COUNT = 10
/**
 * Maximum age of a cached list: one block of most networks. Changes of the viewer or the app count at once.
 */
const MAX_AGE_MS = 2_000

/** The network of a token. */
export const networkParameter = choiceParameter([...chainNames, 'solana'], {
  description: 'Network of the token. Tokens of `solana` are a 501.',
  examples: ['base'],
})

/** The contract of a token. Addresses of Solana pass, so that `network=solana` gets its 501. */
const contractParameter = chainAddressParameter({
  description: 'Contract address of the token.',
  examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
})

/** The network of `fungible/owner/relevant`, with the former name of the parameter. */
const networkParameters = {
  network: Type.Optional(networkParameter),
  networks: Type.Optional(
    listParameter(networkParameter, {
      maxItems: 5,
      description: 'What older clients send for `network`: one network. Ignored beside `network`.',
      examples: [],
    }),
  ),
}

type TokenNetwork = ChainName | 'solana'

function networkOf(network: TokenNetwork | undefined, networks: readonly TokenNetwork[] = []): TokenNetwork {
  if (network === undefined && networks.length > 1)
    throw invalidField('networks', 'must be one network: owners are listed for one at a time')
  const found = network ?? networks[0]
  if (found === undefined) throw invalidField('network', `is required: one of ${chainNames.join(', ')}`)
  return found
}

/** The 202 for tokens whose owners are not indexed completely. */
const backfillPendingReply = (reply: typeof FungiblesNotReady | typeof BulkFungiblesNotReady) => ({
  202: {
    description:
      'The owners of a token are not indexed completely yet: it was requested for the first time, or its history is ' +
      'being read, which the request has waited for some seconds. Try again later; a list is never incomplete.',
    reply,
  },
})

interface OwnersRequest {
  readonly network: TokenNetwork
  /** The parameter that names the network. */
  readonly networkProperty: 'network' | 'networks'
  readonly addresses: readonly string[]
  readonly property: string
  readonly viewerFid: number | undefined
}

type OwnersContext = Pick<OperationContext, 'db' | 'writerDb' | 'hydrator' | 'tokenTracking'>

/** The tokens of a request. @throws PlazaError For a network that is not followed, and an address of Solana. */
function tokensOf({ tokenTracking }: OwnersContext, request: OwnersRequest) {
  const { network, networkProperty, addresses, property } = request
  rpcOf(tokenTracking, network, networkProperty)
  return {
    network,
    addresses: addresses.map((address) => contractBytes(address, { network, property })),
    property,
  }
}

/** Waits until the owners of tokens are indexed, before the request takes a place among the heavy ones. */
async function awaitTokens(context: OwnersContext, request: OwnersRequest): Promise<void> {
  await awaitTrackedTokens(context, tokensOf(context, request))
}

/** Renders the owners of each token, in the order of the request; or the 202 while they are indexed. */
async function replyWithOwners(
  context: OwnersContext,
  request: OwnersRequest,
  caller: Caller,
): Promise<Json[] | NotReady> {
  const { hydrator } = context
  const { viewerFid } = request
  const tokens = await ensureTrackedTokens(context, tokensOf(context, request))
  const unreadyTokens = tokens.filter((token) => !isBackfilled(token))
  if (unreadyTokens.length > 0) return backfillPending(unreadyTokens)
  const viewer = await viewerOf({ hydrator }, caller, viewerFid)
  const tokenIds = tokens.map(({ id }) => id)
  const owners = await ownersOf(context, tokenIds, viewer)
  const byToken = tokenIds.map((id) => owners.filter(({ tokenId }) => tokenId === id).slice(0, MAX_OWNERS))
  const [fullUsers, dehydratedUsers] = await Promise.all([
    hydrator.users(fidsOf(byToken.flatMap((list) => list.slice(0, TOP_COUNT))), viewerFid),
    hydrator.dehydratedUsers(fidsOf(owners)),
  ])
  return byToken.map((list) => {
    const top = list.slice(0, TOP_COUNT).flatMap(({ fid }) => fullUsers.get(fid) ?? [])
    const all = list.flatMap(({ fid }) => dehydratedUsers.get(fid) ?? [])
    return ownersJson(jsonArray(top), Json.of(all))
  })
}

/** Renders lists of owners, also by the names that clients of before June 2025 read. */
function ownersJson(top: Json, all: Json): Json {
  const lists = json`"top_relevant_fungible_owners_hydrated":${top},"all_relevant_fungible_owners_dehydrated":${all}`
  return json`{${lists},"top_relevant_owners_hydrated":${top},"all_relevant_owners_dehydrated":${all}}`
}

/** Returns the bytes of a contract's address. @throws PlazaError For an address of Solana. */
function contractBytes(
  address: string,
  { network, property }: Pick<OwnersRequest, 'network' | 'property'>,
): Buffer {
  if (address.startsWith('0x')) return bytesOfHex(address)
  throw invalidField(property, `must be an Ethereum address on ${network}: 0x and 40 hex digits`)
}

/** The owners of tokens as `readOwners` lists them, cached for a block. */
async function ownersOf(
  { hydrator: { singleFlight } }: Pick<OperationContext, 'hydrator'>,
  tokenIds: readonly number[],
  viewer: Viewer,
): Promise<Owner[]> {
  const key = `owners ${tokenIds.join(' ')} for ${viewerKey(viewer)}`
  const tags = visibilityTags(viewer)
  const read = async (db: Database) => ({ value: await readOwners(db, tokenIds, viewer), tags })
  return await singleFlight.read(key, MAX_AGE_MS, read)
}

function fidsOf(owners: readonly Owner[]): number[] {
  return [...new Set(owners.map(({ fid }) => fid))]
}

type NotReady = Pick<FungiblesNotReady, 'code' | 'message' | 'tokens'>

const noOwners = {
  top_relevant_fungible_owners_hydrated: [],
  all_relevant_fungible_owners_dehydrated: [],
  top_relevant_owners_hydrated: [],
  all_relevant_owners_dehydrated: [],
}

function backfillPending(tokens: readonly Token[]): NotReady {
  return {
    code: 'NotReady',
    message: 'the owners of the token are not indexed completely yet: try again later',
    tokens: tokens.map((token) => ({
      address: checksummedAddress(token.address),
      network: token.network,
      progress: backfillProgress(token),
    })),
  }
}

/** Returns the price of the owners of so many tokens: one of 20,000 holders takes PostgreSQL up to 100 ms with a viewer. */
function priceOfOwners(tokens: number): WorkPrice {
  return { ...workPrices.search, msPerRequest: workPrices.search.msPerRequest * tokens }
}

interface OwnersQuery {
  readonly contract_address: string
  readonly network?: TokenNetwork
  readonly networks?: readonly TokenNetwork[]
  readonly viewer_fid?: number
}

function ownersRequest(query: OwnersQuery): OwnersRequest {
  return {
    network: networkOf(query.network, query.networks),
    networkProperty: query.network === undefined ? 'networks' : 'network',
    addresses: [query.contract_address],
    property: 'contract_address',
    viewerFid: query.viewer_fid,
  }
}

export const fungibleOwnersRelevant = defineOperation({
  method: 'GET',
  usesPrimary: true,
  path: 'fungible/owner/relevant',
  price: () => priceOfOwners(1),
  tag: 'Onchain',
  summary: 'Fetch relevant owners of a fungible',
  description:
    'Users behind the 5,000 largest addresses, ordered by the sum of the token over their custody and verified ' +
    'addresses, largest first: the first 10 as full users, and up to 200 as dehydrated ones. With `viewer_fid`, ' +
    'owners whom the viewer follows come first.',
  query: Type.Object({
    contract_address: contractParameter,
    ...networkParameters,
    viewer_fid: viewerFidParameter,
  }),
  reply: RelevantFungibleOwnersResponse,
  otherReplies: backfillPendingReply(FungiblesNotReady),

  prepare: (context, query) => awaitTokens(context, ownersRequest(query)),

  async handle(context, query, caller) {
    const answer = await replyWithOwners(context, ownersRequest(query), caller)
    return Array.isArray(answer) ? answer[0]! : new OtherReply(202, { ...answer, ...noOwners })
  },
})

const MAX_TOKENS = 10

interface BulkOwnersQuery {
  readonly contract_addresses: readonly string[]
  readonly network: TokenNetwork
  readonly viewer_fid?: number
}

function bulkOwnersRequest(query: BulkOwnersQuery): OwnersRequest {
  return {
    network: query.network,
    networkProperty: 'network',
    addresses: [...new Set(query.contract_addresses)],
    property: 'contract_addresses',
    viewerFid: query.viewer_fid,
  }
}

export const fungibleOwnersRelevantBulk = defineOperation({
  method: 'GET',
  usesPrimary: true,
  path: 'fungible/owner/relevant/bulk',
  price: ({ contract_addresses }) => priceOfOwners(listLength(contract_addresses)),
  tag: 'Onchain',
  summary: 'Bulk fetch relevant owners of fungibles',
  description:
    'Maps each address, spelled as in the request, to the reply of `fungible/owner/relevant` for it.',
  query: Type.Object({
    contract_addresses: listParameter(contractParameter, {
      maxItems: MAX_TOKENS,
      description: 'Contract addresses of tokens.',
    }),
    network: networkParameter,
    viewer_fid: viewerFidParameter,
  }),
  reply: BulkRelevantFungibleOwnersResponse,
  otherReplies: backfillPendingReply(BulkFungiblesNotReady),

  prepare: (context, query) => awaitTokens(context, bulkOwnersRequest(query)),

  async handle(context, query, caller) {
    const request = bulkOwnersRequest(query)
    const { addresses } = request
    const answer = await replyWithOwners(context, request, caller)
    if (!Array.isArray(answer)) {
      const note = { ...answer, ...noOwners }
      return new OtherReply(202, Object.fromEntries(addresses.map((address) => [address, note])))
    }
    const members = addresses.map((address, index) => json`${address}:${answer[index]!}`)
    return json`{${joined(members)}}`
  },
})
