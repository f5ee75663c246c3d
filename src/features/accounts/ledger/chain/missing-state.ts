import { HttpRequestError, LimitExceededRpcError } from 'viem'
import { PlazaError } from '../../../../platform/errors.js'

/** No RPC of a chain has the old states that a search needs. Unlike other failures, it stays until an RPC is added. */
export class MissingState extends PlazaError {
  constructor(cause: unknown) {
    const message =
      'no RPC of the network has the old states that show what this wallet has paid for: add an RPC URL that keeps old states (an archive node) and restart'
    super('unavailable.other_side', message, { cause })
  }
}

/** Texts of geth, Erigon, Nethermind, Reth and providers. One for an unknown block is not among them: a node may be behind. */
const missingStatePattern =
  /missing trie node|\bstate\b.*(?:unavailable|not available|pruned)|no state available|pruned|pruning|archiv|older than \d+ blocks/i
const rateLimitPattern = /rate.?limit|too many|quota|exceeded/i
const TOO_MANY = 429

/** Whether an RPC says that it does not keep the state of a block. Any doubt is a no: payments depend on it. */
export function isStateMissing(error: unknown): boolean {
  const texts: string[] = []
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof LimitExceededRpcError) return false
    if (each instanceof HttpRequestError && each.status === TOO_MANY) return false
    // Not its message, which has the URL: it may be that of an archive node.
    if ('details' in each) texts.push(String(each.details))
  }
  const text = texts.join('\n')
  return missingStatePattern.test(text) && !rateLimitPattern.test(text)
}
