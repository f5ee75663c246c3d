import { type OperationDescription, pathsOf } from '../api/operation.js'
import type { UnservedOperation } from '../api/register-unserved.js'

/**
 * The operations of the hosted API's public description 3.184.0, by path. A path without a leading slash is below
 * `/v2/farcaster`. Nothing here says what is served: an operation is when it is in `operations.ts`.
 */
const description = `
  /portal/organization/billing GET
  /portal/subscription/upgrade POST
  /portal/subscription/upgrade/preview GET
  /v2/fungible POST
  /v2/onchain/token/balances GET
  /v2/onchain/token/metadata GET
  /v2/onchain/token/metadata/batch GET
  /v2/signature/x402 POST
  /v2/signature/x402/siwx POST
  action POST
  app_host/user/event GET POST
  app_host/user/state GET
  auth_address/developer_managed GET
  auth_address/developer_managed/signed_key POST
  ban POST DELETE
  ban/list GET
  block POST DELETE
  block/list GET
  cast GET POST DELETE
  cast/conversation GET
  cast/conversation/summary GET
  cast/embed/crawl GET
  cast/metrics GET
  cast/quotes GET
  cast/search GET
  casts GET
  channel GET
  channel/bulk GET
  channel/follow POST DELETE
  channel/followers GET
  channel/followers/relevant GET
  channel/list GET
  channel/member DELETE
  channel/member/invite POST PUT
  channel/member/invite/list GET
  channel/member/list GET
  channel/search GET
  channel/trending GET
  channel/user GET
  feed GET
  feed/channels GET
  feed/following GET
  feed/parent_urls GET
  feed/topic GET
  feed/user/casts GET
  feed/user/popular GET
  feed/user/replies_and_recasts GET
  fname/availability GET
  followers GET
  followers/reciprocal GET
  followers/relevant GET
  following GET
  following/suggested GET
  frame/catalog GET
  frame/notification_tokens GET
  frame/notifications GET POST
  frame/relevant GET
  frame/search GET
  frame/transaction/pay GET POST
  fungible/owner/relevant GET
  fungible/owner/relevant/bulk GET
  fungible/send POST
  fungible/trades GET
  fungible/trending GET
  fungibles GET
  login/authorize GET
  login/nonce GET
  message POST
  mute POST DELETE
  mute/list GET
  nft/deploy/erc721 POST
  nft/image POST
  nft/metadata/token POST
  nft/mint GET POST
  notifications GET
  notifications/channel GET
  notifications/parent_url GET
  notifications/seen POST
  reaction POST DELETE
  reactions/cast GET
  reactions/user GET
  signer GET POST
  signer/developer_managed GET
  signer/developer_managed/signed_key POST
  signer/list GET
  signer/signed_key POST
  storage/allocations GET
  storage/buy POST
  storage/usage GET
  topic/trending GET
  user POST PATCH
  user/balance GET
  user/best_friends GET
  user/bulk GET
  user/bulk-by-address GET
  user/by_location GET
  user/by_username GET
  user/by_x_username GET
  user/channels GET
  user/custody-address GET
  user/fid GET
  user/follow POST DELETE
  user/interactions GET
  user/memberships/list GET
  user/register POST
  user/search GET
  user/subscribed_to GET
  user/subscribers GET
  user/subscriptions_created GET
  user/verification POST DELETE
  user/verifications GET
  webhook GET POST PUT PATCH DELETE
  webhook/list GET
  /v2/stp/subscription_check GET
  /v2/studio/credit-drops GET
  /v2/studio/credit-drops/claim POST
  /v2/studio/deployment GET POST DELETE
  /v2/studio/deployment/account-association GET POST
  /v2/studio/deployment/build POST
  /v2/studio/deployment/by-name-and-fid GET
  /v2/studio/deployment/conversations GET
  /v2/studio/deployment/conversations/messages GET
  /v2/studio/deployment/database/provision POST
  /v2/studio/deployment/database/query POST
  /v2/studio/deployment/database/sql POST
  /v2/studio/deployment/database/tables GET
  /v2/studio/deployment/database/tables/{table_name}/rows POST PATCH DELETE
  /v2/studio/deployment/database/tables/{table_name}/schema GET
  /v2/studio/deployment/dev-status GET
  /v2/studio/deployment/export-zip GET
  /v2/studio/deployment/file GET
  /v2/studio/deployment/files GET
  /v2/studio/deployment/prompt/stream POST
  /v2/studio/deployment/recover POST
  /v2/studio/deployment/secrets GET POST DELETE
  /v2/studio/deployment/session/cancel POST
  /v2/studio/deployment/start POST
  /v2/studio/deployment/stop POST
  /v2/studio/deployment/upload-image POST
  /v2/studio/deployment/upload-image-url POST
  /v2/studio/usage/report POST
  /v2/studio/vercel POST
  /v2/studio/vercel/domain PUT
  /v2/studio/vercel/domain/check GET
  /v2/studio/vercel/logs GET
  /v2/studio/vercel/status GET
`

/** Why an operation may stay unserved, by the beginning of its path. The first that matches counts. */
const reasons: readonly (readonly [start: string, reason: string])[] = [
  ['/v2/studio/', 'it belongs to a hosted generator of mini apps, a product of its own'],
  ['/portal/', 'it is about plans and invoices of the hosted service; a server of your own has none'],
  ['/v2/fungible', 'it deploys through launch factories of third parties, which this server does not use'],
  ['nft/image', 'this server has no model that makes images'],
]

/** The reason of an operation that `reasons` does not know. */
export const NOT_BUILT = 'it is not built yet'

/** Missing parts of operations that are served, for the table of docs/compatibility.md. */
export const partlyServed: Readonly<Record<string, string>> = {
  'GET fungible/owner/relevant': 'tracked tokens of configured networks (section 22)',
  'GET fungible/owner/relevant/bulk': 'tracked tokens of configured networks (section 22)',
  'GET fungible/trades': 'pools of tracked tokens (section 22)',
  'GET fungible/trending': 'pools of tracked tokens (section 22)',
  'GET user/balance': 'tracked tokens of configured networks (section 22)',
  'POST user': 'names only on a devnet (section 28.1)',
}

/** An operation of the description, and how this server answers it. */
export interface HostedOperation extends Pick<OperationDescription, 'method' | 'path'> {
  /** Full paths; the first is the hosted one. */
  readonly paths: readonly string[]
  readonly state: 'served' | 'served in part' | '501' | 'out of scope'
  /** Missing parts, or the reason for which it is not served. */
  readonly note: string | null
}

/** Compares the description with a list of operations. */
export function hostedOperations(
  operations: readonly Pick<OperationDescription, 'method' | 'path'>[],
): HostedOperation[] {
  const served = new Set(
    operations.flatMap(({ method, path }) => pathsOf(path).map((full) => `${method} ${full}`)),
  )
  return description.split('\n').flatMap((line) => {
    const [path = '', ...methods] = line.trim().split(' ')
    const paths = path.startsWith('/') ? [path] : pathsOf(path).toReversed()
    return (methods as HostedOperation['method'][]).map((method) => {
      const isServed = served.has(`${method} ${paths[0]}`)
      return { method, path, paths, ...(isServed ? servedState(method, path) : unservedState(path)) }
    })
  })
}

function servedState(method: string, path: string): Pick<HostedOperation, 'state' | 'note'> {
  const note = partlyServed[`${method} ${path}`]
  return note === undefined ? { state: 'served', note: null } : { state: 'served in part', note }
}

function unservedState(path: string): Pick<HostedOperation, 'state' | 'note'> {
  const note = reasons.find(([start]) => path.startsWith(start))?.[1] ?? NOT_BUILT
  return { state: path.startsWith('/v2/studio/') ? 'out of scope' : '501', note }
}

/** The operations of the description that are not in a list, for `registerUnserved`. */
export function unservedOperations(
  operations: readonly Pick<OperationDescription, 'method' | 'path'>[],
): UnservedOperation[] {
  return hostedOperations(operations)
    .filter(({ state }) => state === '501' || state === 'out of scope')
    .flatMap(({ method, paths, note }) => ({ method, paths, reason: note! }))
}
