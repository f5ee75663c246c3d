import { Type } from '@sinclair/typebox'
import { ethAddressParameter, viewerFidParameter } from '../../../api/parameters.js'
import { RelevantFungibleOwnersResponse } from '../../../graph/view/schema/fungible.js'
import { defineOperation } from '../../operation.js'
import { backfillPendingReply, networkParameter, replyWithOwners } from './token-owners.js'

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
