import { status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { encodeFields } from '../../hub/grpc/encoding.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import { openUpstreams, type Upstreams } from '../client/upstreams.js'
import { pagesOf } from './paged-calls.js'

const ENTRIES = 5
const settings = { addresses: ['first:1', 'second:1'], tls: false, headers: new Map(), trusted: false }

/** A node with a list of entries, one on each page, whose tokens no other node understands. */
function node(address: string, isDown: (calls: number) => boolean): UpstreamClient {
  let calls = 0
  return {
    address,
    call: async (_name, request) => {
      calls += 1
      if (isDown(calls)) throw new UpstreamFailure(status.UNAVAILABLE, address, 'down')
      const { pageToken } = request as { pageToken?: Uint8Array }
      const [name = address, place = '0'] = pageToken ? Buffer.from(pageToken).toString().split(' ') : []
      if (name !== address) throw new UpstreamFailure(status.INVALID_ARGUMENT, address, 'not my token')
      const next = Number(place) + 1
      const fields = [{ number: 1, bytes: Buffer.from(place) }]
      return encodeFields(
        next === ENTRIES ? fields : [...fields, { number: 2, bytes: Buffer.from(`${address} ${next}`) }],
      )
    },
    subscribe: () => {
      throw new Error('nobody subscribes')
    },
    events: async () => [],
    close: () => {},
  }
}

/** Asks nodes as the ones of the configuration are asked. */
function openNodes(...nodes: UpstreamClient[]): Upstreams {
  return openUpstreams(settings, { connect: (address) => nodes.find((each) => each.address === address)! })
}

async function read(upstreams: Upstreams): Promise<string[]> {
  const found = []
  for await (const page of pagesOf(upstreams, 'getAllCastMessagesByFid', { fid: 1 })) found.push(...page)
  return found.map(String)
}

test('a list whose upstream goes away in the middle is read from its beginning of the next one', async () => {
  const nodes = [node('first:1', (calls) => calls > 2), node('second:1', () => false)]
  expect(await read(openNodes(...nodes))).toEqual(['0', '1', '0', '1', '2', '3', '4'])
})

test('an upstream that answers again goes on where it was, as long as no other one has answered', async () => {
  const nodes = [node('first:1', (calls) => calls === 3), node('second:1', () => true)]
  expect(await read(openNodes(...nodes))).toEqual(['0', '1', '2', '3', '4'])
})
