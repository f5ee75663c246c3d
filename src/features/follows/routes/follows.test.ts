import { describe, expect, it } from 'vitest'
import { TestUser, testNow } from '../../../../test/network.js'
import { MessageType } from '../../../protocol/definitions.js'
import { bodyOf, createPublishingNetwork } from '../../publishing/routes/testing/publishing-network.js'
import { approvedSigner } from '../../signers/testing/approved-signer.js'

const { hub, db, api, users, signers } = await createPublishingNetwork()
const [alice, bob, carol] = users
const [signer_uuid, bobSigner, carolSigner] = signers

/** Links that a unit of storage has room for. */
const MAX_LINKS = 200

const send = (method: 'POST' | 'DELETE', target_fids: number[]) =>
  api.send(method, 'user/follow', { signer_uuid, target_fids })

async function followed(): Promise<number[]> {
  const { users: page } = bodyOf(await api.get('following', { fid: 1 }))
  return page.map(({ user }: { user: { fid: number } }) => user.fid).sort()
}

describe('follows', () => {
  it('are visible in the next read, with the hash of the message', async () => {
    const reply = bodyOf(await send('POST', [2, 3]))
    expect(reply).toEqual({
      success: true,
      details: [2, 3].map((target_fid) => ({
        success: true,
        target_fid,
        hash: expect.stringMatching(/^0x/),
      })),
    })
    expect(await followed()).toEqual([2, 3])
    for (const { hash } of reply.details) {
      const stored = await db`select 1 from hub.messages where hash = ${Buffer.from(hash.slice(2), 'hex')}`
      expect(stored).toHaveLength(1)
    }
    expect(bodyOf(await send('POST', [3]))).toEqual({ success: true, details: [reply.details[1]] })
  })

  it('and unfollows in one second -> the last one wins', async () => {
    for (let round = 0; round < 5; round += 1) {
      expect(bodyOf(await send('DELETE', [2])).success).toBe(true)
      expect(await followed()).toEqual([3])
      expect(bodyOf(await send('POST', [2])).success).toBe(true)
      expect(await followed()).toEqual([2, 3])
    }
  })

  it('sort after a compact state of the same second', async () => {
    await hub.submit([alice.compactLinks([3], testNow + 30)])
    expect(await followed()).toEqual([3])
    expect(bodyOf(await send('POST', [2])).success).toBe(true)
    expect(await followed()).toEqual([2, 3])
    expect(bodyOf(await send('DELETE', [2, 3])).success).toBe(true)
    expect(await followed()).toEqual([])
  })

  it('that do not exist -> unfollowing succeeds and publishes nothing', async () => {
    const before = await heights()
    const nothing = { success: true, hash: '' }
    expect(bodyOf(await send('DELETE', [98, 99]))).toEqual({
      success: true,
      details: [98, 99].map((target_fid) => ({ ...nothing, target_fid })),
    })
    const unblock = { signer_uuid, blocked_fid: 3 }
    expect(bodyOf(await api.send('DELETE', 'block', unblock)).success).toBe(true)
    expect(await heights()).toBe(before)
  })

  it('that a compact state lists and have not arrived -> unfollowing ends them', async () => {
    expect(await hub.submit([bob.compactLinks([3], testNow - 50)])).toEqual([null])
    const reply = await api.send('DELETE', 'user/follow', { signer_uuid: bobSigner, target_fids: [3] })
    expect(bodyOf(reply).details).toEqual([
      { success: true, target_fid: 3, hash: expect.stringMatching(/^0x/) },
    ])
    expect(await hub.submit([bob.link(3, testNow - 60)])).toMatchObject([{ code: 'bad_request.conflict' }])
  })

  it('with another time to display -> are current: nothing is published', async () => {
    const link = (type: string, targetFid: number) =>
      carol.message(
        { type: MessageType.LINK_ADD, linkBody: { type, targetFid, displayTimestamp: 12 } },
        testNow - 60,
      )
    const end = carol.message(
      { type: MessageType.LINK_REMOVE, linkBody: { type: 'follow', targetFid: 1, displayTimestamp: 12 } },
      testNow - 60,
    )
    const messages = [link('follow', 2), link('block', 2), end]
    expect(await hub.submit(messages)).toEqual([null, null, null])
    const before = await heights()
    const sendCarols = (method: 'POST' | 'DELETE', path: string, body: object) =>
      api.send(method, path, { signer_uuid: carolSigner, ...body })
    const hashOf = async (method: 'POST' | 'DELETE', fid: number) =>
      bodyOf(await sendCarols(method, 'user/follow', { target_fids: [fid] })).details[0].hash
    expect(await hashOf('POST', 2)).toBe(`0x${messages[0]!.hash.toString('hex')}`)
    expect(await hashOf('DELETE', 1)).toBe(`0x${end.hash.toString('hex')}`)
    bodyOf(await sendCarols('POST', 'block', { blocked_fid: 2 }))
    expect(await heights()).toBe(before)
  })

  it('that other follows of the request displace -> are told as refused', async () => {
    const dave = new TestUser(60)
    const targets = [61, 5000].map((fid) => new TestUser(fid).registered())
    await hub.submitOnChainEvents([...dave.onChain({ units: 1 }), ...targets])
    const { id } = await approvedSigner({ db, hub }, dave, api)
    const oldest = dave.link(1, testNow - 900)
    const others = Array.from({ length: MAX_LINKS - 1 }, (_, n) => dave.link(5000 + n, testNow - 800 + n))
    expect(await hub.submit([oldest, ...others])).toEqual(Array(MAX_LINKS).fill(null))
    const reply = await api.send('POST', 'user/follow', { signer_uuid: id, target_fids: [1, 5000, 61] })
    const link = { success: true, hash: expect.stringMatching(/^0x/) }
    expect(bodyOf(reply)).toEqual({
      success: false,
      details: [
        { success: false, target_fid: 1, hash: '' },
        { ...link, target_fid: 5000 },
        { ...link, target_fid: 61 },
      ],
    })
  })

  it('one fails -> a result for each target, each counted once', async () => {
    const reply = bodyOf(await send('POST', [2, 99, 2]))
    expect(reply).toEqual({
      success: false,
      details: [
        { success: true, target_fid: 2, hash: expect.stringMatching(/^0x/) },
        { success: false, target_fid: 99, hash: '' },
      ],
    })
    expect(await followed()).toEqual([2])
  })

  it('are one batch of the hub, up to a hundred', async () => {
    const others = Array.from({ length: 100 }, (_, n) => new TestUser(1000 + n))
    await hub.submitOnChainEvents(others.map((user) => user.registered()))
    const before = await heights()
    const reply = bodyOf(
      await send(
        'POST',
        others.map(({ fid }) => fid),
      ),
    )
    expect(reply.details.filter(({ success }: { success: boolean }) => success)).toHaveLength(100)
    expect((await heights()) - before).toBe(1)
  })

  it.each([
    ['nobody that there is', [98, 99], 404],
    ['no list', [], 400],
    ['too many', Array.from({ length: 101 }, (_, n) => n + 1), 400],
    ['nobody at all', [0], 400],
  ])('are refused for %s', async (_, targets, status) => {
    const reply = await send('POST', targets)
    expect([reply.statusCode, reply.json().property.split('.')[0]]).toEqual([status, 'target_fids'])
  })

  it('a common reason -> one error', async () => {
    await hub.submitOnChainEvents([new TestUser(50).registered()])
    await db`delete from hub.storage_rents where fid = 1`
    const reply = await send('POST', [50])
    expect([reply.statusCode, reply.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'bad_request.validation_failure' }),
    ])
  })
})

async function heights(): Promise<number> {
  const [row] = await db<{ sum: number }[]>`select sum(height)::integer as sum from hub.shards`
  return row!.sum
}
