import type { HubServiceService } from '@farcaster/hub-nodejs'
import { status } from '@grpc/grpc-js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import type { Upstreams } from '../client/upstreams.js'
import { readPage } from '../client/wire-page.js'

type Service = typeof HubServiceService
/** Methods that are asked for a page at a time. */
type Paged = {
  [Name in keyof Service]: Parameters<Service[Name]['requestSerialize']>[0] extends {
    pageToken?: infer _Token
  }
    ? Name
    : never
}[keyof Service]

/** What a page is asked with, besides its size and its token. */
type ListRequest<Name extends Paged> = Omit<
  Parameters<Service[Name]['requestSerialize']>[0],
  'pageSize' | 'pageToken' | 'reverse'
>

const PAGE_ENTRIES = 1000
/** A single message is at most 64 kB: a page of so few goes through everywhere. */
const MIN_PAGE_ENTRIES = 10

/**
 * All entries of a list, page by page, as the bytes that came. A page that is too large for the upstream, or takes it
 * too long, is asked for again with half the size (hub-monorepo#2396).
 *
 * @throws UpstreamFailure when no upstream answers.
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
      throw new UpstreamFailure(
        status.INTERNAL,
        client.address,
        `${name} gives the same page again and again`,
      )
    }
    // A token with an empty page would go on for ever (snapchain#720).
    cursor = entries.length > 0 && nextPage !== undefined ? { client, nextPage } : null
  } while (cursor !== null)
}

/**
 * The token to ask for the next page with; undefined when there is none.
 *
 * Lists that several shards of a node have are asked for with a JSON array: the place of each shard. A shard at its end
 * has null there, and starts anew when it is asked with it, and an array of nothing else stands at the end of such lists
 * (snapchain#720). So a shard that has come to its end stays at its last page, until all have.
 *
 * @param requestToken What the page was asked with.
 * @param responseToken What came with it.
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

/** The places of shards in a token; null of one that is made otherwise. */
function parseShardCursors(token: Uint8Array): unknown[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(token).toString())
    return Array.isArray(value) && value.every((cursor) => cursor === null || Array.isArray(cursor))
      ? value
      : null
  } catch {
    return null
  }
}
