import { Agent, get, request } from 'node:http'
import { SubscribeRequest } from '@farcaster/hub-nodejs'
import grpc from '@grpc/grpc-js'

/**
 * Callers that send a request again as soon as it is answered, in a process of their own. The server trusts its proxy, so that
 * each may have an address of its own.
 */

/** A stream that has sent so much begins again: it has caught up, or will soon. */
const STREAM_BYTES = 20_000_000
const STREAM_EVENTS = 20_000

/**
 * @typedef {object} Attack
 * @property {string} url
 * @property {string} grpcAddress
 * @property {import('./hostile-requests.mjs').Hostile} hostile
 * @property {number} callers
 * @property {boolean} oneAddress
 */

/** @type {Record<string, number>} What became of the requests, by status. */
let statuses = {}
let isOn = false
/** @type {Promise<unknown>} */
let attack = Promise.resolve()
/** @type {Set<() => void>} */
const cancels = new Set()

process.on('message', async (/** @type {Attack | 'stop'} */ message) => {
  if (message !== 'stop') {
    isOn = true
    statuses = {}
    attack = Promise.all(Array.from({ length: message.callers }, (_, caller) => call(message, caller)))
    return
  }
  isOn = false
  for (const cancel of cancels) cancel()
  await attack
  process.send?.(statuses)
})
process.on('disconnect', () => process.exit())
process.send?.('ready')

/**
 * @param {Attack} attack
 * @param {number} caller
 */
async function call({ url, grpcAddress, hostile, oneAddress }, caller) {
  const address = oneAddress ? '10.0.0.1' : `10.0.0.${1 + caller}`
  const agent = new Agent({ keepAlive: true })
  const client = new grpc.Client(grpcAddress, grpc.credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': -1,
  })
  const metadata = new grpc.Metadata()
  metadata.set('x-forwarded-for', address)
  try {
    while (isOn) {
      const status = await send({ url, hostile, address, agent, client, metadata })
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  } finally {
    agent.destroy()
    client.close()
  }
}

/**
 * @param {{ url: string, hostile: Attack['hostile'], address: string, agent: Agent, client: grpc.Client, metadata: grpc.Metadata }} caller
 * @returns {Promise<string>} how it ended
 */
async function send({ url, hostile, address, agent, client, metadata }) {
  const { kind, method = 'GET', paths = [], headers = {}, body, bytes = '' } = hostile
  if (kind === 'grpc') return await sendCall(client, metadata, Buffer.from(bytes, 'base64'))
  if (kind === 'subscribe') return await subscribe(client, metadata)
  const path = paths[Math.floor(Math.random() * paths.length)] ?? '/'
  const options = { agent, headers: { ...headers, 'x-forwarded-for': address } }
  if (kind === 'stream') return await readStream(`${url}${path}`, options)
  return await new Promise((resolve) => {
    const asked = request(`${url}${path}`, { ...options, method }, (response) => {
      response.resume()
      response.once('error', () => resolve('broken'))
      response.once('end', () => done(`${response.statusCode}`))
    })
    const cancel = () => asked.destroy()
    /** @param {string} status */
    function done(status) {
      cancels.delete(cancel)
      resolve(status)
    }
    cancels.add(cancel)
    asked.once('error', () => done(isOn ? 'broken' : 'left'))
    asked.end(body === undefined ? undefined : Buffer.from(body, 'base64'))
  })
}

/** @type {Map<number, string>} */
const codes = new Map(Object.entries(grpc.status).map(([name, code]) => [Number(code), name]))
const same = (/** @type {Buffer} */ message) => message

/**
 * @param {grpc.Client} client
 * @param {grpc.Metadata} metadata
 * @param {Buffer} bytes
 * @returns {Promise<string>}
 */
function sendCall(client, metadata, bytes) {
  return new Promise((resolve) => {
    const call = client.makeUnaryRequest('/HubService/GetEvents', same, same, bytes, metadata, (error) => {
      cancels.delete(cancel)
      resolve(error === null ? 'OK' : (codes.get(error.code) ?? `${error.code}`))
    })
    const cancel = () => call.cancel()
    cancels.add(cancel)
  })
}

/**
 * Reads the log from its start.
 *
 * @param {grpc.Client} client
 * @param {grpc.Metadata} metadata
 * @returns {Promise<string>}
 */
function subscribe(client, metadata) {
  const bytes = Buffer.from(SubscribeRequest.encode({ eventTypes: [], fromId: 0 }).finish())
  const stream = client.makeServerStreamRequest('/HubService/Subscribe', same, same, bytes, metadata)
  return new Promise((resolve) => {
    let events = 0
    const cancel = () => stream.cancel()
    cancels.add(cancel)
    stream.on('data', () => {
      events += 1
      if (events >= STREAM_EVENTS) stream.cancel()
    })
    stream.once('error', (/** @type {grpc.ServiceError} */ error) => {
      cancels.delete(cancel)
      resolve(error.code === grpc.status.CANCELLED ? 'read' : (codes.get(error.code) ?? `${error.code}`))
    })
  })
}

/**
 * @param {string} url
 * @param {{ agent: Agent, headers: Record<string, string> }} options
 * @returns {Promise<string>}
 */
function readStream(url, options) {
  return new Promise((resolve) => {
    const asked = get(url, options, (response) => {
      let bytes = 0
      response.on('data', (chunk) => {
        bytes += chunk.length
        if (bytes > STREAM_BYTES) asked.destroy()
      })
      response.once('error', () => {})
      response.once('close', () => done(response.statusCode === 200 ? 'read' : `${response.statusCode}`))
    })
    const cancel = () => asked.destroy()
    /** @param {string} status */
    function done(status) {
      cancels.delete(cancel)
      resolve(status)
    }
    cancels.add(cancel)
    asked.once('error', () => done('left'))
  })
}
