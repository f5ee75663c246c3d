import { status } from '@grpc/grpc-js'
import { tryParseJson } from '../../../platform/text/try-parse-json.js'
import type { HubServiceService } from '../../../protocol/proto/generated/rpc.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import type { Upstreams } from '../client/upstreams.js'
import { readPage } from '../client/wire-page.js'

type Service = typeof HubServiceService
/** Methods that return pages. */
type Paged = {
  [Name in keyof Service]: Parameters<Service[Name]['requestSerialize']>[0] extends {
    pageToken?: infer _Token
  }
    ? Name
    : never
}[keyof Service]

/** The request of a page without its size and token. */
type ListRequest<Name extends Paged> = Omit<
  Parameters<Service[Name]['requestSerialize']>[0],
  'pageSize' | 'pageToken' | 'reverse'
>

const PAGE_ENTRIES = 1000
/** A message takes at most 64 kB, so a page of this size fits everywhere. */
const MIN_PAGE_ENTRIES = 10

/** Reads all entries of a list, page by page, undecoded. @throws UpstreamFailure */
export function readPages<Name extends Paged>(
  upstreams: Upstreams,
  name: Name,
  listRequest: ListRequest<Name>,
  signal?: AbortSignal,
): AsyncGenerator<readonly Buffer[]> {
  return readList(upstreams, name, listRequest, { pageSize: PAGE_ENTRIES, decode: readPage, signal })
}

interface ListOptions<Entry> {
  readonly pageSize: number
  /** Reads the entries and the next token of a response. */
  readonly decode: (bytes: Buffer) => {
    readonly entries: readonly Entry[]
    readonly nextPageToken: Uint8Array | undefined
  }
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads all entries of a list, page by page. Halves the page size if a page is too large or slow for the upstream
 * (hub-monorepo#2396). A token is valid only for the upstream that returned it. @throws UpstreamFailure
 */
export async function* readList<Name extends Paged, Entry>(
  upstreams: Upstreams,
  name: Name,
  listRequest: ListRequest<Name>,
  { decode, signal, ...options }: ListOptions<Entry>,
): AsyncGenerator<readonly Entry[]> {
  let { pageSize } = options
  let cursor: { readonly client: UpstreamClient; readonly nextPage: Uint8Array } | null = null
  /** Tokens of this reading: with one that comes again the list would never end. */
  const tokens = new Set<string>()
  /** The last call failed, and a smaller page may succeed. */
  let isReduced = false
  do {
    const fetchPage = async (client: UpstreamClient) => {
      const pageToken = cursor?.client === client ? cursor.nextPage : undefined
      const request = { ...listRequest, pageSize, pageToken } as Parameters<typeof client.call<Name>>[1]
      try {
        const { entries, nextPageToken } = decode(await client.call(name, request, signal))
        const nextPage = nextRequestToken(pageToken, nextPageToken)
        return { client, entries, isFirst: pageToken === undefined, nextPage }
      } catch (error) {
        isReduced = error instanceof UpstreamFailure && error.isTooLarge && pageSize > MIN_PAGE_ENTRIES
        if (isReduced) pageSize = Math.max(MIN_PAGE_ENTRIES, Math.floor(pageSize / 2))
        throw error
      }
    }
    const requestPage = (): ReturnType<typeof fetchPage> =>
      upstreams.request(fetchPage, signal).catch((error: unknown) => {
        if (!isReduced || signal?.aborted) throw error
        // A smaller page has its own time: the call of a slow one may take longer than all attempts may.
        return requestPage()
      })
    const { client, entries, isFirst, nextPage } = await requestPage()
    yield entries
    // A token with an empty page would repeat forever (snapchain#720).
    cursor = entries.length > 0 && nextPage !== undefined ? { client, nextPage } : null
    if (isFirst) tokens.clear()
    const token = cursor === null ? '' : Buffer.from(cursor.nextPage).toString('base64')
    if (tokens.has(token))
      throw new UpstreamFailure(status.INTERNAL, client.address, `${name} returned the same page again`)
    tokens.add(token)
  } while (cursor !== null)
}

/**
 * Returns the token that requests the next page; undefined at the end.
 * A list over several shards has a JSON array with the cursor of each shard as its token. A shard at its end
 * has null there, and would restart if it were requested with null; a token of nulls only marks the end of
 * the list (snapchain#720). So a finished shard keeps the cursor of its last page.
 */
function nextRequestToken(
  requestToken: Uint8Array | undefined,
  responseToken: Uint8Array | undefined,
): Uint8Array | undefined {
  const cursors = responseToken === undefined ? null : parseShardCursors(responseToken)
  if (cursors === null) return responseToken
  if (cursors.every((cursor) => cursor === null)) return undefined
  const requestCursors = requestToken === undefined ? null : parseShardCursors(requestToken)
  return Buffer.from(
    JSON.stringify(cursors.map((cursor, shard) => cursor ?? requestCursors?.[shard] ?? null)),
  )
}

/** Returns the shard cursors of a token; null for another kind of token. */
function parseShardCursors(token: Uint8Array): unknown[] | null {
  const value = tryParseJson(Buffer.from(token).toString())
  return Array.isArray(value) && value.every((cursor) => cursor === null || Array.isArray(cursor))
    ? value
    : null
}
