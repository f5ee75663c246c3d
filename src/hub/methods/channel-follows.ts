import { PlazaError } from '../../platform/errors.js'
import { tryParseJson } from '../../platform/text/try-parse-json.js'
import { hexOf } from '../../protocol/bytes.js'
import { CHANNEL_ID_BYTES, MEMBER_SUBJECT_BYTES, memberSubject } from '../../protocol/kinds/channel.js'
import {
  ChannelFollowerCountResponse,
  ChannelFollowersResponse,
  ChannelFollowsResponse,
  IsFollowingChannelResponse,
} from '../../protocol/proto/generated/channel_requests.js'
import {
  type ChannelFollowerRow,
  countChannelFollowers,
  readChannelFollow,
  readChannelFollowers,
  readChannelFollows,
} from '../query/channel-follows.js'
import { shardNumbers } from '../shard-count.js'
import { afterPrefix, channelId, channelPage, channelTokens, memberFid, nextToken } from './channel-fields.js'
import { type Reply, readMethod } from './hub-method.js'
import { base64Token } from './replies.js'

/** The reads of who follows which channel (docs/protocol.md §2.7). */

const page = channelPage()

interface FollowerPage {
  readonly followers: readonly ChannelFollowerRow[]
  readonly nextPageToken: Buffer | undefined
}

const followers: Reply<FollowerPage> = {
  json: ({ followers: list, nextPageToken }) => ({
    followers: list,
    nextPageToken: base64Token(nextPageToken),
  }),
  protobuf: ({ followers: list, nextPageToken }) =>
    ChannelFollowersResponse.encode({ followers: [...list], nextPageToken }).finish(),
}

const count: Reply<number> = {
  json: (followerCount) => ({ count: followerCount }),
  protobuf: (followerCount) => ChannelFollowerCountResponse.encode({ count: followerCount }).finish(),
}

interface FollowPage {
  readonly follows: readonly { readonly channelId: Buffer; readonly followedAt: number }[]
  readonly nextPageToken: Buffer | undefined
}

const follows: Reply<FollowPage> = {
  json: ({ follows: list, nextPageToken }) => ({
    follows: list.map((follow) => ({ ...follow, channelId: hexOf(follow.channelId) })),
    nextPageToken: base64Token(nextPageToken),
  }),
  protobuf: ({ follows: list, nextPageToken }) =>
    ChannelFollowsResponse.encode({ follows: [...list], nextPageToken }).finish(),
}

const following: Reply<number | null> = {
  json: (followedAt) => ({ following: followedAt !== null, followedAt: followedAt ?? undefined }),
  protobuf: (followedAt) =>
    IsFollowingChannelResponse.encode({
      following: followedAt !== null,
      followedAt: followedAt ?? undefined,
    }).finish(),
}

/** How far the reader of followers has come on each shard. */
type Scan = 'Fresh' | 'Exhausted' | { readonly Resume: readonly number[] }

const badToken = () =>
  new PlazaError('bad_request.invalid_param', 'page token does not belong to the requested index')

/** Parses a token: each shard of the hub once, and nothing else. */
function parseScans(token: Buffer | null, shards: number): Map<number, Scan> {
  const all = shardNumbers(shards)
  if (token === null) return new Map(all.map((shard) => [shard, 'Fresh']))
  const scans = new Map<number, Scan>()
  for (const entry of parseEntries(token)) {
    if (Object.keys(entry).sort().join() !== 'scan,shard_id') throw badToken()
    const { shard_id: shard, scan } = entry
    if (typeof shard !== 'number' || scans.has(shard) || !isScan(scan)) throw badToken()
    scans.set(shard, scan)
  }
  if (scans.size !== shards || all.some((shard) => !scans.has(shard))) throw badToken()
  return scans
}

function parseEntries(token: Buffer): Record<string, unknown>[] {
  const entries = tryParseJson(token.toString('utf8'))
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'object' && entry !== null)) {
    throw badToken()
  }
  return entries
}

function isScan(scan: unknown): scan is Scan {
  if (scan === 'Fresh' || scan === 'Exhausted') return true
  if (typeof scan !== 'object' || scan === null || Object.keys(scan).join() !== 'Resume') return false
  const { Resume: bytes } = scan as { Resume: unknown }
  return Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)
}

export const channelFollowMethods = [
  readMethod({
    http: { path: '/channelFollowers', failure: 'Failed to get channel followers', notFoundStatus: 400 },
    grpc: 'getChannelFollowers',
    request: { channelId, page },
    reply: followers,
    /** The page size counts for each shard, as in the reference node. */
    async handle({ channelId, page }, { db, shards, network }) {
      const prefix = channelTokens.followers(channelId)
      const scans = parseScans(page.after, shards)
      const read = await Promise.all(
        [...scans].map(async ([shard, scan]) => {
          if (scan === 'Exhausted') return { shard, rows: [], scan }
          const key =
            scan === 'Fresh' ? null : afterPrefix(Buffer.from(scan.Resume), prefix, MEMBER_SUBJECT_BYTES)
          const options = { ...page, shard, after: key?.readUInt32BE() ?? null }
          const rows = await readChannelFollowers(db, network, channelId, options)
          const next = nextToken(rows, page.limit, prefix, ({ fid }) => memberSubject(fid))
          return { shard, rows, scan: (next ? { Resume: [...next] } : 'Exhausted') as Scan }
        }),
      )
      const order = page.reverse ? -1 : 1
      const isEnd = read.every(({ scan }) => scan === 'Exhausted')
      const next = read.map(({ shard, scan }) => ({ shard_id: shard, scan }))
      return {
        followers: read.flatMap(({ rows }) => rows).sort((a, b) => (a.fid - b.fid) * order),
        nextPageToken: isEnd ? undefined : Buffer.from(JSON.stringify(next)),
      }
    },
  }),
  readMethod({
    http: {
      path: '/channelFollowerCount',
      failure: 'Failed to get channel follower count',
      notFoundStatus: 400,
    },
    grpc: 'getChannelFollowerCount',
    countsAll: true,
    request: { channelId },
    reply: count,
    handle: ({ channelId }, { db, network }) => countChannelFollowers(db, network, channelId),
  }),
  readMethod({
    http: { path: '/channelFollows', failure: 'Failed to get channel follows', notFoundStatus: 400 },
    grpc: 'getChannelFollows',
    request: { fid: memberFid, page },
    reply: follows,
    async handle({ fid, page }, { db, network }) {
      const prefix = channelTokens.follows(fid)
      const after = afterPrefix(page.after, prefix, CHANNEL_ID_BYTES)
      const list = await readChannelFollows(db, network, fid, { ...page, after })
      return { follows: list, nextPageToken: nextToken(list, page.limit, prefix, (row) => row.channelId) }
    },
  }),
  readMethod({
    http: { path: '/isFollowingChannel', failure: 'Failed to check channel follow', notFoundStatus: 400 },
    grpc: 'isFollowingChannel',
    request: { fid: memberFid, channelId },
    reply: following,
    handle: ({ fid, channelId }, { db, network }) => readChannelFollow(db, network, fid, channelId),
  }),
]
