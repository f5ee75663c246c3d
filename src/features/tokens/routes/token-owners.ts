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

/** Shown whole, and named at all: of each token. */
const TOP_COUNT = 10
const MAX_COUNT = 200
/** So old may a list be, which is a block of most networks; what a viewer or an app changes counts at once. */
const MAX_AGE_MS = 2_000

/** Which network. */
export const networkParameter = choiceParameter(networkNames, {
  description: 'Where the token is.',
})

/** What is said of tokens whose owners are not known yet. */
const backfillPendingReply = {
  202: {
    description:
      'The owners are being found out: somebody has just asked for the token for the first time, or its past is still ' +
      'being read. Ask again later; there is never a list that is not whole.',
    reply: FungiblesNotReady,
  },
}

/** Whose owners are asked for, and for whom. */
export interface OwnersQuery {
  readonly network: NetworkName
  readonly addresses: readonly string[]
  /** The parameter that names the tokens. */
  readonly property: string
  readonly viewerFid: number | undefined
}

type OwnersContext = Pick<OperationContext, 'db' | 'writerDb' | 'hydrator'> & { readonly assets: Assets }

/** The owners of tokens as JSON, in the order that they were asked for; or that they are not known yet. */
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
    message: 'the owners are being found out: ask again later',
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
  tag: 'Fungible',
  summary: 'Who owns a token',
  description: [
    'Users by what they own in all their addresses, custody and verified ones, the largest first: the first 10 whole,',
    'and all of them, up to 200, in short. With a viewer those whom the viewer follows, without whom it blocks or',
    'mutes; without one, those behind the 5,000 largest addresses.',
  ].join(' '),
  query: Type.Object({
    contract_address: ethAddressParameter({ description: 'The token.' }),
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
  tag: 'Fungible',
  summary: 'Who owns each of some tokens',
  description:
    'A map from each address, written as it was asked for, to what `fungible/owner/relevant` says of it.',
  query: Type.Object({
    contract_addresses: listParameter(ethAddressParameter({ description: 'A token.' }), {
      maxItems: MAX_TOKENS,
      description: 'The tokens.',
    }),
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
