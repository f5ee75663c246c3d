import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HubServiceService, SubscribeRequest } from '@farcaster/hub-nodejs'
import grpc from '@grpc/grpc-js'

/** The event log over gRPC, from its start, beside gRPC's own server that sends the same bytes from memory. */

const BARE_GRPC = new URL('./bare-grpc.mjs', import.meta.url).pathname
/** Events of the log that are read each time, as far as it has so many. */
const MAX_EVENTS = 200_000
/** Both are measured in turns, so that a noisy neighbour meets both. */
const ROUNDS = 3

/**
 * @typedef {object} GrpcLogRun
 * @property {number} events
 * @property {number} eventBytes On average.
 * @property {number} plaza Events a second.
 * @property {number} decoded The same, with a client that decodes them as the published one does.
 * @property {number} bare
 */

/**
 * @param {string} address Of the server's gRPC.
 * @param {number} lastId Of the log.
 * @returns {Promise<GrpcLogRun>}
 */
export async function measureGrpcLog(address, lastId) {
  /** @type {Buffer[]} */
  const events = []
  await readLog(address, { keep: events, most: MAX_EVENTS, lastId })
  const folder = await mkdtemp(join(tmpdir(), 'plaza-bench-grpc-'))
  const file = join(folder, 'events.bin')
  await writeFile(file, Buffer.concat(events.flatMap(withLength)))
  const bare = await startBare(file)
  try {
    const most = events.length
    /** @type {Record<'plaza' | 'decoded' | 'bare', number>} */
    const seconds = { plaza: 0, decoded: 0, bare: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      seconds.plaza += await readLog(address, { most, lastId })
      seconds.decoded += await readLog(address, { most, lastId, isDecoded: true })
      seconds.bare += await readLog(bare.address, { most, lastId })
    }
    const perSecond = (/** @type {number} */ took) => (most * ROUNDS) / took
    return {
      events: most,
      eventBytes: events.reduce((sum, event) => sum + event.length, 0) / most,
      plaza: perSecond(seconds.plaza),
      decoded: perSecond(seconds.decoded),
      bare: perSecond(seconds.bare),
    }
  } finally {
    await bare.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Subscribes from the start of the log, and reads so many events or up to the last one.
 *
 * @param {string} address
 * @param {{ most: number, lastId: number, keep?: Buffer[], isDecoded?: boolean }} options
 * @returns {Promise<number>} seconds
 */
async function readLog(address, { most, lastId, keep, isDecoded = false }) {
  const client = new grpc.Client(address, grpc.credentials.createInsecure())
  const { path, responseDeserialize } = HubServiceService.subscribe
  const request = Buffer.from(SubscribeRequest.encode({ eventTypes: [], fromId: 0 }).finish())
  const passThrough = (/** @type {Buffer} */ bytes) => bytes
  const startMs = performance.now()
  const stream = client.makeServerStreamRequest(
    path,
    passThrough,
    isDecoded ? responseDeserialize : passThrough,
    request,
  )
  let read = 0
  try {
    for await (const event of stream) {
      read += 1
      keep?.push(event)
      if (read === most || (keep && idOf(event) === lastId)) break
    }
  } finally {
    stream.destroy()
    client.close()
  }
  return (performance.now() - startMs) / 1000
}

/** @param {Buffer} event */
function idOf(event) {
  return HubServiceService.subscribe.responseDeserialize(event).id
}

/** @param {string} file */
async function startBare(file) {
  const child = spawn(process.execPath, [BARE_GRPC, file], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  /** @type {string} */
  const address = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => reject(new Error('the bare server ended')))
    child.stdout.on('data', (chunk) => {
      const [, found] = /^listening on (\S+)$/m.exec(`${chunk}`) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  return { address, stop }
}

/** @param {Buffer} event */
function withLength(event) {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(event.length)
  return [length, event]
}
