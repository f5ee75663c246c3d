import { beforeAll, describe, expect, it } from 'vitest'
import { testNow, testNowUnix } from '../../../../test/network.js'
import { decodeStoredMessage } from '../../../protocol/codec.js'
import { CastType } from '../../../protocol/definitions.js'
import { bodyOf, createPublishingNetwork } from '../../publishing/routes/testing/publishing-network.js'

const { db, hub, api, users, signers } = await createPublishingNetwork()
const [alice, bob] = users
const [aliceSigner, bobSigner] = signers
const channelUrl = 'https://farcaster.xyz/~/channel/gardens'
const oldChannelUrl = 'https://warpcast.com/~/channel/gardens'

beforeAll(async () => {
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
    values ('gardens', ${channelUrl}, ${channelUrl}, 'Gardens', 1, 1700000000)`
  await db`
    insert into channels.urls (url, channel_id) values (${channelUrl}, 'gardens'), (${oldChannelUrl}, 'gardens')`
})

const post = (body: object, signer = aliceSigner) =>
  api.send('POST', 'cast', { signer_uuid: signer, ...body })

/** Publishes, and reads what was published. */
async function published(body: object, signer = aliceSigner) {
  const { success, cast } = bodyOf(await post(body, signer))
  expect(success).toBe(true)
  return await read(cast.hash)
}

async function read(hash: string) {
  return bodyOf(await api.get('cast', { identifier: hash, type: 'hash' })).cast
}

/** The message that the hub holds. */
async function stored(hash: string) {
  const [row] = await db<{ message: Buffer }[]>`
    select message from hub.messages where hash = ${Buffer.from(hash.slice(2), 'hex')}`
  return decodeStoredMessage(row!.message)
}

async function refusal(body: object) {
  const reply = await post(body)
  const { code, property, message } = reply.json()
  return { status: reply.statusCode, code, property, message }
}

describe('POST cast', () => {
  it('publishes a cast that the next read shows', async () => {
    const reply = bodyOf(await post({ text: 'hello' }))
    expect(reply).toEqual({
      success: true,
      cast: {
        hash: expect.stringMatching(/^0x[0-9a-f]{40}$/),
        author: {
          object: 'user_dehydrated',
          fid: 1,
          username: 'alice',
          display_name: null,
          pfp_url: null,
          custody_address: expect.any(String),
          score: 0,
        },
        text: 'hello',
      },
    })
    expect(await read(reply.cast.hash)).toMatchObject({
      text: 'hello',
      author: { fid: 1, username: 'alice' },
      timestamp: new Date(testNowUnix * 1000).toISOString(),
    })
  })

  it('ignores members that there are not, unless it is asked to be strict', async () => {
    const body = {
      text: 'picture',
      embed: [],
      embeds: [{ url: 'https://a.example', title: 'A' }],
      parent: null,
    }
    expect((await read((await published(body)).hash)).embeds).toMatchObject([
      { url: 'https://a.example', metadata: { _status: 'PENDING' } },
    ])
    const strict = await api.send(
      'POST',
      'cast',
      { ...body, signer_uuid: aliceSigner },
      { prefer: 'handling=strict' },
    )
    expect([strict.statusCode, strict.json().property]).toEqual([400, 'embed'])
  })

  it('signs with the approved key of the app', async () => {
    const { hash } = await published({ text: 'signed' })
    const message = await stored(hash)
    const [row] = await db<{ public_key: Buffer }[]>`
      select public_key from signers.signers where id = ${aliceSigner}`
    expect(message.signer).toEqual(row!.public_key)
    expect(message.signer).not.toEqual(alice.key.publicKey)
  })

  it('text with @names -> mentions, and the same text when read', async () => {
    const text = '👋 @bob and @carol, not @nobody or me@bob.org or `@bob`'
    const cast = await published({ text })
    expect(cast.text).toBe(text)
    expect(cast.mentioned_profiles.map(({ fid }: { fid: number }) => fid)).toEqual([2, 3])
    expect((await stored(cast.hash)).data.castAddBody).toMatchObject({
      mentions: [2, 3],
      mentionsPositions: [5, 10],
      text: '👋  and , not @nobody or me@bob.org or `@bob`',
    })
  })

  it('the type of a cast follows its length in bytes without names', async () => {
    const long = 'ä'.repeat(200)
    expect((await stored((await published({ text: 'ä'.repeat(160) })).hash)).data.castAddBody?.type).toBe(
      CastType.CAST,
    )
    expect((await stored((await published({ text: long })).hash)).data.castAddBody?.type).toBe(
      CastType.LONG_CAST,
    )
    const named = await published({ text: `${'x'.repeat(316)}@bob` })
    expect((await stored(named.hash)).data.castAddBody?.type).toBe(CastType.CAST)
    await hub.submitOnChainEvents([bob.proPurchaseEvent(30)])
    const essay = await published({ text: 'e'.repeat(10_000) }, bobSigner)
    expect((await stored(essay.hash)).data.castAddBody?.type).toBe(CastType.TEN_K_CAST)
  })

  it('embeds URLs and casts, as cast_id and castId', async () => {
    const { hash } = await published({ text: 'to be quoted' })
    const quoting = await published({
      embeds: [{ cast_id: { fid: 1, hash } }, { url: 'https://a.example/b' }],
    })
    expect(quoting.embeds).toMatchObject([{ cast: { text: 'to be quoted' } }, { url: 'https://a.example/b' }])
    const embeds = [{ castId: { fid: 1, hash: hash.slice(2) }, url: null, title: 'undeclared' }]
    const other = await published({ text: 'again', embeds })
    expect(other.embeds).toMatchObject([{ cast: { hash } }])
  })

  it('replies to casts and to URLs', async () => {
    const { hash } = await published({ text: 'a question' }, bobSigner)
    for (const parent of [hash, hash.slice(2).toUpperCase()]) {
      expect(await published({ text: `an answer to ${parent}`, parent, parent_author_fid: 2 })).toMatchObject(
        {
          parent_hash: hash,
          parent_author: { fid: 2 },
          thread_hash: hash,
        },
      )
    }
    // Clients send empty texts for what their user left out.
    expect(
      await published({ text: 'alone', parent: '', channel_id: '', parent_author_fid: 2 }),
    ).toMatchObject({
      parent_hash: null,
      parent_url: null,
      parent_author: { fid: null },
    })
    for (const hint of [{}, { parent_author_fid: 0 }]) {
      expect(
        await published({ text: `no hint ${JSON.stringify(hint)}`, parent: hash, ...hint }),
      ).toMatchObject({
        parent_author: { fid: 2 },
      })
    }
    const url = 'chain://eip155:1/erc721:0xabc'
    expect(await published({ text: 'below a URL', parent: url, parent_author_fid: 2 })).toMatchObject({
      parent_url: url,
    })
  })

  it('unknown parent with parent_author_fid -> a reply', async () => {
    const parent = `0x${'ab'.repeat(20)}`
    expect(await published({ text: 'far away', parent, parent_author_fid: 99 })).toMatchObject({
      parent_hash: parent,
      parent_author: { fid: 99 },
    })
    expect(await refusal({ text: 'whose?', parent })).toMatchObject({ status: 404, property: 'parent' })
  })

  it('casts in a channel', async () => {
    const cast = await published({ text: 'tulips', channel_id: 'gardens' })
    expect(cast).toMatchObject({ parent_url: channelUrl, channel: { id: 'gardens' } })
    const old = await published({ text: 'roses', channel_id: 'gardens', parent: oldChannelUrl })
    expect(old).toMatchObject({ parent_url: oldChannelUrl, channel: { id: 'gardens' } })
    const reply = await published({ text: 'red ones', channel_id: 'gardens', parent: cast.hash })
    expect(reply).toMatchObject({ parent_hash: cast.hash, channel: { id: 'gardens' } })
  })

  it('takes the channel of a reply whose thread it does not know', async () => {
    const parent = `0x${'cd'.repeat(20)}`
    const farAway = { parent, parent_author_fid: 99, channel_id: 'gardens' }
    expect(await published({ text: 'far away', ...farAway })).toMatchObject({ parent_hash: parent })
    const root = await published({ text: 'soon gone', channel_id: 'gardens' })
    const reply = await published({ text: 'stays', parent: root.hash })
    await api.send('DELETE', 'cast', { signer_uuid: aliceSigner, target_hash: root.hash })
    expect(await published({ text: 'below', parent: reply.hash, channel_id: 'gardens' })).toMatchObject({
      parent_hash: reply.hash,
      channel: null,
    })
  })

  it('refuses a channel that contradicts the parent, or is unknown', async () => {
    const castOutsideChannel = await published({ text: 'elsewhere' })
    const contradicted = { status: 400, code: 'InvalidField', property: 'channel_id' }
    expect(await refusal({ text: 'x', channel_id: 'gardens', parent: 'https://a.example' })).toMatchObject(
      contradicted,
    )
    expect(
      await refusal({ text: 'x', channel_id: 'gardens', parent: castOutsideChannel.hash }),
    ).toMatchObject(contradicted)
    expect(await refusal({ text: 'x', channel_id: 'nowhere' })).toMatchObject({
      status: 404,
      code: 'NotFound',
      property: 'channel_id',
    })
  })

  it.each([
    ['no text and nothing else', {}, 'bad_request.validation_failure', 'text', 'cast is empty'],
    ['a text that is too long', { text: 'x'.repeat(10_001) }, undefined, 'text', 'dataBytes > 2048 bytess'],
    ['a text for pro accounts', { text: 'x'.repeat(1_025) }, undefined, 'text', 'Pro subscription required'],
    [
      'too many mentions',
      { text: '@bob '.repeat(11) },
      'bad_request.validation_failure',
      'text',
      'mentions > 10',
    ],
    ['half a character', { text: 'x\ud83d' }, 'InvalidField', 'text', /surrogate/],
    ['three embeds', { embeds: Array(3).fill({ url: 'https://a.b' }) }, 'InvalidField', 'embeds', /0 to 2/],
    [
      'an embed of a URL and a cast',
      { embeds: [{ url: 'https://a.example', cast_id: { fid: 1, hash: `0x${'ab'.repeat(20)}` } }] },
      'InvalidField',
      'embeds.0',
      /one of url, cast_id/,
    ],
    [
      'an embed that is too long',
      { embeds: [{ url: 'https://a.example' }, { url: `https://${'a'.repeat(250)}` }] },
      'bad_request.validation_failure',
      'embeds.1',
      'url > 256 bytes',
    ],
    [
      'a parent that is nothing',
      { text: 'x', parent: '0x12345678' },
      'InvalidField',
      'parent',
      /hash of a cast/,
    ],
    [
      'a parent that is too long',
      { text: 'x', parent: `https://${'a'.repeat(250)}` },
      'bad_request.validation_failure',
      'parent',
      'url > 256 bytes',
    ],
    ['an empty idem', { text: 'x', idem: '' }, 'InvalidField', 'idem', /1 to 128/],
  ])('refuses %s, and names it', async (_, body, code, property, message) => {
    const refused = await refusal(body)
    expect(refused).toMatchObject({ status: 400, property })
    expect(refused.code).toBe(code ?? 'bad_request.validation_failure')
    expect(refused.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })

  it('refuses a wrong author of a known parent', async () => {
    const { hash } = await published({ text: 'mine' }, bobSigner)
    expect(await refusal({ text: 'x', parent: hash, parent_author_fid: 3 })).toMatchObject({
      status: 400,
      property: 'parent_author_fid',
    })
  })

  it('equal texts in one second -> two casts, none in the future', async () => {
    const duplicates = await Promise.all([1, 2, 3].map(() => published({ text: 'gm' })))
    expect(new Set(duplicates.map(({ hash }) => hash)).size).toBe(3)
    for (const { timestamp } of duplicates)
      expect(Date.parse(timestamp)).toBeLessThanOrEqual(testNowUnix * 1000)
  })
})

describe('DELETE cast', () => {
  const remove = (target_hash: string, signer = aliceSigner) =>
    api.send('DELETE', 'cast', { signer_uuid: signer, target_hash })

  it('deletes a cast for good; a repetition succeeds', async () => {
    const { hash } = await published({ text: 'a mistake' })
    for (const name of [hash, hash.slice(2)]) {
      expect(bodyOf(await remove(name))).toMatchObject({ success: true })
    }
    expect((await api.get('cast', { identifier: hash, type: 'hash' })).statusCode).toBe(404)
    const again = await published({ text: 'a mistake' })
    expect(again.hash).not.toBe(hash)
    expect(again.text).toBe('a mistake')
  })

  it('deletes a cast that another key of the user signed', async () => {
    const cast = alice.cast('by another app', testNow - 5)
    await hub.submit([cast])
    expect((await remove(`0x${cast.hash.toString('hex')}`)).statusCode).toBe(200)
  })

  it('refuses casts of others and unknown casts', async () => {
    const { hash } = await published({ text: 'not yours' }, bobSigner)
    const others = await remove(hash)
    expect([others.statusCode, others.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'Forbidden', property: 'target_hash' }),
    ])
    const unknown = await remove(`0x${'cd'.repeat(20)}`)
    expect([unknown.statusCode, unknown.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'NotFound', property: 'target_hash' }),
    ])
  })
})
