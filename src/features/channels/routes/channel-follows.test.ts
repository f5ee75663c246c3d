import { beforeAll, expect, it } from 'vitest'
import { INVALIDATION_CHANNEL } from '../../../graph/cache/invalidation.js'
import { bodyOf, createPublishingNetwork } from '../../publishing/routes/testing/publishing-network.js'

const { db, api, signers } = await createPublishingNetwork()
const url = 'https://farcaster.xyz/~/channel/gardens'

beforeAll(async () => {
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
    values ('gardens', ${url}, ${url}, 'Gardens', 1, 1700000000)`
})

const send = (method: 'POST' | 'DELETE', signer_uuid: string, channel_id = 'gardens') =>
  api.send(method, 'channel/follow', { signer_uuid, channel_id })

async function viewerContextOf(viewer_fid: number) {
  const { channel } = bodyOf(await api.get('channel', { id: 'gardens', viewer_fid }))
  return [channel.follower_count, channel.viewer_context.following]
}

it('follows and unfollows a channel; each follower counts once', async () => {
  const [alice, bob] = signers
  expect(bodyOf(await send('POST', alice))).toMatchObject({ success: true })
  bodyOf(await send('POST', alice))
  expect(await viewerContextOf(1)).toEqual([1, true])
  await Promise.all(Array.from({ length: 8 }, () => send('POST', bob)))
  expect(await viewerContextOf(2)).toEqual([2, true])
  const { channels } = bodyOf(await api.get('user/channels', { fid: 2 }))
  expect(channels).toMatchObject([{ id: 'gardens' }])
  await Promise.all(Array.from({ length: 8 }, () => send('DELETE', bob)))
  expect(await viewerContextOf(2)).toEqual([1, false])
  bodyOf(await send('DELETE', alice))
  expect(await viewerContextOf(1)).toEqual([0, false])
})

it('notifies processes only if the follow changes', async () => {
  const notifiedTags: string[] = []
  const listening = await db.listen(INVALIDATION_CHANNEL, (tag) => notifiedTags.push(tag))
  bodyOf(await send('POST', signers[2]))
  bodyOf(await send('POST', signers[2]))
  bodyOf(await send('DELETE', signers[2]))
  await db`select pg_notify(${INVALIDATION_CHANNEL}, 'end')`
  await expect.poll(() => notifiedTags.at(-1)).toBe('end')
  const change = ['channel:gardens', expect.stringMatching(/^channelsOf:\d+$/)]
  expect(notifiedTags).toEqual([...change, ...change, 'end'])
  await listening.unlisten()
})

it('an unknown channel -> 404', async () => {
  for (const method of ['POST', 'DELETE'] as const) {
    const reply = await send(method, signers[0], 'nowhere')
    expect([reply.statusCode, reply.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'NotFound', property: 'channel_id' }),
    ])
  }
})
