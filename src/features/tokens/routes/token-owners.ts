import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { OtherReply } from '../../../api/operation.js'
import {
  choiceParameter,
  ethAddressParameter,
  listParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { cacheTag } from '../../../graph/cache/cache-tags.js'
import type { Viewer } from '../../../graph/query/visibility-filter.js'
import { jsonArray } from '../../../graph/view/json.js'
import {
  BulkRelevantFungibleOwnersResponse,
  FungiblesNotReady,
  RelevantFungibleOwnersResponse,
} from '../../../graph/view/schema/fungible.js'
import { type NetworkName, networkNames } from '../../../hub/chain/networks.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { type Assets, ensureTrackedTokens } from '../on-demand-tokens.js'
import { type Owner, readOwners } from '../owners.js'
import { checksummedAddress } from '../present-token.js'
import { backfillProgress, isBackfilled, type Token } from '../token.js'

/** Users shown in full, and users shown at all, for each token. */
const TOP_COUNT = 10
const MAX_COUNT = 200
/**
 * Maximum age of a cached list: one block of most networks. Changes of the viewer or the app count at once.
 */
const MAX_AGE_MS = 2_000

/** The network of a token. */
export const networkParameter = choiceParameter(networkNames, {
  description: 'Network of the token.',
  examples: ['base'],
})

/** The 202 for tokens whose owners are not indexed completely. */
const backfillPendingReply = {
  202: {
    description:
      'The owners of a token are not indexed completely yet: it was requested for the first time, or its history is ' +
      'being read. Try again later; a list is never incomplete.',
    reply: FungiblesNotReady,
  },
}

/** A query for owners of tokens. */
export interface OwnersQuery {
  readonly network: NetworkName
  readonly addresses: readonly string[]
  /** The parameter to name in errors. */
  readonly property: string
  readonly viewerFid: number | undefined
}

type OwnersContext = Pick<OperationContext, 'db' | 'writerDb' | 'hydrator'> & { readonly assets: Assets }

/** Renders the owners of each token, in the order of the request; or the 202 while they are indexed. */
async function replyWithOwners(
  context: OwnersContext,
  { network, addresses, property, viewerFid }: OwnersQuery,
  caller: Caller,
): Promise<string[] | OtherReply> {
  const { db, hydrator } = context
  const bytes = addresses.map((address) => Buffer.from(address.slice(2), 'hex'))
  const tokens = await ensureTrackedTokens(context, { network, addresses: bytes, property })
  const unreadyTokens = tokens.filter((token) => !isBackfilled(token))
  if (unreadyTokens.length > 0) return new OtherReply(202, backfillPending(unreadyTokens))
  const viewer = await viewerOf({ db, hydrator }, caller, viewerFid)
  const owners = await ownersOf(
    context,
    tokens.map(({ id }) => id),
    viewer,
  )
  const byToken = tokens.map(({ id }) => owners.filter(({ tokenId }) => tokenId === id))
  const [fullUsers, shortUsers] = await Promise.all([
    hydrator.users(fidsOf(byToken.flatMap((list) => list.slice(0, TOP_COUNT))), viewerFid),
    hydrator.dehydratedUsers(fidsOf(owners)),
  ])
  return byToken.map((list) => {
    const top = list.slice(0, TOP_COUNT).flatMap(({ fid }) => fullUsers.get(fid) ?? [])
    const all = list.flatMap(({ fid }) => shortUsers.get(fid) ?? []).map((user) => JSON.stringify(user))
    return [
      `{"top_relevant_fungible_owners_hydrated":${jsonArray(top)}`,
      `"all_relevant_fungible_owners_dehydrated":${jsonArray(all)}}`,
    ].join(',')
  })
}

async function ownersOf(
  { db, hydrator: { singleFlight } }: Pick<OperationContext, 'db' | 'hydrator'>,
  tokenIds: readonly number[],
  viewer: Viewer,
): Promise<Owner[]> {
  const read = () => readOwners(db, { tokenIds, viewer, limit: MAX_COUNT })
  const { viewerFid, banningAppId } = viewer
  if (singleFlight === null) return await read()
  const key = `owners ${tokenIds.join(' ')} for ${viewerFid ?? 'all'} without bans of ${banningAppId ?? 'nobody'}`
  const ofViewer = viewerFid === undefined ? [] : [cacheTag.viewer(viewerFid)]
  const tags = banningAppId === undefined ? ofViewer : [...ofViewer, cacheTag.bans(banningAppId)]
  return await singleFlight.read(key, MAX_AGE_MS, async () => ({ value: await read(), tags }))
}

function fidsOf(owners: readonly Owner[]): number[] {
  return [...new Set(owners.map(({ fid }) => fid))]
}

function backfillPending(tokens: readonly Token[]): FungiblesNotReady {
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

/** `GET fungible/owner/relevant` */
export const fungibleOwnersRelevant = defineOperation({
  method: 'GET',
  path: 'fungible/owner/relevant',
  tag: 'Onchain',
  summary: 'Fetch relevant owners of a fungible',
  description:
    'Users ordered by the sum of the token over their custody and verified addresses, largest first: the ' +
    'first 10 as full users, and up to 200 as dehydrated ones. With `viewer_fid`, only users whom the ' +
    'viewer follows. Without it, users behind the 5,000 largest addresses.',
  query: Type.Object({
    contract_address: ethAddressParameter({
      description: 'Contract address of the token.',
      examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
    }),
    network: networkParameter,
    viewer_fid: viewerFidParameter,
  }),
  reply: RelevantFungibleOwnersResponse,
  otherReplies: backfillPendingReply,

  async handle(context, { contract_address, network, viewer_fid: viewerFid }, caller) {
    const ownersQuestion = { network, addresses: [contract_address], property: 'contract_address', viewerFid }
    const answer = await replyWithOwners(context, ownersQuestion, caller)
    return Array.isArray(answer) ? answer[0]! : answer
  },
})

const MAX_TOKENS = 10

/** `GET fungible/owner/relevant/bulk` */
export const fungibleOwnersRelevantBulk = defineOperation({
  method: 'GET',
  path: 'fungible/owner/relevant/bulk',
  tag: 'Onchain',
  summary: 'Bulk fetch relevant owners of fungibles',
  description:
    'Maps each address, spelled as in the request, to the reply of `fungible/owner/relevant` for it.',
  query: Type.Object({
    contract_addresses: listParameter(
      ethAddressParameter({
        description: 'Contract address of a token.',
        examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
      }),
      {
        maxItems: MAX_TOKENS,
        description: 'Contract addresses of tokens.',
      },
    ),
    network: networkParameter,
    viewer_fid: viewerFidParameter,
  }),
  reply: BulkRelevantFungibleOwnersResponse,
  otherReplies: backfillPendingReply,

  async handle(context, { contract_addresses, network, viewer_fid: viewerFid }, caller) {
    const addresses = [...new Set(contract_addresses)]
    const ownersQuestion = { network, addresses, property: 'contract_addresses', viewerFid }
    const answer = await replyWithOwners(context, ownersQuestion, caller)
    if (!Array.isArray(answer)) return answer
    const members = addresses.map((address, index) => `${JSON.stringify(address)}:${answer[index]}`)
    return `{${members.join(',')}}`
  },
})
