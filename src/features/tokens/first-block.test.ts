import type { Address } from 'viem'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type Faults, startRpcProxy } from '../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { openEndpoint } from '../../hub/chain/endpoint.js'
import { findFirstBlock } from './token-details.js'

const chain = await startTestChain()
const proxy = await startRpcProxy(chain.url)
const endpoint = openEndpoint(proxy.url)
let token: Address
let deployedIn = 0

beforeAll(async () => {
  await chain.mine(40)
  token = await chain.deployToken('Apple', 'APL', 18)
  deployedIn = Number(await chain.client.getBlockNumber())
  await chain.mine(60)
})

beforeEach(() => {
  proxy.faults = {}
})

/** Fails from the second request for code on. */
function withinTimeout<T>(fault: T): (method: string) => T | null {
  let callCount = 0
  return (method) => {
    if (method === 'eth_getCode') callCount += 1
    return callCount > 1 ? fault : null
  }
}

it('findFirstBlock: finds the first block by binary search', async () => {
  expect(await findFirstBlock(endpoint, token)).toBe(deployedIn)
})

it.each([
  'missing trie node 1f4a',
  'historical state is not available',
  'project is limited to recent blocks',
])('findFirstBlock: a node that answers "%s" -> 0', async (message) => {
  proxy.faults = { refuse: withinTimeout(message) }
  expect(await findFirstBlock(endpoint, token)).toBe(0)
})

it('findFirstBlock: a node that charges for old states -> 0', async () => {
  proxy.faults = { status: withinTimeout(403) }
  expect(await findFirstBlock(endpoint, token)).toBe(0)
})

const transientError: Readonly<Record<string, () => Faults>> = {
  'cuts the connection': () => {
    const isCut = withinTimeout(true)
    return {
      hold: async (method) => {
        if (isCut(method)) throw new Error('connection closed')
      },
    }
  },
  'is asked too much': () => ({ status: withinTimeout(429) }),
  fails: () => ({ status: withinTimeout(502) }),
}

it.each(Object.keys(transientError))(
  'findFirstBlock: an RPC that %s -> an error, to be retried',
  async (what) => {
    proxy.faults = transientError[what]!()
    await expect(findFirstBlock(endpoint, token)).rejects.toThrow()
    proxy.faults = {}
    expect(await findFirstBlock(endpoint, token)).toBe(deployedIn)
  },
)
