import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { Endpoint } from './endpoint.js'

/** A read of a contract. */
export interface ContractRead {
  readonly to: Hex
  readonly data: Hex
}

/** Multicall3, which has this address on every public chain. */
export const MULTICALL_ADDRESS: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'
/** Reads of one request: about 12 million gas for reads of tokens, a quarter of what nodes allow. */
const READS_PER_CALL = 400
/** Concurrent requests without Multicall3. */
const CONCURRENCY = 16

const multicallAbi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
])

/**
 * Reads many contracts at the newest block: in one request where the chain has Multicall3, else one by one.
 *
 * @returns The answers in order; null for a read that reverts or that no contract answers.
 * @throws the error of the RPC.
 */
export async function batchCall(endpoint: Endpoint, reads: readonly ContractRead[]): Promise<(Hex | null)[]> {
  const answers: (Hex | null)[] = []
  for (let start = 0; start < reads.length; start += READS_PER_CALL) {
    const part = reads.slice(start, start + READS_PER_CALL)
    answers.push(...((await callTogether(endpoint, part)) ?? (await callEach(endpoint, part))))
  }
  return answers
}

/** Calls a contract; null when it reverts or does not exist. */
export async function callOrNull(endpoint: Endpoint, { to, data }: ContractRead): Promise<Hex | null> {
  const answer = await endpoint.call(to, data).catch((error: unknown) => {
    if (isRevert(error)) return null
    throw error
  })
  return answer === '0x' ? null : answer
}

/** Returns null on a chain without Multicall3. */
async function callTogether(
  endpoint: Endpoint,
  reads: readonly ContractRead[],
): Promise<(Hex | null)[] | null> {
  if (reads.length < 2) return null
  const calls = reads.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))
  const data = encodeFunctionData({ abi: multicallAbi, functionName: 'aggregate3', args: [calls] })
  const answer = await callOrNull(endpoint, { to: MULTICALL_ADDRESS, data })
  if (answer === null) return null
  const results = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: answer })
  // A contract that burns its gas leaves too little for those after it: failed reads are repeated alone.
  const repeated = await callEach(
    endpoint,
    reads.filter((_, index) => !results[index]!.success),
  )
  return results.map(({ success, returnData }) => {
    if (!success) return repeated.shift() ?? null
    return returnData === '0x' ? null : returnData
  })
}

async function callEach(endpoint: Endpoint, reads: readonly ContractRead[]): Promise<(Hex | null)[]> {
  const answers: (Hex | null)[] = []
  for (let start = 0; start < reads.length; start += CONCURRENCY) {
    const part = reads.slice(start, start + CONCURRENCY)
    answers.push(...(await Promise.all(part.map((read) => callOrNull(endpoint, read)))))
  }
  return answers
}

/** Returns true for an error by which an RPC reports that a call reverted. */
export function isRevert(error: unknown): boolean {
  return error instanceof Error && /revert|invalid opcode|out of gas|stack underflow/i.test(error.message)
}
