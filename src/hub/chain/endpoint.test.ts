import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Endpoint, openEndpoint } from './endpoint.js'

const address = `0x${'11'.repeat(20)}` as const
let endpoint: Endpoint
let result: unknown
const server = createServer((_req, res) => {
  res.setHeader('content-type', 'application/json')
  res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endpoint = openEndpoint(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

describe('an overloaded RPC that answers success without a result', () => {
  test.each([null, undefined, '', 'busy', {}])('has not answered: %o', async (nothing) => {
    result = nothing
    const asked = [
      endpoint.chainId(),
      endpoint.head(),
      endpoint.logs({ addresses: [address], topics: [] }, 1, 2),
      endpoint.call(address, '0x95d89b41'),
      endpoint.code(address, 1),
      endpoint.request('eth_getBalance', [address, 'latest']),
      endpoint.request('eth_getTransactionCount', [address, 'latest']),
    ]
    for (const answer of await Promise.allSettled(asked)) {
      expect(answer).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringMatching('no valid answer to') },
      })
    }
  })

  test('may return null for a block or a transaction', async () => {
    result = null
    expect(await endpoint.header(7)).toBeNull()
    expect(await endpoint.senders([`0x${'22'.repeat(32)}`])).toEqual([null])
    expect(await endpoint.request('eth_getTransactionReceipt', [`0x${'22'.repeat(32)}`])).toBeNull()
  })
})
