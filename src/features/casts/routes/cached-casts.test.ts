import { expect, it } from 'vitest'
import { testNow } from '../../../../test/network.js'
import { UserDataType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { castId, createCastNetwork, prefixedHash, userOf } from './testing/cast-network.js'

const { api, cachedApi, merge } = await createCastNetwork()

/** What a server shows that keeps ready what it has read; it has to be what one shows that keeps nothing. */
async function castsOf(path: string, query: Record<string, string | number>) {
  const [cachedReply, uncachedReply] = await Promise.all(
    [cachedApi, api].map(async (each) => (await each.get(path, query)).json()),
  )
  expect(cachedReply).toEqual(uncachedReply)
  return cachedReply
}

it('a deleted reply -> all casts below it lose their thread at once', async () => {
  const url = 'https://example.com/~/channel/deep'
  const root = userOf(1).cast('root', testNow - 50, { parentUrl: url })
  const thread = [root]
  for (let level = 1; level <= 4; level += 1) {
    const parentCastId = castId(thread.at(-1)!)
    thread.push(userOf(level).cast(`level ${level}`, testNow - 50 + level, { parentCastId }))
  }
  const quote = userOf(5).cast('see', testNow - 40, { embeds: [{ castId: castId(thread[4]!) }] })
  await merge(...thread, quote)
  const casts = [...thread, quote].map(prefixedHash).join()
  const threads = async () => {
    const reply = await castsOf('casts', { casts })
    return reply.result.casts.map((cast: { thread_hash: string }) => cast.thread_hash)
  }
  const own = [prefixedHash(root), prefixedHash(quote)] as const
  expect(await threads()).toEqual([own[0], own[0], own[0], own[0], own[0], own[1]])

  await merge(userOf(2).removeCast(thread[2]!.hash, testNow))
  const removedHash = prefixedHash(thread[2]!)
  expect(await threads()).toEqual([own[0], own[0], removedHash, removedHash, own[1]])

  await merge(userOf(4).removeCast(thread[4]!.hash, testNow))
  expect(await threads()).toEqual([own[0], own[0], removedHash, own[1]])
})

it('a bio shows mentioned users as they are now', async () => {
  const userDataMessage = (fid: number, type: UserDataType, text: string, timestamp: number): SignedMessage =>
    userOf(fid).userData(type, text, timestamp)
  await merge(userDataMessage(1, UserDataType.BIO, 'gardening with @bob', testNow - 10))
  const friend = async () =>
    (await castsOf('user/bulk', { fids: 1 })).users[0].profile.bio.mentioned_profiles[0]
  expect(await friend()).toMatchObject({ fid: 2, display_name: null, pfp_url: null })
  await merge(userDataMessage(2, UserDataType.DISPLAY, 'Bob 🌱', testNow - 9))
  expect(await friend()).toMatchObject({ display_name: 'Bob 🌱' })
  await merge(userDataMessage(2, UserDataType.PFP, 'https://example.com/bob.png', testNow - 8))
  expect(await friend()).toMatchObject({ pfp_url: 'https://example.com/bob.png' })
  await merge(userDataMessage(2, UserDataType.USERNAME, '', testNow - 7))
  expect(await friend()).toBeUndefined()
})
