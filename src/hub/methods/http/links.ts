import { readLink, readLinksByFid, readLinksByTarget } from '../../query/links.js'
import { storedMessageJson } from '../json/message.js'
import type { GetOperation, HubApi } from './hub-api.js'
import { foundMessage, messageList } from './messages.js'
import { messagePageOptions } from './page-tokens.js'
import type { Parameters } from './parameters.js'

export const linkOperations: readonly GetOperation[] = [
  { path: '/linkById', failure: 'Failed to get link', answer: getLink },
  { path: '/linksByFid', failure: 'Failed to get links by fid', answer: listByFid },
  { path: '/linksByTargetFid', failure: 'Failed to get links by target fid', answer: listByTarget },
]

async function getLink(parameters: Parameters, { db }: HubApi): Promise<object> {
  const message = await readLink(
    db,
    parameters.fid('fid'),
    parameters.requiredText('link_type'),
    parameters.fid('target_fid'),
  )
  return storedMessageJson(foundMessage(message, 'link'))
}

async function listByFid(parameters: Parameters, { db }: HubApi): Promise<object> {
  const fid = parameters.fid('fid')
  const linkType = parameters.text('link_type')
  return messageList(await readLinksByFid(db, fid, linkType, messagePageOptions(parameters)))
}

async function listByTarget(parameters: Parameters, { db }: HubApi): Promise<object> {
  const targetFid = parameters.fid('target_fid')
  const linkType = parameters.requiredText('link_type')
  return messageList(await readLinksByTarget(db, targetFid, linkType, messagePageOptions(parameters)))
}
