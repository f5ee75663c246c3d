import { Type } from '@sinclair/typebox'
import { ethAddressParameter, listParameter, viewerFidParameter } from '../../../api/parameters.js'
import { BulkRelevantFungibleOwnersResponse } from '../../../graph/view/schema/fungible.js'
import { defineOperation } from '../../operation.js'
import { backfillPendingReply, networkParameter, replyWithOwners } from './token-owners.js'

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
