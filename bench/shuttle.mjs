import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { query } from './database.mjs'
import { readBytes, readVarint } from './wire.mjs'

/** The peer: `@farcaster/shuttle` storing the same messages into the same PostgreSQL, in a database of its own. */

const PEER = new URL('./shuttle-peer.mjs', import.meta.url).pathname
export const PARALLEL = 10

/** The table and the six indexes that the package's example makes for it. */
const SCHEMA = `
  create extension if not exists pgcrypto;
  create function generate_ulid() returns uuid language sql strict parallel safe
    return (
      lpad(to_hex((floor(extract(epoch from clock_timestamp()) * 1000))::bigint), 12, '0')
      || encode(public.gen_random_bytes(10), 'hex')
    )::uuid;
  create table messages (
    id uuid default generate_ulid() primary key,
    created_at timestamptz not null default current_timestamp,
    updated_at timestamptz not null default current_timestamp,
    timestamp timestamptz not null,
    deleted_at timestamptz,
    pruned_at timestamptz,
    revoked_at timestamptz,
    fid bigint not null,
    type smallint not null,
    hash_scheme smallint not null,
    signature_scheme smallint not null,
    hash bytea not null constraint messages_hash_unique unique,
    signer bytea not null,
    body json not null,
    raw bytea not null,
    constraint messages_hash_fid_type_unique unique (hash, fid, type)
  );
  create index messages_timestamp_index on messages (timestamp);
  create index messages_fid_index on messages (fid);
  create index messages_signer_index on messages (signer);
`

/**
 * @typedef {object} PeerRun
 * @property {number} messages
 * @property {number} perSecond
 * @property {Record<string, number>} failures
 */

/**
 * Stores messages with as many processes as there are parts, at the same time.
 *
 * @param {string} clusterUrl An address in the cluster to use.
 * @param {readonly Buffer[][]} parts Encoded messages for each process.
 * @param {AbortSignal} signal
 * @returns {Promise<PeerRun>}
 */
export async function runShuttle(clusterUrl, parts, signal) {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-bench-peer-'))
  const url = await createDatabase(clusterUrl)
  try {
    const runs = await Promise.all(
      parts.map(async (messages, index) => {
        const file = join(folder, `${index}.bin`)
        await writeFile(file, Buffer.concat(messages.flatMap(withLength)))
        return runPeer(url, file, signal)
      }),
    )
    const messages = runs.reduce((sum, run) => sum + run.messages, 0)
    const perSecond = runs.reduce((sum, run) => sum + run.messages / run.seconds, 0)
    return { messages, perSecond, failures: sumCounts(runs.map((run) => run.failures)) }
  } finally {
    await dropDatabase(clusterUrl, url)
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * @param {readonly Record<string, number>[]} counts
 * @returns {Record<string, number>}
 */
export function sumCounts(counts) {
  /** @type {Record<string, number>} */
  const sums = {}
  for (const [name, count] of counts.flatMap((each) => Object.entries(each))) {
    sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}

/**
 * A sample of the messages, in parts of the same size: whole requests, spread evenly over the network's time,
 * so that it has the same mixture.
 *
 * @param {readonly import('./network-file.mjs').Body[]} bodies
 * @param {number} size Messages of each part.
 * @param {number} parts
 * @returns {Buffer[][]}
 */
export function sampleMessages(bodies, size, parts) {
  const wanted = size * parts
  const total = bodies.reduce((sum, { messages }) => sum + messages, 0)
  const share = Math.min(1, (wanted * 1.1) / total)
  /** @type {Buffer[]} */
  const sample = []
  for (const [index, { bytes }] of bodies.entries()) {
    if (Math.floor((index + 1) * share) > Math.floor(index * share)) sample.push(...messagesOf(bytes))
  }
  const most = Math.min(size, Math.floor(sample.length / parts))
  // Dealt like cards, for the messages of the first requests are of another kind than those of the last.
  return Array.from({ length: parts }, (_, part) =>
    sample.filter((_message, index) => index % parts === part).slice(0, most),
  )
}

/**
 * @param {Buffer} body An encoded SubmitBulkMessagesRequest.
 * @returns {Buffer[]}
 */
export function messagesOf(body) {
  const messages = []
  for (let at = 1; at < body.length; ) {
    const length = readVarint(body, at)
    if (length === null) break
    const end = length.end + length.value
    messages.push(body.subarray(length.end, end))
    at = end + 1
  }
  return messages.filter((message) => readBytes(message, 2).length > 0)
}

/** @param {Buffer} message */
function withLength(message) {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(message.length)
  return [length, message]
}

/**
 * @param {string} url
 * @param {string} file
 * @param {AbortSignal} signal
 * @returns {Promise<{ messages: number, seconds: number, failures: Record<string, number> }>}
 */
function runPeer(url, file, signal) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PEER, url, file, String(PARALLEL)], {
      env: { PATH: process.env.PATH, LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    })
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(output.trim().split('\n').at(-1) ?? ''))
      else reject(new Error(`the peer failed:\n${errors}`))
    })
  })
}

/** @param {string} clusterUrl */
export async function createDatabase(clusterUrl) {
  const url = new URL(clusterUrl)
  url.pathname = '/bench_shuttle'
  await query(clusterUrl, 'create database bench_shuttle')
  await query(url.href, SCHEMA)
  return url.href
}

/**
 * @param {string} clusterUrl
 * @param {string} url
 */
export async function dropDatabase(clusterUrl, url) {
  const name = new URL(url).pathname.slice(1)
  await query(clusterUrl, `drop database ${name} with (force)`)
}
