import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { openHubApi } from '../../../../test/hub-api.js'
import { TestUser, testNow } from '../../../../test/network.js'

const { db } = await createTestDatabase()
const api = await openHubApi(db)
const users = Array.from({ length: 12 }, (_, index) => new TestUser(index + 1))
const author = users[0]!
const casts = Array.from({ length: 15 }, (_, n) =>
  // Many have the same second and are ordered by hash.
  author.cast(`cast ${n}`, testNow - 50 + Math.floor(n / 5), { mentions: [7], mentionsPositions: [0] }),
)
const root = casts[0]!

beforeAll(async () => {
  await api.hub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 2 })))
  await api.hub.submit(casts)
  for (const user of users) {
    const parentCastId = { fid: author.fid, hash: root.hash }
    await api.hub.submit([
      user.react(root, testNow - (user.fid % 3)),
      user.react(root, testNow - (user.fid % 2), { type: 2 }),
      user.react(casts[user.fid]!, testNow - 9),
      user.link(author.fid === user.fid ? 2 : author.fid, testNow - 5),
      user.cast('reply', testNow - (user.fid % 4), { parentCastId }),
    ])
  }
})

const rootHash = root.hash.toString('hex')
const lists = [
  { path: 'castsByFid?fid=1', length: 16 },
  { path: 'castsByMention?fid=7', length: 15 },
  { path: `castsByParent?fid=1&hash=${rootHash}`, length: 12 },
  { path: `reactionsByCast?target_fid=1&target_hash=${rootHash}`, length: 24 },
  { path: `reactionsByCast?target_fid=1&target_hash=${rootHash}&reaction_type=Like`, length: 12 },
  { path: 'reactionsByFid?fid=3&reaction_type=Like', length: 2 },
  { path: 'linksByTargetFid?target_fid=1&link_type=follow', length: 11 },
  { path: 'linksByFid?fid=2', length: 1 },
]

interface MessageJson {
  readonly hash: string
  readonly data: { readonly timestamp: number }
}

/** Reads all pages by their tokens; fails when the list does not end. */
async function walk(path: string, size: number, reverse: boolean): Promise<MessageJson[]> {
  const messages: MessageJson[] = []
  let token = ''
  for (let pages = 0; pages < 100; pages += 1) {
    const query = `pageSize=${size}&reverse=${reverse}&pageToken=${encodeURIComponent(token)}`
    const { status, body, text } = await api.get(`/v1/${path}&${query}`)
    expect(status, text).toBe(200)
    expect(body.messages.length).toBeLessThanOrEqual(size)
    messages.push(...body.messages)
    token = body.nextPageToken
    if (token === '') return messages
  }
  throw new Error(`${path} never ends`)
}

test('every list, any page size -> each message once, in the order of time and hash', async () => {
  const requests = fc.record({
    list: fc.constantFrom(...lists),
    size: fc.integer({ min: 1, max: 30 }),
    reverse: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(requests, async ({ list, size, reverse }) => {
      const shown = (await walk(list.path, size, reverse)).map(placeOf)
      expect(shown).toHaveLength(list.length)
      const ordered = [...shown].sort()
      expect(shown).toEqual(reverse ? ordered.reverse() : ordered)
      expect(new Set(shown).size).toBe(shown.length)
    }),
    { numRuns: 80, examples: lists.map((list) => [{ list, size: 1, reverse: false }]) },
  )
})

/** Sorts like (time, hash): all times have the same number of digits. */
function placeOf({ data, hash }: MessageJson): string {
  return `${data.timestamp} ${hash}`
}

test('the next page continues where the last ended, whatever was added or removed in between', async () => {
  const path = '/v1/castsByFid?fid=1&pageSize=5'
  const first = (await api.get(path)).body
  await api.hub.submit([
    author.removeCast(casts.at(-1)!.hash, testNow - 60),
    author.cast('old', testNow - 70),
  ])
  const second = (await api.get(`${path}&pageToken=${encodeURIComponent(first.nextPageToken)}`)).body
  const places = [...first.messages, ...second.messages].map(placeOf)
  expect(places).toEqual([...new Set(places)].sort())
  expect(places).toHaveLength(10)
})
