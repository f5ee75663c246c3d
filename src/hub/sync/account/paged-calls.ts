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

/**
 * Reads all entries of a list, page by page, undecoded. Halves the page size if a page is too large or slow
 * for the upstream (hub-monorepo#2396). @throws UpstreamFailure
 */
export async function* readPages<Name extends Paged>(
  upstreams: Upstreams,
  name: Name,
  listRequest: ListRequest<Name>,
  signal?: AbortSignal,
): AsyncGenerator<readonly Buffer[]> {
  let pageSize = PAGE_ENTRIES
  let cursor: { readonly client: UpstreamClient; readonly nextPage: Uint8Array } | null = null
  do {
    const fetchPage = async (client: UpstreamClient) => {
      const pageToken = cursor?.client === client ? cursor.nextPage : undefined
      const request = { ...listRequest, pageSize, pageToken } as Parameters<typeof client.call<Name>>[1]
      try {
        const { entries, nextPageToken } = readPage(await client.call(name, request, signal))
        return {
          client,
          entries,
          requestToken: pageToken,
          nextPage: nextRequestToken(pageToken, nextPageToken),
        }
      } catch (error) {
        if (error instanceof UpstreamFailure && error.isTooLarge) {
          pageSize = Math.max(MIN_PAGE_ENTRIES, Math.floor(pageSize / 2))
        }
        throw error
      }
    }
    const { client, entries, requestToken, nextPage } = await upstreams.request(fetchPage, signal)
    yield entries
    if (
      requestToken !== undefined &&
      nextPage !== undefined &&
      Buffer.compare(requestToken, nextPage) === 0
    ) {
      throw new UpstreamFailure(status.INTERNAL, client.address, `${name} returned the same page again`)
    }
    // A token with an empty page would repeat forever (snapchain#720).
    cursor = entries.length > 0 && nextPage !== undefined ? { client, nextPage } : null
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
