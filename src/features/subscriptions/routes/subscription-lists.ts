import { Type } from '@sinclair/typebox'
import { listJson } from '../../../api/list-json.js'
import { choiceParameter, fidParameter, viewerFidParameter } from '../../../api/parameters.js'
import { hiddenFidsFor, viewerOf } from '../../../api/viewer.js'
import { findAddressHolders } from '../../../graph/query/users.js'
import { Json, json } from '../../../graph/view/json.js'
import { PlazaError } from '../../../platform/errors.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { readArtUrl } from '../contract-art.js'
import { firstActive, type ListedContract, readFollowedContracts } from '../followed-contracts.js'
import { dateTime, PROVIDER, presentContract, presentTier } from '../present-subscription.js'
import { SubscribedToResponse, SubscribersResponse, SubscriptionsResponse } from '../schema/subscription.js'
import { readSubscribers, readSubscriptionsOf } from '../subscribers.js'

/** Longest list; the operations have no pages. */
const MAX_LISTED = 500
/** Subscriptions that are looked at for a list, latest first: most may have expired. */
const MAX_READ = 2_000

const fidOfUser = fidParameter({ minimum: 0, description: 'Fid of the user.' })
const providerParameter = choiceParameter(['fabric_stp'], {
  description: 'Protocol of the subscriptions.',
})
const source =
  'Contracts of the Subscription Token Protocol, versions 1 and 2, that the operator has configured. Subscriptions are ' +
  'read from the chain; expired ones are left out.'

/** `GET user/subscribed_to` */
export const userSubscribedTo = defineOperation({
  method: 'GET',
  path: 'user/subscribed_to',
  tag: 'Onchain',
  summary: 'Subscribed to',
  description:
    `Active subscriptions of the user’s custody and verified addresses, latest first, up to ${MAX_LISTED} among ` +
    `the last ${MAX_READ}. ${source} ` +
    'Contracts whose owner is no user are left out.',
  query: Type.Object({
    fid: fidOfUser,
    viewer_fid: viewerFidParameter,
    subscription_provider: providerParameter,
  }),
  reply: SubscribedToResponse,

  async handle(context, { fid, viewer_fid }, caller) {
    const { db, hydrator } = context
    const [contracts, rows, hiddenFids] = await Promise.all([
      readFollowedContracts(context),
      readSubscriptionsOf(db, fid, MAX_READ),
      hiddenFidsFor(context, caller, viewer_fid),
    ])
    const hidden = new Set(hiddenFids)
    const active = await firstActive(context, contracts, { rows, limit: MAX_LISTED })
    const shown = [...new Set(active.map(({ contract }) => contract))]
    const [fids, views] = await Promise.all([ownersOf(context, shown), presentContracts(context, shown)])
    const users = await hydrator.users([...new Set(fids.values())], viewer_fid)
    const items = active.flatMap(({ row, contract, subscription }) => {
      const creatorFid = fids.get(contract.owner) ?? 0
      const creator = users.get(creatorFid)
      if (creator === undefined || hidden.has(creatorFid)) return []
      const members = {
        ...views.get(contract)!,
        expires_at: dateTime(subscription.expiresAt),
        subscribed_at: dateTime(row.subscribedAt),
        tier: presentTier(contract, subscription),
      }
      return [Json.of(members).withMembers(json`,"creator":${creator}`)]
    })
    return listJson('subscribed_to', items)
  },
})

/** `GET user/subscribers` */
export const userSubscribers = defineOperation({
  method: 'GET',
  path: 'user/subscribers',
  tag: 'Onchain',
  summary: 'Subscribers of a user',
  description:
    `Users with an active subscription at a contract of the user, latest first: up to ${MAX_LISTED} of the ` +
    `last ${MAX_READ} that subscribed. ${source} Addresses without a user are left out. \`paragraph\` is a 501: the memberships of that ` +
    'newsletter are private to it.',
  query: Type.Object({
    fid: fidOfUser,
    viewer_fid: viewerFidParameter,
    subscription_provider: choiceParameter(['fabric_stp', 'paragraph'], {
      description: 'Protocol of the subscriptions.',
    }),
  }),
  reply: SubscribersResponse,

  async handle(context, { fid, viewer_fid, subscription_provider }, caller) {
    if (subscription_provider === 'paragraph') {
      throw new PlazaError(
        'not_implemented',
        'GET user/subscribers with paragraph: the memberships of this newsletter service are not public',
        { property: 'subscription_provider' },
      )
    }
    const { db, hydrator } = context
    const [contracts, viewer] = await Promise.all([
      contractsOf(context, fid),
      viewerOf({ hydrator }, caller, viewer_fid),
    ])
    const rows = await readSubscribers(db, contracts, { viewer, limit: MAX_READ })
    const active = await firstActive(context, contracts, { rows, limit: MAX_LISTED })
    const users = await hydrator.users([...new Set(active.map(({ row }) => row.fid))], viewer_fid)
    const items = active.flatMap(({ row, contract, subscription }) => {
      const user = users.get(row.fid)
      if (user === undefined) return []
      const { contract_address, chain, protocol_version } = presentContract(contract, '')
      const subscribedTo = {
        object: 'subscription_dehydrated' as const,
        provider_name: PROVIDER,
        contract_address,
        chain,
        protocol_version,
        expires_at: dateTime(subscription.expiresAt),
        subscribed_at: dateTime(row.subscribedAt),
        ...(subscription.tierId === null ? {} : { tier_id: String(subscription.tierId) }),
      }
      return [json`{"object":"subscriber","user":${user},"subscribed_to":${subscribedTo}}`]
    })
    return listJson('subscribers', items)
  },
})

/** `GET user/subscriptions_created` */
export const userSubscriptionsCreated = defineOperation({
  method: 'GET',
  path: 'user/subscriptions_created',
  tag: 'Onchain',
  summary: 'Subscriptions created by user',
  description: `Subscription contracts that an address of the user owns. ${source}`,
  query: Type.Object({ fid: fidOfUser, subscription_provider: providerParameter }),
  reply: SubscriptionsResponse,

  async handle(context, { fid }) {
    const contracts = await contractsOf(context, fid)
    const views = await presentContracts(context, contracts)
    const created = contracts.map((contract) => views.get(contract)!)
    return { subscriptions_created: created.length === 0 ? [] : [{ subscriptions_created: created }] }
  },
})

type ListContext = Pick<OperationContext, 'db' | 'tokenTracking' | 'subscriptions' | 'hydrator' | 'net'>

/** Returns the followed contracts whose owner is an address of the user. */
async function contractsOf(context: ListContext, fid: number): Promise<ListedContract[]> {
  const contracts = await readFollowedContracts(context)
  const fids = await ownersOf(context, contracts)
  return contracts.filter(({ owner }) => fids.get(owner) === fid)
}

/** Maps the owners of contracts to their users: the custody holder, else the oldest account that verified it. */
async function ownersOf(
  { db }: Pick<OperationContext, 'db'>,
  contracts: readonly ListedContract[],
): Promise<Map<string, number>> {
  const owners = [...new Set(contracts.map(({ owner }) => owner))]
  const holders = await findAddressHolders(db, owners.map(bytesOfHex), { custody: true, verified: true })
  return new Map(holders.toReversed().map(({ address, fid }) => [`0x${address}`, fid]))
}

async function presentContracts({ net, hydrator }: ListContext, contracts: readonly ListedContract[]) {
  const context = { net, singleFlight: hydrator.singleFlight }
  const views = await Promise.all(
    contracts.map(
      async (contract) =>
        [contract, presentContract(contract, await readArtUrl(context, contract.contractUri))] as const,
    ),
  )
  return new Map(views)
}
