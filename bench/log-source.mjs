import { createHash } from 'node:crypto'
import { createServer } from 'node:http'

/**
 * An RPC of a chain that has nothing but one token's transfers, a function of their number: what a follower is given
 * costs next to nothing to make. New empty blocks come once a second. Like real ones it refuses ranges with too many logs.
 */

export const TOKEN = `0x${'70'.repeat(20)}`
export const CHAIN_ID = 8453
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const LOGS_PER_BLOCK = 100
const MAX_LOGS = 10_000
const FIRST_BLOCK = 1_000
const ZERO = '0'.repeat(40)

/** The address of a holder, in hex without 0x; `holderSql` is the same in SQL, as bytes. @param {number} index */
export function holder(index) {
  return createHash('sha256').update(`holder ${index}`).digest('hex').slice(0, 40)
}
/** @param {string} index An expression. */
export const holderSql = (index) =>
  `substring(sha256(convert_to('holder ' || ${index}, 'UTF8')) from 1 for 20)`

/**
 * Every holder is given something, and then every fifth passes some of it on.
 *
 * @param {{ holders: number }} size
 */
export async function startLogSource({ holders }) {
  const transfers = holders + Math.floor(holders / 5)
  const lastBlock = FIRST_BLOCK + Math.ceil(transfers / LOGS_PER_BLOCK) - 1
  const startedAt = Date.now()
  const head = () => lastBlock + 30 + Math.floor((Date.now() - startedAt) / 1000)
  // Made before, so that the follower is measured and not this.
  const blocks = Array.from({ length: lastBlock - FIRST_BLOCK + 1 }, (_, index) =>
    blockLogs(index, { holders, transfers }),
  )

  /** @type {Record<string, (params: any[]) => string>} */
  const methods = {
    eth_chainId: () => JSON.stringify(hex(CHAIN_ID)),
    eth_blockNumber: () => JSON.stringify(hex(head())),
    eth_getBlockByNumber: ([number]) =>
      JSON.stringify(Number(number) > head() ? null : header(Number(number))),
    eth_getCode: ([, number]) => JSON.stringify(Number(number) < FIRST_BLOCK ? '0x' : '0x00'),
    // Only the token is a contract: there is no Multicall3.
    eth_call: ([{ to, data }]) => JSON.stringify(to === TOKEN ? answer(data) : '0x'),
    eth_getLogs: ([{ fromBlock, toBlock }]) => {
      const from = Math.max(0, Number(fromBlock) - FIRST_BLOCK)
      const to = Math.min(blocks.length, Number(toBlock) - FIRST_BLOCK + 1)
      if ((to - from) * LOGS_PER_BLOCK > MAX_LOGS) throw new Error('query returned more than 10000 results')
      return `[${blocks.slice(from, Math.max(from, to)).join(',')}]`
    },
  }
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    let reply
    try {
      reply = `"result":${methods[method]?.(params) ?? 'null'}`
    } catch (error) {
      reply = `"error":{"code":-32005,"message":${JSON.stringify(/** @type {Error} */ (error).message)}}`
    }
    response.setHeader('content-type', 'application/json')
    response.end(`{"jsonrpc":"2.0","id":${id},${reply}}`)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    transfers,
    firstBlock: FIRST_BLOCK,
    lastBlock,
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  }
}

/** The logs of a block, as the inside of a JSON list. @param {number} index @param {{ holders: number, transfers: number }} size */
function blockLogs(index, { holders, transfers }) {
  const number = FIRST_BLOCK + index
  const logs = []
  for (let at = 0; at < LOGS_PER_BLOCK; at += 1) {
    const transfer = index * LOGS_PER_BLOCK + at
    if (transfer >= transfers) break
    const passedOn = (transfer - holders) * 5
    const [from, to] =
      transfer < holders ? [ZERO, holder(transfer)] : [holder(passedOn), holder(passedOn + 1)]
    const value = transfer < holders ? 1_000_000 + transfer : 1_000
    logs.push({
      address: TOKEN,
      topics: [TRANSFER, word(from), word(to)],
      data: word(value.toString(16)),
      blockNumber: hex(number),
      blockHash: header(number).hash,
      transactionHash: word(transfer.toString(16)),
      transactionIndex: hex(at),
      logIndex: hex(at),
      removed: false,
    })
  }
  return logs.map((log) => JSON.stringify(log)).join(',')
}

/** @param {number} number */
function header(number) {
  return {
    number: hex(number),
    hash: word(hex(number).slice(2)),
    parentHash: word(hex(number - 1).slice(2)),
    timestamp: hex(1_700_000_000 + number),
  }
}

/** What the token says of itself. @param {string} data */
function answer(data) {
  const text = `0x${'20'.padStart(64, '0')}${'5'.padStart(64, '0')}${Buffer.from('Bench').toString('hex').padEnd(64, '0')}`
  if (data === '0x313ce567') return word('12')
  if (data === '0x18160ddd') return word('ffff')
  return text
}

/** @param {number} number */
function hex(number) {
  return `0x${number.toString(16)}`
}

/** @param {string} digits */
function word(digits) {
  return `0x${digits.padStart(64, '0')}`
}
