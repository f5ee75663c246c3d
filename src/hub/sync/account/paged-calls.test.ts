import { status } from '@grpc/grpc-js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { GetInfoResponse } from '../../../protocol/proto/generated/request_response.js'
import { encodeFields } from '../../protobuf.js'
import { listFids } from '../backfill/fid-list.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import { openUpstreams, type Upstreams } from '../client/upstreams.js'
import { readPages } from './paged-calls.js'

const { db } = await createTestDatabase()
const oneShard = Buffer.from(GetInfoResponse.encode(GetInfoResponse.fromPartial({ numShards: 1 })).finish())
const ENTRIES = 5
const settings = { tls: false, headers: new Map(), trusted: false }

/** A node with one entry on each page, whose tokens are unknown to other nodes. */
function node(address: string, isDown: (calls: number) => boolean): UpstreamClient {
  let calls = 0
  return nodeOf(address, (pageToken) => {
    calls += 1
    if (isDown(calls)) throw new UpstreamFailure(status.UNAVAILABLE, address, 'down')
    const [name = address, place = '0'] = pageToken ? Buffer.from(pageToken).toString().split(' ') : []
    if (name !== address) throw new UpstreamFailure(status.INVALID_ARGUMENT, address, 'not my token')
    const next = Number(place) + 1
    const fields = [{ number: 1, bytes: Buffer.from(place) }]
    return encodeFields(
      next === ENTRIES ? fields : [...fields, { number: 2, bytes: Buffer.from(`${address} ${next}`) }],
    )
  })
}

/**
 * A node of several shards with pages of one entry. Its tokens hold the next page of each shard; a shard
 * without one restarts (snapchain#720).
 */
function shardedNode(
  pagesOfShards: readonly number[],
  atEnd: 'no token' | 'a token of nothing',
): UpstreamClient {
  return nodeOf('sharded:1', (pageToken) => {
    const places = pageToken
      ? (JSON.parse(Buffer.from(pageToken).toString()) as (number[] | null)[])
      : pagesOfShards.map(() => null)
    const pages = places.map((place) => place?.[0] ?? 0)
    const next = pages.map((page, shard) => (page + 1 < pagesOfShards[shard]! ? [page + 1] : null))
    const fields = pages.flatMap((page, shard) =>
      page < pagesOfShards[shard]! ? [{ number: 1, bytes: Buffer.from(`${shard}/${page}`) }] : [],
    )
    const hasToken = atEnd === 'a token of nothing' || next.some((place) => place !== null)
    return encodeFields(
      hasToken ? [...fields, { number: 2, bytes: Buffer.from(JSON.stringify(next)) }] : fields,
    )
  })
}

function nodeOf(address: string, answer: (pageToken?: Uint8Array) => Buffer): UpstreamClient {
  return {
    address,
    call: async (_name, request) => answer((request as { pageToken?: Uint8Array }).pageToken),
    subscribe: () => {
      throw new Error('nobody subscribes')
    },
    events: async () => [],
    close: () => {},
  }
}

/** Opens nodes like the configured upstreams. */
function openNodes(...nodes: UpstreamClient[]): Upstreams {
  const addresses = nodes.map(({ address }) => address)
  return openUpstreams(
    { ...settings, addresses },
    { connect: (address) => nodes.find((each) => each.address === address)! },
  )
}

async function read(upstreams: Upstreams): Promise<string[]> {
  const found = []
  for await (const page of readPages(upstreams, 'getAllCastMessagesByFid', { fid: 1 })) found.push(...page)
  return found.map(String)
}

test('an upstream that stops within a list -> the next one reads it from the start', async () => {
  const nodes = [node('first:1', (calls) => calls > 2), node('second:1', () => false)]
  expect(await read(openNodes(...nodes))).toEqual(['0', '1', '0', '1', '2', '3', '4'])
})

test('an upstream that recovers continues its list, if no other one has answered', async () => {
  const nodes = [node('first:1', (calls) => calls === 3), node('second:1', () => true)]
  expect(await read(openNodes(...nodes))).toEqual(['0', '1', '2', '3', '4'])
})

test('a list over several shards is read to its end, whichever shard ends first', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('no token', 'a token of nothing'),
      async (shards, atEnd) => {
        const every = shards.flatMap((pages, shard) =>
          Array.from({ length: pages }, (_, page) => `${shard}/${page}`),
        )
        expect(new Set(await read(openNodes(shardedNode(shards, atEnd))))).toEqual(new Set(every))
      },
    ),
  )
})

test('pages that are too slow -> smaller ones are read, also if one takes longer than an answer may', async () => {
  const slow: UpstreamClient = {
    ...nodeOf('slow:1', () => Buffer.alloc(0)),
    call: async (_name, request) => {
      if ((request as { pageSize: number }).pageSize <= 20)
        return encodeFields([{ number: 1, bytes: Buffer.from('0') }])
      throw new UpstreamFailure(status.DEADLINE_EXCEEDED, 'slow:1', 'Deadline exceeded')
    },
  }
  const addresses = [slow.address]
  const upstreams = openUpstreams({ ...settings, addresses }, { connect: () => slow, answerTimeoutMs: 0 })
  expect(await read(upstreams)).toEqual(['0'])
})

/** A node whose lists never end: each page names the next of these tokens. */
function loopingNode(tokens: readonly string[]): UpstreamClient {
  let calls = 0
  return nodeOf('looping:1', () => {
    const token = tokens[calls % tokens.length]!
    calls += 1
    if (calls > 100) throw new Error('no end')
    // An entry that can be read as a message and as a fid.
    return encodeFields([
      { number: 1, bytes: Buffer.from([1]) },
      { number: 2, bytes: Buffer.from(token) },
    ])
  })
}

test.each([[['a']], [['a', 'b']], [['a', 'b', 'c']]])(
  'a node whose tokens go round %j -> error',
  async (tokens) => {
    await expect(read(openNodes(loopingNode(tokens)))).rejects.toThrow('the same page')
  },
)

test('a list of users whose tokens go round -> error', async () => {
  const client = loopingNode(['a', 'b'])
  const upstreams = openNodes({
    ...client,
    call: async (name, request) => (name === 'getInfo' ? oneShard : await client.call(name, request)),
  })
  await expect(listFids(db, upstreams, new AbortController().signal)).rejects.toThrow('the same page')
  expect([...(await db`select fid from sync.fids`)]).toContainEqual({ fid: 1 })
})
