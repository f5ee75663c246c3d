import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { credentials, status } from '@grpc/grpc-js'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { findProgram } from '../../deploy/cluster/installation.mjs'
import { freePort } from '../../src/platform/process/free-port.js'
import { hexOf } from '../../src/protocol/bytes.js'
import { encodeMessage } from '../../src/protocol/codec.js'
import { HubEventType, Message } from '../../src/protocol/definitions.js'
import type { SubmitBulkMessagesResponse } from '../../src/protocol/proto/generated/request_response.js'
import { HubServiceClient } from '../../src/protocol/proto/generated/rpc.js'
import { createTestDatabase } from '../database.js'
import { TestUser } from '../network.js'
import { startTestServer } from '../running-server.js'
import { makeTestDir } from '../stale-test-dirs.js'

const nginx = findProgram('nginx')
const MAIN = 'plaza.example.com'
const HUB = 'hub.example.com'
const blocks = [...readFileSync('docs/operate.md', 'utf8').matchAll(/```nginx\n(.*?)```/gs)].map(
  ([, block = '']) => block,
)

// Debian: the package nginx-light.
const isInstalled = nginx !== null && findProgram('openssl') !== null
const site = isInstalled ? await startSite(nginx) : null

/** A server behind the nginx of the guide, with a certificate for both names. */
async function startSite(program: string) {
  const { url } = await createTestDatabase()
  const server = await startTestServer(url, { HUB_GRPC_PORT: '0', CRAWL_EMBEDS: 'false' }, afterAll)
  const directory = await makeTestDir()
  afterAll(() => rm(directory, { recursive: true, force: true }))
  const port = await freePort()
  const certificate = join(directory, 'fullchain.pem')
  const newKey = ['-newkey', 'rsa:2048', '-nodes', '-keyout', join(directory, 'privkey.pem')]
  const names = ['-subj', '/CN=plaza', '-addext', `subjectAltName=DNS:${MAIN},DNS:${HUB}`]
  execFileSync('openssl', ['req', '-x509', ...newKey, '-out', certificate, ...names], { stdio: 'ignore' })

  const servers = blocks
    .join('\n')
    .replaceAll(/\/etc\/letsencrypt\/live\/[^/]+/g, directory)
    .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:8080', new URL(server.urls.main).host)
    .replaceAll('127.0.0.1:3383', server.urls.grpc!)
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  )
  const config = join(directory, 'nginx.conf')
  await writeFile(
    config,
    `daemon off; pid ${directory}/pid; error_log stderr crit; events {}
    http { access_log off; ${folders.join(' ')}
    ${servers} }`,
  )
  const running = spawn(program, ['-e', 'stderr', '-c', config], { stdio: 'inherit' })
  afterAll(async () => {
    running.kill()
    await once(running, 'exit')
  })

  async function get(path: string): Promise<{ status: number | undefined; body: string }> {
    const options = { host: '127.0.0.1', port, path, servername: MAIN, headers: { host: MAIN } }
    const sent = request({ ...options, ca: readFileSync(certificate), agent: false }).end()
    const [reply] = await once(sent, 'response')
    return { status: reply.statusCode, body: await text(reply) }
  }
  await vi.waitFor(() => get('/healthz'), { timeout: 300_000 })
  const client = new HubServiceClient(`127.0.0.1:${port}`, credentials.createSsl(readFileSync(certificate)), {
    'grpc.ssl_target_name_override': HUB,
    'grpc.default_authority': HUB,
  })
  afterAll(() => client.close())
  return { server, get, client }
}

describe.skipIf(site === null)('the nginx of the guide', () => {
  it('passes requests and refuses what is for operators', async () => {
    const { get } = site!
    expect(JSON.parse((await get('/v1/info')).body)).toHaveProperty('dbStats')
    for (const path of ['/metrics', '/admin/status', '/console/']) {
      expect(await get(path)).toMatchObject({ status: 403 })
    }
  })

  it('passes gRPC calls, also of two megabytes, and streams', async () => {
    const { server, client } = site!
    const alice = new TestUser(1)
    await server.hub.submitOnChainEvents(alice.onChain())
    const hashes: string[] = []
    const stream = client.subscribe({ eventTypes: [HubEventType.MERGE_MESSAGE] })
    stream.on('data', (event) => hashes.push(hexOf(event.mergeMessageBody.message.hash)))
    const ended = once(stream, 'error')
    const metrics = async () => await (await fetch(`${server.urls.main}/metrics`)).text()
    await expect.poll(metrics).toContain('plaza_grpc_subscribers 1\n')

    const cast = Message.decode(encodeMessage(alice.cast('by nginx', 1)))
    const large = Message.create({ ...cast, dataBytes: Buffer.alloc(2 * 1024 * 1024) })
    const reply = await new Promise<SubmitBulkMessagesResponse>((resolve, reject) => {
      const request = { messages: [cast, large] }
      client.submitBulkMessages(request, (error, answer) =>
        error === null ? resolve(answer) : reject(error),
      )
    })
    const isMerged = reply.messages.map(({ message }) => message !== undefined)
    expect(isMerged).toEqual([true, false])
    await expect.poll(() => hashes).toEqual([hexOf(cast.hash)])
    stream.cancel()
    expect(await ended).toMatchObject([{ code: status.CANCELLED }])
  })
})
