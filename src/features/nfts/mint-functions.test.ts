import { type Hex, toFunctionSelector } from 'viem'
import { expect, it } from 'vitest'
import type { Endpoint } from '../../hub/chain/endpoint.js'
import { MintFinder } from './mint-functions.js'

const contract: Hex = `0x${'c0'.repeat(20)}`
const from: Hex = `0x${'f0'.repeat(20)}`
const receiver = (n: number): Hex => `0x${String(n).padStart(40, '0')}`

/** A node with a contract that has one mint function and no price, and refuses every other call in these words. */
function nodeWith(signature: string, refusal: string) {
  let estimates = 0
  const call = async () => {
    throw new Error('execution reverted')
  }
  const request = async (method: string, params: unknown[]) => {
    const [{ data }] = params as [{ readonly data: Hex }]
    expect(method).toBe('eth_estimateGas')
    estimates += 1
    if (data.startsWith(toFunctionSelector(signature))) return '0x5208'
    throw new Error(refusal)
  }
  return { endpoint: { call, request } as unknown as Endpoint, estimates: () => estimates }
}

it('tries the function first that was accepted for the receiver before', async () => {
  const { endpoint, estimates } = nodeWith('safeMint(address)', 'execution reverted')
  const finder = new MintFinder(contract)
  for (let n = 1; n <= 5; n += 1) {
    expect(await finder.find(endpoint, { to: receiver(n), quantity: 1, from })).toMatchObject({
      functionAbi: { name: 'safeMint' },
      args: [receiver(n)],
      gas: 21_000n,
    })
  }
  // The last of six functions for the first receiver.
  expect(estimates()).toBe(6 + 4)
})

it.each(['gas required exceeds allowance (30000000)', 'out of gas'])(
  'a contract that burns its gas (%s) is minted to by none, and its node is not to blame',
  async (refusal) => {
    const { endpoint } = nodeWith('none()', refusal)
    expect(await new MintFinder(contract).find(endpoint, { to: receiver(1), quantity: 1, from })).toBeNull()
  },
)
