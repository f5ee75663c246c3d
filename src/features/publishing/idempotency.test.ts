import { describe, expect, it } from 'vitest'
import { testNow, testNowUnix } from '../../../test/network.js'
import { createTestApi } from '../../app/testing/test-api.js'
import { refuse } from '../../platform/errors.js'
import { approvedSigner } from '../signers/testing/approved-signer.js'
import { deleteExpiredRequests, RETENTION_HOURS } from './idempotency.js'
import { bodyOf, createPublishingNetwork } from './routes/testing/publishing-network.js'

const { db, hub, api, users, signers, setTime } = await createPublishingNetwork()
const [alice] = users
const [signer_uuid] = signers

const post = (body: object) => api.send('POST', 'cast', { signer_uuid, ...body })
const react = (body: object, method: 'POST' | 'DELETE' = 'POST') =>
  api.send(method, 'reaction', { signer_uuid, reaction_type: 'like', ...body })

async function castsWith(text: string): Promise<number> {
  const rows = await db`select from social.casts where text = ${text}`
  return rows.length
}

describe('idempotency', () => {
  it('a repeated request returns the same response and publishes nothing new', async () => {
    const first = bodyOf(await post({ text: 'once @bob', idem: 'a' }))
    setTime(5)
    expect(bodyOf(await post({ idem: 'a', text: 'once @bob' }))).toEqual(first)
    expect(await castsWith('once ')).toBe(1)
  })

  it('concurrent repetitions return the same response', async () => {
    const replies = await Promise.all(Array.from({ length: 24 }, () => post({ text: 'at once', idem: 'b' })))
    const bodies = replies.map((reply) => bodyOf(reply))
    expect(new Set(bodies.map(({ cast }) => cast.hash)).size).toBe(1)
    expect(await castsWith('at once')).toBe(1)
  })

  it('another idem with the same content is another request', async () => {
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, n) => post({ text: 'the same words', idem: `c${n % 3}` })),
    )
    const hashes = replies.map((reply) => bodyOf(reply).cast.hash)
    expect(new Set(hashes).size).toBe(3)
    expect(await castsWith('the same words')).toBe(3)
    expect(bodyOf(await post({ text: 'the same words', idem: 'c0' })).cast.hash).toBe(hashes[0])
  })

  it('the same idem with other content -> conflict', async () => {
    bodyOf(await post({ text: 'this', idem: 'd', embeds: [{ url: 'https://a.example' }] }))
    for (const other of [
      { text: 'that', embeds: [{ url: 'https://a.example' }] },
      { text: 'this' },
      { text: 'this', embeds: [{ url: 'https://b.example' }] },
    ]) {
      const reply = await post({ ...other, idem: 'd' })
      expect([reply.statusCode, reply.json()]).toEqual([
        409,
        {
          status: 409,
          code: 'Conflict',
          property: 'idem',
          message: 'this idem belongs to another request',
        },
      ])
    }
    const reaction = await react({ target: 'https://a.example', idem: 'd' })
    expect(reaction.statusCode).toBe(409)
  })

  it('keys are separate per app', async () => {
    const other = await createTestApi({ db, hub, clock: () => testNowUnix * 1000, appName: 'other' })
    const { id } = await approvedSigner({ db, hub }, alice, other)
    const first = bodyOf(await post({ text: 'mine', idem: 'e' }))
    const otherAppReply = bodyOf(
      await other.send('POST', 'cast', { signer_uuid: id, text: 'theirs', idem: 'e' }),
    )
    expect(otherAppReply.cast.hash).not.toBe(first.cast.hash)
  })

  it('does not publish again after the cast was deleted', async () => {
    const { cast } = bodyOf(await post({ text: 'regretted', idem: 'f' }))
    bodyOf(await api.send('DELETE', 'cast', { signer_uuid, target_hash: cast.hash }))
    expect(bodyOf(await post({ text: 'regretted', idem: 'f' })).cast).toEqual(cast)
    expect(await castsWith('regretted')).toBe(0)
  })

  it('a request that is refused when it is repeated frees its idem', async () => {
    const overloaded = await createTestApi({
      db,
      hub: { ...hub, submit: async () => [refuse('unavailable', 'the queue is full')] },
      clock: () => testNowUnix * 1000,
    })
    const send = (through: typeof overloaded, text: string) =>
      through.send('POST', 'cast', { signer_uuid, text, idem: 'freed' })
    const long = 'y'.repeat(2_000)
    expect((await send(overloaded, long)).statusCode).toBe(503)
    expect((await send(api, long)).json()).toMatchObject({ message: 'Pro subscription required' })
    bodyOf(await send(api, 'short enough'))
    expect(await castsWith('short enough')).toBe(1)
  })

  it('a refused request may be sent again', async () => {
    const text = 'x'.repeat(2_000)
    expect((await post({ text, idem: 'g' })).json()).toMatchObject({
      message: 'Pro subscription required',
      property: 'text',
    })
    await hub.submitOnChainEvents([alice.proPurchaseEvent(30)])
    bodyOf(await post({ text, idem: 'g' }))
    expect(await castsWith(text)).toBe(1)
  })

  it('repeats a reaction once and leaves later changes alone', async () => {
    const target = `0x${alice.cast('liked', testNow).hash.toString('hex')}`
    await hub.submit([alice.cast('liked', testNow)])
    const likes = async () => {
      const { cast } = bodyOf(await api.get('cast', { identifier: target, type: 'hash' }))
      return cast.reactions.likes_count
    }
    await Promise.all(
      Array.from({ length: 6 }, () => react({ target, idem: 'h' }).then((reply) => bodyOf(reply))),
    )
    expect(await likes()).toBe(1)
    bodyOf(await react({ target, idem: 'i' }, 'DELETE'))
    expect(await likes()).toBe(0)
    bodyOf(await react({ target, idem: 'h' }))
    expect(await likes()).toBe(0)
    expect((await react({ target, idem: 'h' }, 'DELETE')).statusCode).toBe(409)
    bodyOf(await react({ target, idem: 'j' }))
    expect(await likes()).toBe(1)
  })

  it('a merged reaction does not end a later one of the same idem', async () => {
    const target = 'https://reacted.example'
    const clock = () => testNowUnix * 1000
    const later = () => clock() + 1000
    const refused = refuse('bad_request.validation_failure', 'insufficient storage')
    const refusing = await createTestApi({ db, hub: { ...hub, submit: async () => [refused] }, clock })
    const killedHub = { ...hub, submit: () => Promise.reject(new Error('process terminated')) }
    const killed = await createTestApi({ db, hub: killedHub, clock: later })
    const like = (through: typeof killed) =>
      through.send('POST', 'reaction', { signer_uuid, reaction_type: 'like', target, idem: 'm' })
    const overtaken = await createTestApi({
      db,
      hub: {
        ...hub,
        submit: async (...submitted) => {
          expect((await like(refusing)).statusCode).toBe(400)
          expect((await like(killed)).statusCode).toBe(500)
          return await hub.submit(...submitted)
        },
      },
      clock,
    })
    const isDone = async () => await db`select is_done as "isDone" from publish.requests where idem = 'm'`
    bodyOf(await like(overtaken))
    expect(await isDone()).toEqual([{ isDone: false }])
    bodyOf(await like(api))
    expect(await isDone()).toEqual([{ isDone: true }])
  })

  it('resumes when the server died between storing and merging', async () => {
    const interrupted = await createTestApi({
      db,
      hub: { ...hub, submit: () => Promise.reject(new Error('process terminated')) },
      clock: () => testNowUnix * 1000,
    })
    const send = (hubWrapper: typeof interrupted) =>
      hubWrapper.send('POST', 'cast', { signer_uuid, text: 'survivor', idem: 'k' })
    expect((await send(interrupted)).statusCode).toBe(500)
    expect(await castsWith('survivor')).toBe(0)
    const first = bodyOf(await send(api))
    expect(bodyOf(await send(api))).toEqual(first)
    expect(await castsWith('survivor')).toBe(1)
  })

  it('a cast that was merged is answered with, also if its author may not publish it again', async () => {
    const killed = await createTestApi({
      db,
      hub: {
        ...hub,
        submit: async (...submitted) => {
          await hub.submit(...submitted)
          throw new Error('process terminated')
        },
      },
      clock: () => testNowUnix * 1000,
    })
    const refusing = await createTestApi({
      db,
      hub: { ...hub, submit: async () => [refuse('bad_request.validation_failure', 'insufficient storage')] },
      clock: () => testNowUnix * 1000,
    })
    const send = (through: typeof killed) =>
      through.send('POST', 'cast', { signer_uuid, text: 'already there', idem: 'l' })
    expect((await send(killed)).statusCode).toBe(500)
    const { cast } = bodyOf(await send(refusing))
    expect(cast.text).toBe('already there')
    expect(bodyOf(await send(api)).cast).toEqual(cast)
    expect(await castsWith('already there')).toBe(1)
  })

  it('keys of a process whose clock is weeks behind are as new as the database says', async () => {
    const isRecent = db`select created_at > now() - interval '1 hour' as "isRecent" from publish.requests where idem = 'a'`
    expect(await isRecent).toEqual([{ isRecent: true }])
  })

  it('keys expire after a day', async () => {
    const storedAnswers = async () => (await db`select from publish.requests where idem = 'a'`).length
    const [stored] = await db<[{ ms: number }]>`
      select extract(epoch from created_at)::float8 * 1000 as ms from publish.requests where idem = 'a'`
    const nowMs = Math.floor(stored.ms)
    await deleteExpiredRequests(db, nowMs + RETENTION_HOURS * 3_600_000)
    expect(await storedAnswers()).toBe(1)
    await deleteExpiredRequests(db, nowMs + RETENTION_HOURS * 3_600_000 + 2)
    expect(await storedAnswers()).toBe(0)
  })
})
