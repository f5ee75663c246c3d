import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNow } from '../../../test/network.js'
import type { SignedMessage } from '../../protocol/message.js'
import { loadAncestors } from './ancestors.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const user = new TestUser(1)
await hub.submitOnChainEvents(user.onChain({ units: 5 }))

let second = testNow - 100_000

function reply(parent: SignedMessage | null): SignedMessage {
  second += 1
  return user.cast(`${second}`, second, parent ? { parentCastId: { fid: 1, hash: parent.hash } } : {})
}

function chainBelow(top: SignedMessage | null, length: number): SignedMessage[] {
  const casts: SignedMessage[] = []
  for (let n = 0; n < length; n += 1) casts.push(reply(casts.at(-1) ?? top))
  return casts
}

async function store(casts: readonly SignedMessage[]): Promise<void> {
  expect((await hub.submit(casts)).filter((refusal) => refusal !== null)).toEqual([])
}

const hexOf = ({ hash }: SignedMessage) => hash.toString('hex')

test('a long chain: each reply has those above it, or null for more than 64', async () => {
  const chain = chainBelow(null, 80)
  await store(chain)
  const hashes = chain.map(hexOf)
  const ancestors = await loadAncestors(db, hashes)
  expect(ancestors.has(hashes[0]!)).toBe(false)
  expect(ancestors.get(hashes[64]!)).toEqual(hashes.slice(0, 64).reverse())
  expect(ancestors.get(hashes[65]!)).toBeNull()
  expect(await loadAncestors(db, [hashes[79]!])).toEqual(new Map([[hashes[79]!, null]]))
})

test('the uppermost parent may be missing, or belong to another author than the reply says', async () => {
  const missing = reply(null)
  const [first, second] = chainBelow(missing, 2)
  const wrong = user.cast('who?', testNow, { parentCastId: { fid: 2, hash: second!.hash } })
  await store([first!, second!, wrong])
  const ancestors = await loadAncestors(db, [second!, wrong, missing].map(hexOf))
  expect(ancestors).toEqual(
    new Map([
      [hexOf(second!), [first!, missing].map(hexOf)],
      [hexOf(wrong), [hexOf(second!)]],
    ]),
  )
})

test('any replies of a tree, asked for together -> as each by itself', async () => {
  const tree = [reply(null)]
  // Each below one of the four before it: some share their parent, and all of them some of those above.
  for (let n = 1; n < 60; n += 1) tree.push(reply(tree[n - 1 - (n % Math.min(n, 4))]!))
  await store(tree)
  const hashes = tree.map(hexOf)
  await fc.assert(
    fc.asyncProperty(fc.subarray(hashes, { minLength: 1 }), async (asked) => {
      const together = await loadAncestors(db, asked)
      for (const hash of asked) {
        const alone = await loadAncestors(db, [hash])
        expect(together.get(hash)).toEqual(alone.get(hash))
      }
    }),
    { numRuns: 10 },
  )
})
