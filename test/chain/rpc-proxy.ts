import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

/** Faults of an RPC. */
export interface Faults {
  /** Cuts every connection. */
  stopped?: boolean
  /** Answers with this error; null for none. */
  refuse?: (method: string, params: readonly unknown[]) => string | null
  /** Answers with this status and no JSON; null for none. */
  status?: (method: string) => number | null
  /** Refuses logs of more blocks than this. */
  maxLogRange?: number
  /** Lags by this many blocks. */
  blocksBehind?: number
  /** Reports this chain id. */
  chainId?: number
  /** Waits before it handles a request. */
  hold?: (method: string, params: readonly unknown[]) => Promise<void>
  /** Accepts transactions and does not send them. */
  dropsTransactions?: boolean
  /** Changes results before it answers. */
  alterResult?: (method: string, result: unknown, params: readonly unknown[]) => unknown
}

/** A proxy in front of an RPC. */
export interface RpcProxy {
  readonly url: string
  /** Faults from now on. */
  faults: Faults
  /** Number of requests by method. */
  readonly requestCounts: Map<string, number>
}

interface Request {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** The result or the error of the target. */
interface Reply {
  readonly result?: unknown
  readonly error?: unknown
}

/** Starts a proxy that ends with the file that calls it. */
export async function startRpcProxy(target: string): Promise<RpcProxy> {
  const server = createServer((req, res) => {
    answer(req, res).catch(() => res.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: {},
    requestCounts: new Map(),
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const request = JSON.parse(Buffer.concat(chunks).toString()) as Request
    proxy.requestCounts.set(request.method, (proxy.requestCounts.get(request.method) ?? 0) + 1)
    if (proxy.faults.stopped) return void res.destroy()
    const status = proxy.faults.status?.(request.method) ?? null
    if (status !== null) return void res.writeHead(status).end('not now')
    const reply = await applyFaults(request)
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...reply }))
  }

  async function applyFaults({ method, params }: Request): Promise<object> {
    const {
      maxLogRange = Number.POSITIVE_INFINITY,
      blocksBehind = 0,
      chainId,
      hold,
      dropsTransactions,
      alterResult,
    } = proxy.faults
    await hold?.(method, params)
    const refusal = proxy.faults.refuse?.(method, params) ?? null
    if (refusal !== null) return { error: { code: -32_000, message: refusal } }
    if (dropsTransactions && method === 'eth_sendRawTransaction') return { result: `0x${'00'.repeat(32)}` }
    if (method === 'eth_chainId' && chainId !== undefined) return { result: `0x${chainId.toString(16)}` }
    const head =
      blocksBehind === 0
        ? Number.POSITIVE_INFINITY
        : Number((await sendRpc(target, 'eth_blockNumber', [])).result) - blocksBehind
    if (method === 'eth_blockNumber' && blocksBehind > 0) return { result: `0x${head.toString(16)}` }
    if (method === 'eth_getBlockByNumber' && Number(params[0]) > head) return { result: null }
    if (method === 'eth_getLogs') {
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
      if (Number(toBlock) - Number(fromBlock) + 1 > maxLogRange) {
        return { error: { code: -32_005, message: 'query returned more than allowed' } }
      }
    }
    const reply = await sendRpc(target, method, params)
    if (reply.error !== undefined || alterResult === undefined) return reply
    return { result: alterResult(method, reply.result, params) }
  }

  return proxy
}

async function sendRpc(target: string, method: string, params: readonly unknown[]): Promise<Reply> {
  const reply = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await reply.json()) as Reply
  return error === undefined ? { result } : { error }
}
