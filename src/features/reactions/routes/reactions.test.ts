import { describe, expect, it } from 'vitest'
import { testNow } from '../../../../test/network.js'
import { ReactionType } from '../../../protocol/definitions.js'
import { bodyOf, createPublishingNetwork } from '../../publishing/routes/testing/publishing-network.js'

const { db, hub, api, users, signers, setTime } = await createPublishingNetwork()
const [alice, bob] = users
const [signer_uuid] = signers
const cast = bob.cast('to be liked', testNow - 100)
await hub.submit([cast])
const target = `0x${cast.hash.toString('hex')}`

const send = (method: 'POST' | 'DELETE', body: object = {}) =>
  api.send(method, 'reaction', { signer_uuid, reaction_type: 'like', target, ...body })

async function storedReactions() {
  const { cast: read } = bodyOf(
    await api.get('cast', { identifier: target, type: 'hash', viewer_fid: alice.fid }),
  )
  return {
    likes: read.reactions.likes_count,
    recasts: read.reactions.recasts_count,
    viewer: read.viewer_context,
  }
}

/** The fids that alice's likes of a hash name. */
async function targetFidsOf(hash: Buffer): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`
    select target_fid as fid from social.reactions
    where fid = 1 and target_hash = ${hash} and type = 1
    order by target_fid`
  return rows.map(({ fid }) => fid)
}

const noReactions = { likes: 0, recasts: 0, viewer: { liked: false, recasted: false } }

describe('reactions', () => {
  it('are visible, and gone, in the next read', async () => {
    expect(bodyOf(await send('POST'))).toMatchObject({ success: true })
    bodyOf(await send('POST', { reaction_type: 'recast', target: target.slice(2), target_author_fid: 2 }))
    bodyOf(await send('POST', { reaction_type: 'recast', target, target_author_fid: 0 }))
    expect(await storedReactions()).toEqual({ likes: 1, recasts: 1, viewer: { liked: true, recasted: true } })
    expect(bodyOf(await send('DELETE'))).toMatchObject({ success: true })
    bodyOf(await send('DELETE', { reaction_type: 'recast' }))
    expect(await storedReactions()).toEqual(noReactions)
  })

  it('in one second -> the last one wins', async () => {
    for (let round = 0; round < 5; round += 1) {
      bodyOf(await send('POST'))
      expect((await storedReactions()).likes).toBe(1)
      bodyOf(await send('DELETE'))
      expect((await storedReactions()).likes).toBe(0)
    }
    setTime(1)
    bodyOf(await send('POST'))
    expect((await storedReactions()).likes).toBe(1)
    bodyOf(await send('DELETE'))
    expect(await storedReactions()).toEqual(noReactions)
  })

  it('that exist already stay unchanged', async () => {
    bodyOf(await send('POST'))
    const before = await db`select max(id) from hub.events`
    bodyOf(await send('POST'))
    expect(await db`select max(id) from hub.events`).toEqual(before)
    expect((await storedReactions()).likes).toBe(1)
    bodyOf(await send('DELETE'))
  })

  it('that do not exist -> deleting succeeds and publishes nothing', async () => {
    const before = await db`select max(id) from hub.events`
    const missing = { target: 'https://a.example/unliked' }
    expect(bodyOf(await send('DELETE', missing))).toMatchObject({ success: true })
    expect(bodyOf(await send('DELETE', { ...missing, idem: 'once' }))).toMatchObject({ success: true })
    expect(bodyOf(await send('DELETE', { ...missing, idem: 'once' }))).toMatchObject({ success: true })
    expect(await db`select max(id) from hub.events`).toEqual(before)
  })

  it('concurrent equal ones -> all succeed, one is stored', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, (_, n) => send(n % 2 ? 'POST' : 'DELETE')))
    expect(replies.map(({ statusCode }) => statusCode)).toEqual(Array(12).fill(200))
    const { likes } = await storedReactions()
    expect([0, 1]).toContain(likes)
    bodyOf(await send('POST'))
    expect((await storedReactions()).likes).toBe(1)
    bodyOf(await send('DELETE'))
  })

  it('can have a URL as target', async () => {
    const url = 'https://a.example/page'
    bodyOf(await send('POST', { target: url }))
    const rows = await db`select fid, type from social.url_reactions where url = ${url}`
    expect(rows).toEqual([{ fid: 1, type: ReactionType.LIKE }])
  })

  it('a URL has no author: target_author_fid has no effect', async () => {
    const target = 'https://a.example/authored'
    const stored = () => db`select fid from social.url_reactions where url = ${target}`
    bodyOf(await send('POST', { target, target_author_fid: 3 }))
    expect(await stored()).toEqual([{ fid: 1 }])
    bodyOf(await send('DELETE', { target, target_author_fid: 3 }))
    expect(await stored()).toEqual([])
  })

  it.each([
    ['a cast that is not here', { target: `0x${'ab'.repeat(20)}` }, 404, 'target'],
    ['the wrong author', { target_author_fid: 3 }, 400, 'target_author_fid'],
    ['what is neither a hash nor a URL', { target: '0x1234' }, 400, 'target'],
    ['a URL that is too long', { target: `https://${'a'.repeat(256)}` }, 400, 'target'],
    ['another kind', { reaction_type: 'dislike' }, 400, 'reaction_type'],
  ])('are refused for %s', async (_, body, status, property) => {
    const reply = await send('POST', body)
    expect([reply.statusCode, reply.json().property]).toEqual([status, property])
  })

  it('unknown cast with target_author_fid -> stored', async () => {
    const unknown = `0x${'cd'.repeat(20)}`
    bodyOf(await send('POST', { target: unknown, target_author_fid: 99 }))
    const rows =
      await db`select target_fid from social.reactions where target_hash = ${Buffer.alloc(20, 0xcd)}`
    expect(rows).toEqual([{ target_fid: 99 }])
  })

  it('to a cast that its author has deleted can be removed', async () => {
    const gone = bob.cast('to be deleted', testNow - 90)
    await hub.submit([gone])
    const hash = `0x${gone.hash.toString('hex')}`
    bodyOf(await send('POST', { target: hash }))
    expect(await hub.submit([bob.removeCast(gone.hash, testNow - 80)])).toEqual([null])
    expect(await targetFidsOf(gone.hash)).toEqual([bob.fid])
    bodyOf(await send('DELETE', { target: hash }))
    expect(await targetFidsOf(gone.hash)).toEqual([])
  })

  it('that name a wrong author can be removed, before and after the cast arrives', async () => {
    const late = bob.cast('to arrive late', testNow - 70)
    const hash = `0x${late.hash.toString('hex')}`
    bodyOf(await send('POST', { target: hash, target_author_fid: 3 }))
    bodyOf(await send('DELETE', { target: hash, target_author_fid: 4 }))
    expect(await targetFidsOf(late.hash)).toEqual([])
    for (const target_author_fid of [3, 4]) bodyOf(await send('POST', { target: hash, target_author_fid }))
    await hub.submit([late])
    const shown = async () =>
      bodyOf(await api.get('cast', { identifier: hash, type: 'hash', viewer_fid: alice.fid })).cast
    expect(await shown()).toMatchObject({ reactions: { likes_count: 0 }, viewer_context: { liked: false } })
    bodyOf(await send('POST', { target: hash }))
    expect(await shown()).toMatchObject({ reactions: { likes_count: 1 }, viewer_context: { liked: true } })
    expect((await send('DELETE', { target: hash, target_author_fid: 5 })).statusCode).toBe(400)
    bodyOf(await send('DELETE', { target: hash, target_author_fid: 4 }))
    expect(await targetFidsOf(late.hash)).toEqual([bob.fid, 3])
    bodyOf(await send('DELETE', { target: hash }))
    expect(await targetFidsOf(late.hash)).toEqual([3])
    bodyOf(await send('DELETE', { target: hash }))
    expect(await targetFidsOf(late.hash)).toEqual([])
  })

  it('to a cast that is not here, that do not exist -> deleting succeeds', async () => {
    const missing = { target: `0x${'ef'.repeat(20)}` }
    expect(bodyOf(await send('DELETE', missing))).toMatchObject({ success: true })
    expect(bodyOf(await send('DELETE', { ...missing, idem: 'never' }))).toMatchObject({ success: true })
    expect(bodyOf(await send('DELETE', { ...missing, target_author_fid: 3 }))).toMatchObject({
      success: true,
    })
  })
})
