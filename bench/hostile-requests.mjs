import { randomBytes } from 'node:crypto'

/** The most expensive requests of the server, each as a hostile caller would send it. */

/**
 * @typedef {object} Hostile A request that callers send again and again.
 * @property {string} name
 * @property {'http' | 'grpc' | 'stream' | 'subscribe'} kind
 * @property {'GET' | 'POST'} [method]
 * @property {readonly string[]} [paths] Of which each is drawn by chance.
 * @property {Readonly<Record<string, string>>} [headers]
 * @property {string} [body] In base64.
 * @property {string} [bytes] Of the gRPC request, in base64.
 */

/**
 * @typedef {object} Subjects What the requests are about.
 * @property {string} apiKey
 * @property {number} lastEventId
 * @property {readonly number[]} fids The users with most followers.
 * @property {readonly number[]} followers The users who follow most.
 * @property {readonly string[]} threads Hashes of the casts with most replies, in hex.
 * @property {readonly { fid: number, hash: string }[]} liked The casts with most reactions.
 * @property {readonly string[]} words Frequent ones.
 * @property {Buffer} bulk A body of POST /v1/submitBulkMessages.
 */

const BYTES = { 'content-type': 'application/octet-stream' }
const JSON_BODY = { 'content-type': 'application/json' }
const BLOCK_IDS = 2 ** 14
const MESSAGES_TAG = 10
const MAX_MESSAGES = 10_000

/**
 * All candidates, of which `npm run bench:hostile -- --survey` tells what each costs.
 *
 * @param {Subjects} subjects
 * @returns {Hostile[]}
 */
export function hostileRequests(subjects) {
  return [...ofTheHub(subjects), ...ofTheMainApi(subjects), ...streams]
}

/** @param {Subjects} subjects @returns {Hostile[]} */
function ofTheHub({ lastEventId, fids, followers, liked, bulk }) {
  const blocks = Math.floor(lastEventId / BLOCK_IDS)
  const starts = Array.from({ length: 50 }, (_, index) => Math.floor((blocks * index) / 60) * BLOCK_IDS)
  return [
    get(
      'events, 10,000 a page',
      starts.map((from) => `/v1/events?pageSize=10000&from_event_id=${from}`),
    ),
    get('events, 10,000 in reverse', ['/v1/events?pageSize=10000&reverse=true']),
    get('events, 10,000 compressed', ['/v1/events?pageSize=10000'], { 'accept-encoding': 'br' }),
    get(
      'events, 1,000 a page',
      starts.map((from) => `/v1/events?pageSize=1000&from_event_id=${from}`),
    ),
    { name: 'gRPC GetEvents, all of a page', kind: 'grpc', bytes: '' },
    get(
      'followers, 10,000',
      fids
        .slice(0, 20)
        .map((fid) => `/v1/linksByTargetFid?target_fid=${fid}&link_type=follow&pageSize=10000`),
    ),
    get(
      'links of a user, 10,000',
      followers.slice(0, 20).map((fid) => `/v1/linksByFid?fid=${fid}&pageSize=10000`),
    ),
    get(
      'reactions of a cast, 10,000',
      liked
        .slice(0, 20)
        .map(
          ({ fid, hash }) =>
            `/v1/reactionsByCast?target_fid=${fid}&target_hash=0x${hash}&reaction_type=1&pageSize=10000`,
        ),
    ),
    get('fids, 10,000', ['/v1/fids?shard_id=1&pageSize=10000']),
    post('bulk: 10,000 messages that are none', '/v1/submitBulkMessages', garbage(), BYTES),
    post('bulk: 1,000 messages, merged before', '/v1/submitBulkMessages', bulk, BYTES),
    post('bulk: 1,000 messages, badly signed', '/v1/submitBulkMessages', badlySigned(bulk), BYTES),
  ]
}

/** @param {Subjects} subjects @returns {Hostile[]} */
function ofTheMainApi({ apiKey, fids, followers, threads, words }) {
  const key = { 'x-api-key': apiKey }
  const most = fids.slice(0, 100).join(',')
  return [
    get('/metrics', ['/metrics']),
    get('/openapi.json', ['/openapi.json'], { 'accept-encoding': 'br' }),
    get(
      'cast search',
      words.map((word) => `/v2/farcaster/cast/search?q=${word}&limit=100`),
    ),
    get(
      'cast search, ranked',
      words.map((word) => `/v2/farcaster/cast/search?q=${word}&limit=100&sort_type=algorithmic`),
    ),
    get(
      'user search',
      words.map((word) => `/v2/farcaster/user/search?q=${word.slice(0, 1)}&limit=10`),
    ),
    get(
      '100 users with viewer',
      followers.slice(0, 50).map((viewer) => `/v2/farcaster/user/bulk?fids=${most}&viewer_fid=${viewer}`),
    ),
    get(
      'conversation, all depths',
      threads.map(
        (hash) => `/v2/farcaster/cast/conversation?identifier=0x${hash}&type=hash&reply_depth=5&limit=50`,
      ),
    ),
    get(
      'trending feed',
      followers.slice(0, 50).map((viewer) => `/v2/farcaster/feed/trending?limit=10&viewer_fid=${viewer}`),
    ),
    get(
      'following feed, 100',
      followers
        .slice(0, 50)
        .map((fid) => `/v2/farcaster/feed/following?fid=${fid}&limit=100&viewer_fid=${fid}`),
    ),
    get(
      'for-you feed',
      followers.slice(0, 50).map((fid) => `/v2/farcaster/feed/for_you?fid=${fid}&limit=50&viewer_fid=${fid}`),
    ),
    get(
      'casts of a user in no channel',
      fids.slice(0, 20).map((fid) => `/v2/farcaster/feed/user/casts?fid=${fid}&channel_id=none&limit=150`),
    ),
    get(
      'followers, 100 with viewer',
      fids.slice(0, 20).map((fid) => `/v2/farcaster/followers?fid=${fid}&limit=100&viewer_fid=${fids[0]}`),
    ),
    get(
      'relevant followers',
      fids
        .slice(0, 20)
        .map((fid) => `/v2/farcaster/followers/relevant?target_fid=${fid}&viewer_fid=${followers[0]}`),
    ),
    get(
      'best friends',
      fids.slice(0, 20).map((fid) => `/v2/farcaster/user/best_friends?fid=${fid}&limit=100`),
    ),
    get(
      'suggested to follow',
      followers.slice(0, 20).map((fid) => `/v2/farcaster/following/suggested?fid=${fid}&limit=25`),
    ),
    post('webhook preview', '/v2/farcaster/webhook/preview', preview(), { ...JSON_BODY, ...key }),
  ]
}

/** @type {Hostile[]} */
const streams = [
  { name: 'streams catching up', kind: 'stream', paths: ['/v1/events/stream?from_event_id=0'] },
  { name: 'gRPC subscribers catching up', kind: 'subscribe' },
]

/** The ten that cost most, and the streams: what a run measures unless told. */
export const worst = [
  'events, 10,000 a page',
  'events, 10,000 compressed',
  'gRPC GetEvents, all of a page',
  'followers, 10,000',
  'bulk: 10,000 messages that are none',
  'bulk: 1,000 messages, badly signed',
  '/metrics',
  'cast search',
  'conversation, all depths',
  'webhook preview',
  'streams catching up',
  'gRPC subscribers catching up',
]

/**
 * @param {string} name
 * @param {readonly string[]} paths
 * @param {Readonly<Record<string, string>>} [headers]
 * @returns {Hostile}
 */
function get(name, paths, headers = {}) {
  return { name, kind: 'http', method: 'GET', paths, headers }
}

/**
 * @param {string} name
 * @param {string} path
 * @param {Buffer} body
 * @param {Readonly<Record<string, string>>} headers
 * @returns {Hostile}
 */
function post(name, path, body, headers) {
  return { name, kind: 'http', method: 'POST', paths: [path], headers, body: body.toString('base64') }
}

/** As many messages as a request may have, each of 300 bytes by chance. */
function garbage() {
  const message = Buffer.concat([Buffer.of(MESSAGES_TAG, 0xac, 0x02), randomBytes(300)])
  return Buffer.concat(Array.from({ length: MAX_MESSAGES }, () => message))
}

/** The last bytes of each message are of its signature or its key. @param {Buffer} bulk */
function badlySigned(bulk) {
  const changed = Buffer.from(bulk)
  for (let at = 0; at < changed.length; ) {
    let length = 0
    let shift = 0
    for (at += 1; ; at += 1, shift += 7) {
      const byte = changed[at] ?? 0
      length += (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    at += 1 + length
    const signer = changed.length >= at ? at - 1 : changed.length - 1
    changed[signer] = (changed[signer] ?? 0) ^ 1
  }
  return changed
}

function preview() {
  const subscription = { 'cast.created': { text: '\\b(never|matches|this)\\b.*zzz' } }
  return Buffer.from(JSON.stringify({ subscription, samples: 0 }))
}
