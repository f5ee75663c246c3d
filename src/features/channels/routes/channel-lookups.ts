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
  tag: 'Channels',
  summary: 'Lookup channel by id or parent URL',
  description: 'Any parent URL of the channel finds it.',
  query: Type.Object({
    id: textParameter({
      description: 'Id or parent URL of the channel; see `type`.',
      examples: ['gardening'],
    }),
    type: Type.Optional(
      choiceParameter(['id', 'parent_url'], { description: 'Type of `id`, by default `id`.' }),
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
  tag: 'Channels',
  summary: 'Bulk fetch channels by ids or parent URLs',
  description: 'Returns channels in the order of `ids`. Unknown channels are left out.',
  query: Type.Object({
    ids: listParameter(
      textParameter({ description: 'Id or parent URL of a channel.', examples: ['gardening'] }),
      {
        maxItems: 100,
        description: 'Ids or parent URLs; see `type`.',
      },
    ),
    type: Type.Optional(
      choiceParameter(['id', 'parent_url'], { description: 'Type of `ids`, by default `id`.' }),
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
