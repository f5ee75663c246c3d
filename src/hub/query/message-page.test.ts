import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNow } from '../../../test/network.js'
import { readLinksByFid } from './message-page.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const alice = new TestUser(1)

test('links of a type are those alone, also beside types that go on after a zero byte', async () => {
  await hub.submitOnChainEvents(alice.onChain())
  const types = ['follow', 'follow\0x', 'fol', 'fol\0low', '\0', '\0\0']
  // The target has the bytes of a type, and of its end.
  const targets = [5, 0x7800]
  const links = types.flatMap((type, index) =>
    targets.map((target) => alice.link(target, testNow - 10 + index, { type })),
  )
  expect(new Set(await hub.submit(links))).toEqual(new Set([null]))
  for (const type of types) {
    const { messages } = await readLinksByFid(db, 1, type, { after: null, limit: 100, reverse: false })
    const expected = links.filter(({ data }) => data.linkBody?.type === type)
    expect(messages).toHaveLength(targets.length)
    for (const { hash } of expected) expect(messages.some((bytes) => bytes.includes(hash))).toBe(true)
  }
  const all = await readLinksByFid(db, 1, null, { after: null, limit: 100, reverse: false })
  expect(all.messages).toHaveLength(links.length)
})
