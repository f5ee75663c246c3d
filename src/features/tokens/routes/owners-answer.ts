import type { Caller } from '../../../api/caller.js'
import { onlookerOf } from '../../../api/onlooker.js'
import { OtherReply } from '../../../api/operation.js'
import { choiceParameter } from '../../../api/parameters.js'
import { bansTag } from '../../../graph/cache/banned.js'
import { viewerTag } from '../../../graph/cache/ready-viewers.js'
import type { Onlooker } from '../../../graph/query/casts-shown-to.js'
import { jsonArray } from '../../../graph/view/json.js'
import { FungiblesNotReady } from '../../../graph/view/schema/fungible.js'
import type { NetworkName } from '../../../hub/chain/networks.js'
import type { OperationContext } from '../../operation.js'
import { type Assets, tokensWithOwners } from '../asked-tokens.js'
import { type Owner, readOwners } from '../owners.js'
import { spelledAddress } from '../present-token.js'
import { isReady, progressOf, type Token } from '../token.js'

/** Shown whole, and named at all: of each token. */
const TOP = 10
const ALL = 200
/** So old may a list be, which is a block of most networks; what a viewer or an app changes counts at once. */
const MAX_AGE_MS = 2_000

/** Which network. */
export const networkParameter = choiceParameter(['ethereum', 'optimism', 'base', 'arbitrum'], {
  description: 'Where the token is.',
})

/** What is said of tokens whose owners are not known yet. */
export const notReadyReply = {
  202: {
    description:
      'The owners are being found out: somebody has just asked for the token for the first time, or its past is still ' +
      'being read. Ask again later; there is never a list that is not whole.',
    reply: FungiblesNotReady,
  },
}

/** Whose owners are asked for, and for whom. */
export interface OwnersQuestion {
  readonly network: NetworkName
  readonly addresses: readonly string[]
  /** The parameter that names the tokens. */
  readonly property: string
  readonly viewerFid: number | undefined
}

type Parts = Pick<OperationContext, 'db' | 'writerDb' | 'hydrator'> & { readonly assets: Assets }

/** The owners of tokens as JSON, in the order that they were asked for; or that they are not known yet. */
export async function answerOwners(
  context: Parts,
  { network, addresses, property, viewerFid }: OwnersQuestion,
  caller: Caller,
): Promise<string[] | OtherReply> {
  const { db, hydrator } = context
  const bytes = addresses.map((address) => Buffer.from(address.slice(2), 'hex'))
  const tokens = await tokensWithOwners(context, { network, addresses: bytes, property })
  const waiting = tokens.filter((token) => !isReady(token))
  if (waiting.length > 0) return new OtherReply(202, notReady(waiting))
  const onlooker = await onlookerOf({ db, hydrator }, caller, viewerFid)
  const owners = await ownersOf(
    context,
    tokens.map(({ id }) => id),
    onlooker,
  )
  const byToken = tokens.map(({ id }) => owners.filter(({ tokenId }) => tokenId === id))
  const [whole, short] = await Promise.all([
    hydrator.users(fidsOf(byToken.flatMap((list) => list.slice(0, TOP))), viewerFid),
    hydrator.dehydratedUsers(fidsOf(owners)),
  ])
  return byToken.map((list) => {
    const top = list.slice(0, TOP).flatMap(({ fid }) => whole.get(fid) ?? [])
    const all = list.flatMap(({ fid }) => short.get(fid) ?? []).map((user) => JSON.stringify(user))
    return [
      `{"top_relevant_fungible_owners_hydrated":${jsonArray(top)}`,
      `"all_relevant_fungible_owners_dehydrated":${jsonArray(all)}}`,
    ].join(',')
  })
}

async function ownersOf(
  { db, hydrator: { shared } }: Pick<OperationContext, 'db' | 'hydrator'>,
  tokenIds: readonly number[],
  onlooker: Onlooker,
): Promise<Owner[]> {
  const read = () => readOwners(db, { tokenIds, onlooker, limit: ALL })
  const { viewerFid, banningAppId } = onlooker
  if (shared === null) return await read()
  const key = `owners ${tokenIds.join(' ')} for ${viewerFid ?? 'all'} without bans of ${banningAppId ?? 'nobody'}`
  const ofViewer = viewerFid === undefined ? [] : [viewerTag(viewerFid)]
  const tags = banningAppId === undefined ? ofViewer : [...ofViewer, bansTag(banningAppId)]
  return await shared.read(key, MAX_AGE_MS, async () => ({ value: await read(), tags }))
}

function fidsOf(owners: readonly Owner[]): number[] {
  return [...new Set(owners.map(({ fid }) => fid))]
}

function notReady(tokens: readonly Token[]): FungiblesNotReady {
  return {
    code: 'NotReady',
    message: 'the owners are being found out: ask again later',
    tokens: tokens.map((token) => ({
      address: spelledAddress(token.address),
      network: token.network,
      progress: progressOf(token),
    })),
  }
}
