import { Type } from '@sinclair/typebox'
import { choiceParameter, listParameter, textParameter, viewerFidParameter } from '../../../api/parameters.js'
import { jsonArray } from '../../../graph/view/json.js'
import { ChannelResponse, ChannelResponseBulk } from '../../../graph/view/schema/channel.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { channelIdsByUrl } from '../queries.js'

/** `GET channel` */
export const channelLookup = defineOperation({
  method: 'GET',
  path: 'channel',
  tag: 'Channel',
  summary: 'A channel by its id or by any of its parent URLs',
  query: Type.Object({
    id: textParameter({ description: 'The id, or a parent URL: see `type`.' }),
    type: Type.Optional(
      choiceParameter(['id', 'parent_url'], { description: 'What `id` is; without, an id.' }),
    ),
    viewer_fid: viewerFidParameter,
  }),
  reply: ChannelResponse,
  notFound: 'There is no such channel.',

  async handle({ db, hydrator }, { id, type, viewer_fid }) {
    const channelId = type === 'parent_url' ? (await channelIdsByUrl(db, [id])).get(id) : id
    const channels = await hydrator.channels(channelId === undefined ? [] : [channelId], viewer_fid)
    const [channel] = channels.values()
    if (channel === undefined)
      throw new PlazaError('not_found', 'there is no such channel', { property: 'id' })
    return `{"channel":${channel}}`
  },
})

/** `GET channel/bulk` */
export const channelBulk = defineOperation({
  method: 'GET',
  path: 'channel/bulk',
  tag: 'Channel',
  summary: 'Channels by their ids or parent URLs',
  description: 'In the order that was asked for. What there is not is left out.',
  query: Type.Object({
    ids: listParameter(textParameter({ description: 'An id or a parent URL.' }), {
      maxItems: 100,
      description: 'Which: see `type`.',
    }),
    type: Type.Optional(
      choiceParameter(['id', 'parent_url'], { description: 'What `ids` are; without, ids.' }),
    ),
    viewer_fid: viewerFidParameter,
  }),
  reply: ChannelResponseBulk,

  async handle({ db, hydrator }, { ids, type, viewer_fid }) {
    const byUrl = type === 'parent_url' ? await channelIdsByUrl(db, ids) : null
    const channelIds = byUrl ? ids.flatMap((url) => byUrl.get(url) ?? []) : ids
    const channels = await hydrator.channels(channelIds, viewer_fid)
    return `{"channels":${jsonArray(channelIds.flatMap((id) => channels.get(id) ?? []))}}`
  },
})
