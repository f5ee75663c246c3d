import { beforeEach, describe, expect, it } from 'vitest'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { encodeMessage } from '../../../protocol/codec.js'
import { MessageType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { addClientKey } from '../../miniapps/testing/client-key.js'
import { createPublishingNetwork } from '../../publishing/routes/testing/publishing-network.js'
import { deleteExpiredValidations } from '../validations.js'

const { db, hub, api, users } = await createPublishingNetwork()
const [alice, bob, carol] = users
const url = 'https://frames.example.com/tulips'
const cast = bob.cast('press this', testNow - 300, { embeds: [{ url }] })
expect(await hub.submit([cast, alice.react(cast, testNow - 200), alice.link(2, testNow - 200)])).toEqual([
  null,
  null,
  null,
])

beforeEach(async () => {
  await db`truncate frames.validations`
})

const castId = { fid: bob.fid, hash: cast.hash }

/** A signed press of a button. */
function press(user: TestUser, body: object = {}, timestamp = testNow - 100): SignedMessage {
  const empty = Buffer.alloc(0)
  const frameActionBody = {
    url: Buffer.from(url),
    buttonIndex: 2,
    castId,
    inputText: empty,
    state: empty,
    transactionId: empty,
    address: empty,
    ...body,
  }
  return user.message({ type: MessageType.FRAME_ACTION, frameActionBody }, timestamp)
}

const hexOf = (message: SignedMessage) => encodeMessage(message).toString('hex')

async function validate(message: SignedMessage, more: object = {}, by = api) {
  const reply = await by.send('POST', 'frame/validate', { message_bytes_in_hex: hexOf(message), ...more })
  expect(reply.statusCode, reply.body + by.lines.join('')).toBe(200)
  return reply.json()
}

describe('POST frame/validate', () => {
  it('describes a valid action, with 0x and without', async () => {
    const message = press(alice, {
      inputText: Buffer.from('more water'),
      state: Buffer.from('{"day":2}'),
      transactionId: Buffer.alloc(32, 1),
      address: Buffer.alloc(20, 2),
    })
    for (const prefix of ['', '0x']) {
      const { valid, action } = await validate(message, { message_bytes_in_hex: prefix + hexOf(message) })
      expect(valid).toBe(true)
      expect(action).toMatchObject({
        object: 'validated_frame_action',
        url,
        interactor: { object: 'user', fid: 1, username: 'alice', custody_address: expect.any(String) },
        tapped_button: { index: 2 },
        input: { text: 'more water' },
        state: { serialized: '{"day":2}' },
        cast: { hash: `0x${cast.hash.toString('hex')}`, viewer_context: { liked: true, recasted: false } },
        timestamp: new Date((testNowUnix - 100) * 1000).toISOString(),
        transaction: { hash: `0x${'01'.repeat(32)}` },
        address: `0x${'02'.repeat(20)}`,
      })
      expect(action.interactor).not.toHaveProperty('viewer_context')
      expect(action.cast.author).not.toHaveProperty('viewer_context')
      expect(action).not.toHaveProperty('signer')
    }
  })

  it('each flag adds its context', async () => {
    const { action } = await validate(press(alice), { follow_context: true, cast_reaction_context: false })
    expect(action.interactor.viewer_context).toMatchObject({ following: true, followed_by: false })
    expect(action.cast).not.toHaveProperty('viewer_context')
    const { action: ofBob } = await validate(press(carol), { follow_context: true })
    expect(ofBob.interactor.viewer_context).toMatchObject({ following: false, followed_by: false })
    expect(ofBob.cast.viewer_context).toEqual({ liked: false, recasted: false })

    const key = await addClientKey(hub, alice, carol.fid)
    const byClient = key.sign(press(alice).data)
    expect((await validate(byClient, { signer_context: true })).action.signer.client).toMatchObject({
      fid: 3,
    })
    expect((await validate(byClient)).action).not.toHaveProperty('signer')

    const parentUrl = 'https://example.com/gardens'
    await db`
      insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
      values ('gardens', ${parentUrl}, ${parentUrl}, 'Gardens', 2, 1700000000)`
    await db`insert into channels.urls (url, channel_id) values (${parentUrl}, 'gardens')`
    await db`insert into channels.follows (channel_id, fid, followed_at) values ('gardens', 1, 1700000000)`
    const inChannel = bob.cast('here', testNow - 250, { parentUrl })
    expect(await hub.submit([inChannel])).toEqual([null])
    const pressed = press(alice, { castId: { fid: bob.fid, hash: inChannel.hash } })
    const { action: followed } = await validate(pressed, { channel_follow_context: true })
    expect(followed.cast.channel).toMatchObject({ id: 'gardens', viewer_context: { following: true } })
    expect((await validate(pressed)).action.cast.channel).not.toHaveProperty('viewer_context')
  })

  it('without a cast, or of one that is not stored -> no cast', async () => {
    for (const body of [
      { castId: undefined },
      { castId: { fid: 99, hash: Buffer.alloc(20, 7) } },
      { castId: { ...castId, fid: carol.fid } },
    ]) {
      const { valid, action } = await validate(press(alice, body), { follow_context: true })
      expect([valid, action.cast, action.interactor.viewer_context]).toEqual([true, undefined, undefined])
    }
  })

  it('of a cast that is not stored -> the relation to the author whom the action names', async () => {
    const relationTo = async ({ fid }: TestUser, by: TestUser) => {
      const pressed = press(by, { castId: { fid, hash: Buffer.alloc(20, 7) } })
      const { action } = await validate(pressed, { follow_context: true })
      expect(action).not.toHaveProperty('cast')
      return action.interactor.viewer_context
    }
    expect(await relationTo(bob, alice)).toMatchObject({ following: true, followed_by: false })
    expect(await relationTo(alice, bob)).toMatchObject({ following: false, followed_by: true })
  })

  it('a wrong signature, a key of nobody, a broken rule -> not valid, with the reason', async () => {
    const message = press(alice)
    const forged = { ...message, signature: Buffer.alloc(64, 1) }
    const unknownKey = new TestUser(alice.fid, 'another key')
    for (const [wrong, reason] of [
      [forged, /invalid signature/],
      [press(unknownKey), /invalid signer/],
      [press(alice, { buttonIndex: 6 }), /button index/],
      [press(alice, {}, testNow + 3_600), /in the future/],
    ] as const) {
      const reply = await validate(wrong)
      expect(reply).toEqual({ valid: false, message: expect.stringMatching(reason) })
    }
    expect(await db`select from frames.validations`).toHaveLength(0)
  })

  it('400: what is no frame action', async () => {
    for (const hex of ['', '0x', '0xzz', 'abc', '00ff', hexOf(cast), '0x'.repeat(9_000)]) {
      const reply = await api.send('POST', 'frame/validate', { message_bytes_in_hex: hex })
      expect([hex.slice(0, 9), reply.statusCode, reply.json().property]).toEqual([
        hex.slice(0, 9),
        400,
        'message_bytes_in_hex',
      ])
    }
  })
})

describe('analytics of validated actions', () => {
  const range = {
    frame_url: url,
    start: new Date((testNowUnix - 60) * 1000).toISOString(),
    stop: new Date((testNowUnix + 60) * 1000).toISOString(),
  }
  const analyse = async (analytics_type: string, more: object = {}, by = api) => {
    const reply = await by.get('frame/validate/analytics', { ...range, analytics_type, ...more })
    expect(reply.statusCode, reply.body + by.lines.join('')).toBe(200)
    return reply.json()
  }

  it('count the newest 100,000 actions of the time', async () => {
    const { appId } = api
    await db`
      insert into frames.validations (app_id, hash, url, fid, input_text, validated_at)
      select ${appId}, decode(lpad(to_hex(n), 40, '0'), 'hex'), ${url}, case when n = 0 then 2 else 1 end, '',
        to_timestamp(${testNowUnix - 30} + n / 10000.0)
      from generate_series(0, 100000) n`
    expect(await analyse('total-interactors')).toEqual({ total_interactors: 1 })
    const { interactors } = await analyse('interactors')
    expect(interactors).toMatchObject([{ fid: 1, interaction_count: 100_000 }])
  })

  it('count what this app has validated, each action once', async () => {
    const other = await createTestApi({ db, hub, clock: () => testNowUnix * 1000, appName: 'another' })
    const first = press(alice, { inputText: Buffer.from('one\0two') })
    await validate(first)
    await validate(first)
    await validate(press(alice, {}, testNow - 99))
    await validate(press(bob, { castId: undefined }))
    await validate(press(bob, { url: Buffer.from('https://frames.example.com/roses') }))
    await validate(press(carol), {}, other)

    expect((await api.get('frame/validate/list')).json()).toEqual({
      frames: ['https://frames.example.com/roses', url],
    })
    expect((await other.get('frame/validate/list')).json()).toEqual({ frames: [url] })
    expect(await analyse('total-interactors')).toEqual({ total_interactors: 2 })
    expect(await analyse('interactors')).toEqual({
      interactors: [
        { fid: 1, username: 'alice', interaction_count: 2 },
        { fid: 2, username: 'bob', interaction_count: 1 },
      ],
    })
    expect(await analyse('input-text')).toEqual({
      input_texts: [{ fid: 1, username: 'alice', input_text: 'one two' }],
    })
    expect(await analyse('interactions-per-cast', { aggregate_window: '1d' })).toEqual({
      interactions_per_cast: [
        {
          start: '2026-11-01T00:00:00.000Z',
          stop: '2026-11-02T00:00:00.000Z',
          time: '2026-11-02T00:00:00.000Z',
          interaction_count: 2,
          cast_url: `https://farcaster.xyz/bob/0x${cast.hash.toString('hex')}`,
        },
      ],
    })
    expect(
      await analyse('total-interactors', { stop: new Date((testNowUnix - 1) * 1000).toISOString() }),
    ).toEqual({
      total_interactors: 0,
    })
  })

  it('are kept for 30 days', async () => {
    await validate(press(alice))
    await validate(press(bob))
    await db`update frames.validations set validated_at = now() - interval '31 days' where fid = 1`
    await db`update frames.validations set validated_at = now() where fid = 2`
    await deleteExpiredValidations(db)
    expect(await db`select fid from frames.validations`).toEqual([{ fid: 2 }])
  })

  it.each([
    [{ start: 'yesterday' }, 'start'],
    [{ start: '2026-10-01T00:00:00' }, 'start'],
    [{ start: '0000-01-01T00:00:00Z' }, 'start'],
    [{ stop: '+010000-01-01T00:00:00Z' }, 'stop'],
    [{ stop: range.start }, 'stop'],
    [{ analytics_type: 'interactions-per-cast' }, 'aggregate_window'],
    [{ analytics_type: 'all' }, 'analytics_type'],
    [{ frame_url: '' }, 'frame_url'],
  ])('400: %o', async (more, property) => {
    const reply = await api.get('frame/validate/analytics', {
      ...range,
      analytics_type: 'interactors',
      ...more,
    })
    expect([reply.statusCode, reply.json().property]).toEqual([400, property])
  })
})
