import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { itemFrame } from '../hub/archive/frame.js'
import { CastType, FarcasterNetwork, type MessageData, MessageType } from '../protocol/definitions.js'
import { checkSignatures, validateStateless } from '../protocol/validate.js'
import type { DemoItem } from './draft.js'
import { type DemoOptions, demoOptions, demoStart } from './options.js'
import { generateDemo } from './simulation.js'

const end = 1_793_491_200
const small = demoOptions({ users: 30, casts: 400, seed: 'test', end })

async function itemsOf(options: DemoOptions, skip = 0): Promise<DemoItem[]> {
  const made: DemoItem[] = []
  for await (const item of generateDemo(options, skip)) made.push(item)
  return made
}

function digest(items: readonly DemoItem[]): string {
  const hash = createHash('sha256')
  for (const item of items) hash.update(itemFrame(item))
  return hash.digest('hex')
}

function dataOf(items: readonly DemoItem[]): MessageData[] {
  return items.flatMap((item) => (item.kind === 'message' ? [item.message.data] : []))
}

const items = await itemsOf(small)
const messages = items.flatMap((item) => (item.kind === 'message' ? [item.message] : []))
const casts = dataOf(items).flatMap((data) => (data.castAddBody ? [data.castAddBody] : []))

describe('a demo', () => {
  it('gives the same bytes for the same options', async () => {
    expect(digest(await itemsOf(small))).toBe(digest(items))
  })

  it('does not change from one version to the next', () => {
    expect(digest(items)).toMatchInlineSnapshot(
      `"9fadebc6708ae0c5abedbedf3421d53a3119ed6c7eae64e2efa4414abe465f7f"`,
    )
  })

  it('differs for another seed, size, end or network', async () => {
    const others = [
      { ...small, seed: 'other' },
      { ...small, casts: 601 },
      { ...small, end: end - 86_400 },
      { ...small, network: FarcasterNetwork.TESTNET },
    ]
    const digests = await Promise.all(others.map(async (options) => digest(await itemsOf(options))))
    expect(new Set([digest(items), ...digests]).size).toBe(5)
  })

  it('can continue from any item', async () => {
    for (const skip of [1, 777, items.length - 1]) {
      expect(digest(await itemsOf(small, skip))).toBe(digest(items.slice(skip)))
    }
  })

  it('has exactly the requested numbers of casts, reactions and follows', () => {
    const count = (type: MessageType) => messages.filter(({ data }) => data.type === type).length
    expect(count(MessageType.CAST_ADD)).toBe(small.casts)
    expect(count(MessageType.REACTION_ADD)).toBe(small.reactions)
    const follows = messages.filter(({ data }) => data.type === MessageType.LINK_ADD)
    const pairs = new Set(follows.map(({ data }) => `${data.fid}>${data.linkBody!.targetFid}`))
    expect(pairs.size).toBe(small.follows)
  })

  it('contains only valid messages', async () => {
    const context = {
      network: FarcasterNetwork.DEVNET,
      now: end - 1_609_459_200,
      isPro: true,
      isSynced: true,
    }
    for (const message of messages) {
      expect(validateStateless(message, context)).toBeNull()
      expect(await checkSignatures(message)).toBeNull()
    }
  })

  it('happens within its 30 days', () => {
    const times = messages.map(({ data }) => data.timestamp + 1_609_459_200)
    expect(Math.min(...times)).toBeGreaterThanOrEqual(demoStart(small))
    expect(Math.max(...times)).toBeLessThan(end + 600)
  })

  it('orders items: users join before they cast, and refer only to existing casts', () => {
    const ready = new Set<number>()
    const hashes = new Set<string>()
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
    for (const item of items) {
      if (item.kind === 'chainEvent' && item.event.signerEventBody) ready.add(item.event.fid)
      if (item.kind !== 'message') continue
      const { data, hash } = item.message
      expect(ready.has(data.fid)).toBe(true)
      const { parentCastId, embeds = [] } = data.castAddBody ?? {}
      const referred = [
        parentCastId?.hash,
        ...embeds.map((embed) => embed.castId?.hash),
        data.reactionBody?.targetCastId?.hash,
        data.castRemoveBody?.targetHash,
      ]
      for (const each of referred) if (each) expect(hashes.has(hex(each))).toBe(true)
      if (data.castAddBody) hashes.add(hex(hash))
    }
    expect(hashes.size).toBe(small.casts)
  })

  it('places mentions at byte offsets', () => {
    const mentioning = casts.filter(({ mentions }) => mentions.length > 0)
    expect(mentioning.length).toBeGreaterThan(10)
    for (const { text, mentions, mentionsPositions } of mentioning) {
      expect(mentionsPositions).toHaveLength(mentions.length)
      const bytes = Buffer.from(text)
      for (const position of mentionsPositions) {
        // A position inside a character leaves broken UTF-8 on both sides.
        expect(bytes.subarray(0, position).toString()).not.toContain('\ufffd')
        expect(bytes.subarray(position).toString()).not.toContain('\ufffd')
      }
    }
    const afterEmoji = mentioning.some(
      ({ text, mentionsPositions: [first] }) =>
        Buffer.from(text).subarray(0, first).toString().length !== first,
    )
    expect(afterEmoji).toBe(true)
  })

  it('contains every kind of action', () => {
    const kinds = new Set(messages.map(({ data }) => data.type))
    const expected = [
      MessageType.CAST_REMOVE,
      MessageType.REACTION_REMOVE,
      MessageType.LINK_REMOVE,
      MessageType.VERIFICATION_ADD_ETH_ADDRESS,
      MessageType.USER_DATA_ADD,
    ]
    for (const type of expected) expect(kinds).toContain(type)
    expect(casts.some((body) => body.parentUrl?.startsWith('https://farcaster.xyz/~/channel/'))).toBe(true)
    expect(casts.some((body) => body.embeds.some(({ castId }) => castId))).toBe(true)
    expect(casts.some((body) => body.embeds.some(({ url }) => url))).toBe(true)
    expect(casts.some((body) => body.type === CastType.LONG_CAST)).toBe(true)
    const replies = casts.filter(({ parentCastId }) => parentCastId).length
    expect(replies / casts.length).toBeGreaterThan(0.2)
  })

  it('is unequal: few users have most followers', () => {
    const followers = new Map<number, number>()
    for (const { linkBody, type } of dataOf(items)) {
      if (type !== MessageType.LINK_ADD) continue
      followers.set(linkBody!.targetFid!, (followers.get(linkBody!.targetFid!) ?? 0) + 1)
    }
    const counts = [...followers.values()].sort((a, b) => b - a)
    expect(counts[0]!).toBeGreaterThan(5 * counts[Math.floor(counts.length * 0.8)]!)
  })

  it('works with the smallest sizes', async () => {
    for (const [users, count] of [
      [1, 0],
      [1, 5],
      [2, 20],
      [3, 1],
    ] as const) {
      const options = demoOptions({ users, casts: count, seed: 's', end })
      const made = dataOf(await itemsOf(options))
      expect(made.filter(({ castAddBody }) => castAddBody)).toHaveLength(count)
    }
  })
})
