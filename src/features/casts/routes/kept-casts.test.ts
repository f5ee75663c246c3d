import { UserDataType } from '@farcaster/core'
import { expect, it } from 'vitest'
import { testNow } from '../../../../test/network.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { castId, createCastNetwork, shownHash, userOf } from './testing/cast-network.js'

const { api, keptApi, merge } = await createCastNetwork()

/** What a server shows that keeps ready what it has read; it has to be what one shows that keeps nothing. */
async function shown(path: string, query: Record<string, string | number>) {
  const [kept, anew] = await Promise.all(
    [keptApi, api].map(async (each) => (await each.get(path, query)).json()),
  )
  expect(kept).toEqual(anew)
  return kept
}

it('casts below a reply lose their thread at once when the reply goes, however deep they stand', async () => {
  const url = 'https://example.com/~/channel/deep'
  const root = userOf(1).cast('root', testNow - 50, { parentUrl: url })
  const thread = [root]
  for (let level = 1; level <= 4; level += 1) {
    const parentCastId = castId(thread.at(-1)!)
    thread.push(userOf(level).cast(`level ${level}`, testNow - 50 + level, { parentCastId }))
  }
  const quote = userOf(5).cast('see', testNow - 40, { embeds: [{ castId: castId(thread[4]!) }] })
  await merge(...thread, quote)
  const casts = [...thread, quote].map(shownHash).join()
  const threads = async () => {
    const reply = await shown('casts', { casts })
    return reply.result.casts.map((cast: { thread_hash: string }) => cast.thread_hash)
  }
  const own = [shownHash(root), shownHash(quote)] as const
  expect(await threads()).toEqual([own[0], own[0], own[0], own[0], own[0], own[1]])

  await merge(userOf(2).removeCast(thread[2]!.hash, testNow))
  const gone = shownHash(thread[2]!)
  expect(await threads()).toEqual([own[0], own[0], gone, gone, own[1]])

  await merge(userOf(4).removeCast(thread[4]!.hash, testNow))
  expect(await threads()).toEqual([own[0], own[0], gone, own[1]])
})

it('whoever a bio speaks of stands in it as it is now', async () => {
  const say = (fid: number, type: UserDataType, text: string, at: number): SignedMessage =>
    userOf(fid).userData(type, text, at)
  await merge(say(1, UserDataType.BIO, 'gardening with @bob', testNow - 10))
  const friend = async () =>
    (await shown('user/bulk', { fids: 1 })).users[0].profile.bio.mentioned_profiles[0]
  expect(await friend()).toMatchObject({ fid: 2, display_name: null, pfp_url: null })
  await merge(say(2, UserDataType.DISPLAY, 'Bob 🌱', testNow - 9))
  expect(await friend()).toMatchObject({ display_name: 'Bob 🌱' })
  await merge(say(2, UserDataType.PFP, 'https://example.com/bob.png', testNow - 8))
  expect(await friend()).toMatchObject({ pfp_url: 'https://example.com/bob.png' })
  await merge(say(2, UserDataType.USERNAME, '', testNow - 7))
  expect(await friend()).toBeUndefined()
})
