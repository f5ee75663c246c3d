import { describe, expect, test } from 'vitest'
import { testNow } from '../../../../test/network.js'
import { castId, createCastNetwork, prefixedHash, userOf } from './testing/cast-network.js'

const { ask, api, merge, countStatements } = await createCastNetwork()
const [alice, bob, carol] = [userOf(1), userOf(2), userOf(3)]

const first = alice.cast('first light', testNow - 500)
const reply = bob.cast('second thoughts', testNow - 400, { parentCastId: castId(first) })
const quote = carol.cast('look', testNow - 300, { embeds: [{ castId: castId(first) }] })
await merge(first, reply, quote, bob.react(first, testNow - 10), carol.react(first, testNow - 10))
await merge(carol.react(reply, testNow - 10))

describe('200', () => {
  test('finds a cast by its hash, with or without 0x, in any case', async () => {
    const hash = prefixedHash(first)
    for (const identifier of [hash, hash.slice(2), hash.toUpperCase().replace('0X', '0x')]) {
      const { cast } = await ask('cast', { identifier, type: 'hash' })
      expect(cast).toMatchObject({ hash, text: 'first light', author: { fid: 1, username: 'alice' } })
    }
  })

  test.each([
    ['a page of its author', (hash: string) => `https://farcaster.xyz/bob/${hash.slice(0, 10)}`],
    ['a page of its author of 2023', (hash: string) => `https://warpcast.com/bob/${hash.slice(0, 8)}`],
    [
      'one under a name that the author had',
      (hash: string) => `https://farcaster.xyz/bobby/${hash.slice(0, 14)}`,
    ],
    ['a conversation', (hash: string) => `https://farcaster.xyz/~/conversations/${hash}`],
    ['a page of another client, with a query', (hash: string) => `https://client.example/bob/${hash}?a=b#c`],
  ])('finds a cast by the URL of %s', async (_, urlOf) => {
    const { cast } = await ask('cast', { identifier: urlOf(prefixedHash(reply)), type: 'url' })
    expect(cast).toMatchObject({ hash: prefixedHash(reply), text: 'second thoughts' })
  })

  test('six digits are of the named author only', async () => {
    const url = `https://warpcast.com/alice/${prefixedHash(reply).slice(0, 8)}`
    expect((await api.get('cast', { identifier: url, type: 'url' })).statusCode).toBe(404)
    const unnamed = `https://warpcast.com/~/conversations/${prefixedHash(reply).slice(0, 8)}`
    expect((await api.get('cast', { identifier: unnamed, type: 'url' })).statusCode).toBe(400)
  })

  test('six digits are of an author without a username, too', async () => {
    const cast = carol.cast('no name', testNow - 50)
    await merge(cast)
    const shown = await ask('cast', { identifier: prefixedHash(cast), type: 'hash' })
    expect(shown).toMatchObject({ cast: { author: { username: '!3' } } })
    const url = `https://farcaster.xyz/!3/${prefixedHash(cast).slice(0, 8)}`
    expect(await ask('cast', { identifier: url, type: 'url' })).toEqual(shown)
  })

  test('viewer_fid -> viewer_context of the cast', async () => {
    const { cast } = await ask('cast', { identifier: prefixedHash(first), type: 'hash', viewer_fid: 2 })
    expect(cast).toMatchObject({ viewer_context: { liked: true, recasted: false } })
  })

  test('runs at most six statements', async () => {
    const query = { identifier: prefixedHash(quote), type: 'hash', viewer_fid: 2 }
    expect(await countStatements('cast', query)).toBeLessThanOrEqual(6)
  })

  test('bulk: returns casts in the order of the request, without unknown ones', async () => {
    const casts = [quote, first, reply].map(prefixedHash)
    const { result } = await ask('casts', {
      casts: [casts[0], `0x${'00'.repeat(20)}`, casts[1], casts[2]].join(', '),
    })
    expect((result as { casts: { hash: string }[] }).casts.map(({ hash }) => hash)).toEqual(casts)
  })

  test.each([
    ['recent', [quote, reply, first]],
    ['likes', [first, reply, quote]],
    ['replies', [first, quote, reply]],
    ['recasts', [quote, reply, first]],
    ['trending', [first, reply, quote]],
  ])('casts can be sorted: %s', async (sort_type, expected) => {
    const casts = [reply, quote, first].map(prefixedHash).join(',')
    const { result } = await ask('casts', { casts, sort_type })
    expect((result as { casts: { hash: string }[] }).casts.map(({ hash }) => hash)).toEqual(
      expected.map(prefixedHash),
    )
    expect(await countStatements('casts', { casts, sort_type, viewer_fid: 1 })).toBeLessThanOrEqual(6)
  })
})

test.each([
  [{ identifier: '0x12', type: 'hash' }, 'identifier'],
  [{ identifier: 'https://farcaster.xyz/alice', type: 'url' }, 'identifier'],
  [{ identifier: 'https://farcaster.xyz/alice/0x12345', type: 'url' }, 'identifier'],
  [{ identifier: 'no url', type: 'url' }, 'identifier'],
  [{ identifier: prefixedHash(first) }, 'type'],
  [{ type: 'hash' }, 'identifier'],
])('400: %j is refused', async (query, property) => {
  const response = await api.get('cast', query)
  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ property })
})

test('400: hashes that are invalid', async () => {
  expect((await api.get('casts', { casts: 'xyz' })).json()).toMatchObject({ status: 400, property: 'casts' })
  expect((await api.get('casts', {})).json()).toMatchObject({ status: 400, property: 'casts' })
})

test('404: an unknown or deleted cast', async () => {
  const removedCast = alice.cast('gone', testNow - 50)
  await merge(removedCast, alice.removeCast(removedCast.hash, testNow - 40))
  for (const identifier of [`0x${'ab'.repeat(20)}`, prefixedHash(removedCast)]) {
    expect((await api.get('cast', { identifier, type: 'hash' })).statusCode).toBe(404)
  }
})
