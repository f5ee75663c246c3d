import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { invalidField } from '../../../api/invalid-field.js'
import { OtherReply } from '../../../api/operation.js'
import {
  choiceParameter,
  ethAddressParameter,
  listParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { cacheTag } from '../../../graph/cache/cache-tags.js'
import { type Viewer, visibilityFilter } from '../../../graph/query/visibility-filter.js'
import { type Json, joined, json, jsonArray } from '../../../graph/view/json.js'
import {
  BulkFungiblesNotReady,
  BulkRelevantFungibleOwnersResponse,
  FungiblesNotReady,
  RelevantFungibleOwnersResponse,
} from '../../../graph/view/schema/fungible.js'
import { type NetworkName, networkNames } from '../../../hub/chain/networks.js'
import type { Database } from '../../../platform/db/connection.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { awaitTrackedTokens } from '../on-demand-tokens.js'
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
export const networkParameter = choiceParameter([...networkNames, 'solana'], {
  description: 'Network of the token. Tokens of `solana` are a 501.',
  examples: ['base'],
})

const contractParameter = ethAddressParameter({
  description: 'Contract address of the token.',
  examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
})

/** The network of `fungible/owner/relevant`, with the former name of the parameter. */
const networkParameters = {
  network: Type.Optional(networkParameter),
  networks: Type.Optional(
    listParameter(networkParameter, {
      maxItems: 5,
      description: 'What older clients send for `network`, which is required without it. The first counts.',
      examples: [],
    }),
  ),
}

type TokenNetwork = NetworkName | 'solana'

function networkOf(network: TokenNetwork | undefined, networks: readonly TokenNetwork[] = []): TokenNetwork {
  const found = network ?? networks[0]
  if (found === undefined) throw invalidField('network', `is required: one of ${networkNames.join(', ')}`)
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
  readonly addresses: readonly string[]
  readonly property: string
  readonly viewerFid: number | undefined
}

/** Renders the owners of each token, in the order of the request; or the 202 while they are indexed. */
async function replyWithOwners(
  context: Pick<OperationContext, 'db' | 'writerDb' | 'hydrator' | 'assets'>,
  { network, addresses, property, viewerFid }: OwnersRequest,
  caller: Caller,
): Promise<Json[] | NotReady> {
  const { hydrator } = context
  const bytes = addresses.map((address) => Buffer.from(address.slice(2), 'hex'))
  const tokens = await awaitTrackedTokens(context, { network, addresses: bytes, property })
  const unreadyTokens = tokens.filter((token) => !isBackfilled(token))
  if (unreadyTokens.length > 0) return backfillPending(unreadyTokens)
  const viewer = await viewerOf({ hydrator }, caller, viewerFid)
  const tokenIds = tokens.map(({ id }) => id)
  const owners = await ownersOf(context, tokenIds, viewer)
  const byToken = tokenIds.map((id) => owners.filter(({ tokenId }) => tokenId === id).slice(0, MAX_COUNT))
  const [fullUsers, shortUsers] = await Promise.all([
    hydrator.users(fidsOf(byToken.flatMap((list) => list.slice(0, TOP_COUNT))), viewerFid),
    hydrator.dehydratedUsers(fidsOf(owners)),
  ])
  return byToken.map((list) => {
    const top = list.slice(0, TOP_COUNT).flatMap(({ fid }) => fullUsers.get(fid) ?? [])
    const all = list.flatMap(({ fid }) => shortUsers.get(fid) ?? [])
    const owner = json`"top_relevant_fungible_owners_hydrated":${jsonArray(top)}`
    return json`{${owner},"all_relevant_fungible_owners_dehydrated":${all}}`
  })
}

/**
 * Lists users who own tokens, by token and total balance, largest first: users that the viewer follows, then the users
 * of the largest addresses.
 */
async function ownersOf(
  { hydrator: { singleFlight } }: Pick<OperationContext, 'hydrator'>,
  tokenIds: readonly number[],
  viewer: Viewer,
): Promise<Owner[]> {
  const { viewerFid, banningAppId } = viewer
  const read = async (db: Database) => {
    if (viewerFid === undefined) return await readLargestOwners(db, tokenIds, viewer)
    const [followed, largest] = await Promise.all([
      readFollowedOwners(db, tokenIds, viewer, viewerFid),
      readLargestOwners(db, tokenIds, viewer),
    ])
    const isFollowed = new Set(followed.map(({ tokenId, fid }) => `${tokenId} ${fid}`))
    return [...followed, ...largest.filter(({ tokenId, fid }) => !isFollowed.has(`${tokenId} ${fid}`))]
  }
  const key = `owners ${tokenIds.join(' ')} for ${viewerFid ?? 'all'} without bans of ${banningAppId ?? 'nobody'}`
  const ofViewer = viewerFid === undefined ? [] : [cacheTag.viewer(viewerFid)]
  const tags = banningAppId === undefined ? ofViewer : [...ofViewer, cacheTag.bans(banningAppId)]
  return await singleFlight.read(key, MAX_AGE_MS, async (db) => ({ value: await read(db), tags }))
}

function fidsOf(owners: readonly Owner[]): number[] {
  return [...new Set(owners.map(({ fid }) => fid))]
}

type NotReady = Pick<FungiblesNotReady, 'code' | 'message' | 'tokens'>

const noOwners = {
  top_relevant_fungible_owners_hydrated: [],
  all_relevant_fungible_owners_dehydrated: [],
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

export const fungibleOwnersRelevant = defineOperation({
  method: 'GET',
  usesPrimary: true,
  path: 'fungible/owner/relevant',
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

  async handle(context, { contract_address, network: name, networks, viewer_fid: viewerFid }, caller) {
    const network = networkOf(name, networks)
    const request = { network, addresses: [contract_address], property: 'contract_address', viewerFid }
    const answer = await replyWithOwners(context, request, caller)
    return Array.isArray(answer) ? answer[0]! : new OtherReply(202, { ...answer, ...noOwners })
  },
})

const MAX_TOKENS = 10

export const fungibleOwnersRelevantBulk = defineOperation({
  method: 'GET',
  usesPrimary: true,
  path: 'fungible/owner/relevant/bulk',
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

  async handle(context, { contract_addresses, network, viewer_fid: viewerFid }, caller) {
    const addresses = [...new Set(contract_addresses)]
    const request = { network, addresses, property: 'contract_addresses', viewerFid }
    const answer = await replyWithOwners(context, request, caller)
    if (!Array.isArray(answer)) {
      const lists = Object.fromEntries(addresses.map((address) => [address, noOwners]))
      return new OtherReply(202, { ...lists, ...answer })
    }
    const members = addresses.map((address, index) => json`${address}:${answer[index]!}`)
    return json`{${joined(members)}}`
  },
})

interface Owner {
  readonly tokenId: number
  readonly fid: number
}

/** Largest addresses of a token that are searched for users; most belong to exchanges and pools. */
const MAX_LARGEST_HOLDERS = 5_000

/**
 * Goes from the viewer's follows (some thousands) through their addresses to balances, so the cost does not
 * depend on the number of owners.
 *
 * The address type is not checked, since addresses of other chains are longer and have no balance here; so
 * verifications are read from their index alone.
 */
async function readFollowedOwners(db: Database, tokenIds: readonly number[], viewer: Viewer, fid: number) {
  return await db<Owner[]>`
    with followed as materialized (
      select f.target_fid as fid
      from social.follows f
      where f.fid = ${fid}::bigint and ${visibilityFilter(db, viewer, 'f.target_fid')}
    ), addresses as materialized (
      select u.fid, u.custody_address as address from followed join social.users u using (fid)
      union
      select v.fid, v.address from followed join social.verifications v using (fid)
    ), owned as (
      select t.id as token_id, a.fid, sum(b.balance) as balance
      from unnest(${[...tokenIds]}::integer[]) as t (id)
      cross join addresses a
      cross join lateral (
        select balance from tokens.balances where token_id = t.id and holder = a.address and balance > 0
        offset 0
      ) b
      group by t.id, a.fid
    ), ranked as (
      select token_id, fid, row_number() over (partition by token_id order by balance desc, fid) as place from owned
    )
    select token_id as "tokenId", fid from ranked where place <= ${MAX_COUNT} order by token_id, place
  `
}

async function readLargestOwners(db: Database, tokenIds: readonly number[], viewer: Viewer) {
  return await db<Owner[]>`
    with found as materialized (
      select t.id as token_id, o.fid
      from unnest(${[...tokenIds]}::integer[]) as t (id)
      cross join lateral (
        select u.fid, max(u.balance) as largest
        from (
          select holder, balance from tokens.balances
          where token_id = t.id and balance > 0
          order by balance desc, holder
          limit ${MAX_LARGEST_HOLDERS}
        ) b
        cross join lateral (
          select fid, b.balance from social.users where custody_address = b.holder
          union all
          select fid, b.balance from social.verifications where address = b.holder and protocol = 0
        ) u
        where ${visibilityFilter(db, viewer, 'u.fid')}
        group by u.fid
        order by largest desc, u.fid
        limit ${MAX_COUNT}
      ) o
    ), addresses as (
      select f.token_id, f.fid, u.custody_address as address from found f join social.users u using (fid)
      union
      select f.token_id, f.fid, v.address from found f join social.verifications v using (fid) where v.protocol = 0
    ), owned as (
      select a.token_id, a.fid, sum(b.balance) as balance
      from addresses a
      join tokens.balances b on b.token_id = a.token_id and b.holder = a.address and b.balance > 0
      group by a.token_id, a.fid
    )
    select token_id as "tokenId", fid from owned order by token_id, balance desc, fid
  `
}
