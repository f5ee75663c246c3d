import type { ReactionType } from '@farcaster/core'
import type { Target } from '../../message-target.js'
import {
  reactionTypesFor,
  readReaction,
  readReactionsByFid,
  readReactionsByTarget,
} from '../../query/reactions.js'
import { reactionTypeNames } from '../json/enum-names.js'
import { storedMessageJson } from '../json/message.js'
import type { GetOperation, HubApi } from './hub-api.js'
import { foundMessage, messageList } from './messages.js'
import { messagePageOptions } from './page-tokens.js'
import { type Parameters, required } from './parameters.js'

export const reactionOperations: readonly GetOperation[] = [
  { path: '/reactionById', failure: 'Failed to get reaction', answer: getReaction },
  { path: '/reactionsByFid', failure: 'Failed to get reactions by fid', answer: listByFid },
  { path: '/reactionsByCast', failure: 'Failed to get reactions by cast', answer: listByCast },
  { path: '/reactionsByTarget', failure: 'Failed to get reactions by target', answer: listByUrl },
]

/** The reference node takes the short names, hubs before it the long ones and numbers (docs/protocol.md §2.6). */
const shortNames = ['None', 'Like', 'Recast']

async function getReaction(parameters: Parameters, { db }: HubApi): Promise<object> {
  const fid = parameters.fid('fid')
  const type = reactionType(parameters) ?? required('reaction_type')
  const target = targetOf(parameters)
  const message = await readReaction(db, fid, {
    type,
    targetCastId: 'castId' in target ? target.castId : undefined,
    targetUrl: 'url' in target ? target.url : undefined,
  })
  return storedMessageJson(foundMessage(message, 'reaction'))
}

function targetOf(parameters: Parameters): Target {
  const fid = parameters.optionalFid('target_fid')
  if (fid !== null) return { castId: { fid, hash: parameters.hash('target_hash') } }
  const url = parameters.text('target_url')
  if (url !== null) return { url }
  return required(parameters.text('target_hash') === null ? 'target_url' : 'target_fid')
}

async function listByFid(parameters: Parameters, { db }: HubApi): Promise<object> {
  const type = reactionType(parameters) ?? required('reaction_type')
  const fid = parameters.fid('fid')
  return messageList(
    await readReactionsByFid(db, fid, reactionTypesFor(type), messagePageOptions(parameters)),
  )
}

function listByCast(parameters: Parameters, api: HubApi): Promise<object> {
  const castId = { fid: parameters.fid('target_fid'), hash: parameters.hash('target_hash') }
  return listByTarget(parameters, api, { castId })
}

function listByUrl(parameters: Parameters, api: HubApi): Promise<object> {
  return listByTarget(parameters, api, { url: parameters.requiredText('url') })
}

async function listByTarget(parameters: Parameters, { db }: HubApi, target: Target): Promise<object> {
  const types = reactionTypesFor(reactionType(parameters))
  return messageList(await readReactionsByTarget(db, target, types, messagePageOptions(parameters)))
}

function reactionType(parameters: Parameters): ReactionType | null {
  const short = shortNames.indexOf(parameters.text('reaction_type') ?? '')
  return short >= 0 ? short : parameters.optionalEnumValue('reaction_type', reactionTypeNames)
}
