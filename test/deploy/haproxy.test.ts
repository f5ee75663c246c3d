import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { Agent, createServer, get, type ServerResponse } from 'node:http'
import { connect, createServer as createGrpcServer } from 'node:http2'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { findProgram } from '../../deploy/cluster/installation.mjs'
import { freePort } from '../../src/platform/process/free-port.js'
import { makeTestDir } from '../stale-test-dirs.js'

const KEYS = Array.from({ length: 20 }, (_, index) => `key-${index}`)
const ADDRESSES = ['127.0.0.1', '127.0.0.2'] as const
type Address = (typeof ADDRESSES)[number]

const haproxy = findProgram('haproxy')
const balancer = haproxy === null ? null : await startBalancer(haproxy)

/** Two processes behind the HAProxy of Compose, which answer with their address. */
async function startBalancer(program: string) {
  const ready = new Set<Address>()
  /** Requests for `/held`, by process: they are answered when the test says so. */
  const held: Record<Address, ServerResponse[]> = { '127.0.0.1': [], '127.0.0.2': [] }
  const ports = new Set<number>()
  while (ports.size < 4) ports.add(await freePort())
  const [port, grpcPort, apiFront, grpcFront] = [...ports] as [number, number, number, number]
  for (const address of ADDRESSES) {
    const http = createServer(({ url }, response) => {
      if (url === '/held') held[address].push(response)
      else response.writeHead(url === '/readyz' && !ready.has(address) ? 503 : 200).end(address)
    })
    const grpc = createGrpcServer((_, response) => response.end(address))
    await Promise.all([
      once(http.listen(port, address), 'listening'),
      once(grpc.listen(grpcPort, address), 'listening'),
    ])
    afterAll(() => {
      http.close()
      http.closeAllConnections()
      grpc.close()
    })
  }

  const directory = await makeTestDir()
  const config = join(directory, 'haproxy.cfg')
  await writeFile(
    config,
    readFileSync('deploy/compose/haproxy.cfg', 'utf8')
      .replace('bind :8080', `bind 127.0.0.1:${apiFront}`)
      .replace('bind :3383', `bind 127.0.0.1:${grpcFront}`)
      .replaceAll('connect port 8080', `connect port ${port}`)
      .replaceAll(' resolvers docker init-addr none', '')
      // Checked often, and told apart from a process of tests that has no time to answer.
      .replace('timeout connect 3s', 'timeout connect 30s\n  timeout check 60s')
      .replaceAll('inter 2s', 'inter 100ms')
      .replaceAll(/server-template (\S+) 10 api:(\d+)/g, (_, name, served) =>
        ADDRESSES.map(
          (address, index) => `server ${name}${index} ${address}:${served === '8080' ? port : grpcPort}`,
        ).join('\n  '),
      ),
  )
  const running = spawn(program, ['-db', '-f', config], { stdio: 'ignore' })
  afterAll(async () => {
    running.kill()
    await once(running, 'exit')
    await rm(directory, { recursive: true, force: true })
  })

  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  async function ask(key: string, path = '/'): Promise<string> {
    const options = { host: '127.0.0.1', port: apiFront, path, agent, headers: { 'x-api-key': key } }
    const [reply] = await once(get(options), 'response')
    return reply.statusCode === 200 ? await text(reply) : `${reply.statusCode}`
  }
  async function call(): Promise<string> {
    const client = connect(`http://127.0.0.1:${grpcFront}`)
    const stream = client.request({ ':path': '/' })
    const [[headers], body] = await Promise.all([once(stream, 'response'), text(stream)])
    client.close()
    return headers[':status'] === 200 ? body : `${headers[':status']}`
  }
  const answersOf = async (asked: readonly Promise<string>[]) => [...new Set(await Promise.all(asked))].sort()
  const answers = () => answersOf(KEYS.map((key) => ask(key))).catch(String)
  const calls = () => answersOf(KEYS.map(() => call())).catch(String)
  return { ready, held, ask, answers, calls }
}

describe.skipIf(balancer === null)('the HAProxy of Compose', () => {
  it('no process is ready -> requests reach those that live, until one is ready again', async () => {
    const { ready, answers, calls } = balancer!
    ready.add('127.0.0.1')
    for (const found of [answers, calls]) await expect.poll(found).toEqual(['127.0.0.1'])
    ready.clear()
    for (const found of [answers, calls]) await expect.poll(found).toEqual(ADDRESSES)
    ready.add('127.0.0.2')
    for (const found of [answers, calls]) await expect.poll(found).toEqual(['127.0.0.2'])
  })

  it('one key -> one process, until that has more than its share of what is under way', async () => {
    const { ready, held, ask, answers } = balancer!
    for (const address of ADDRESSES) ready.add(address)
    await expect.poll(answers).toEqual(ADDRESSES)
    const inTurn = new Set<string>()
    for (let count = 0; count < 10; count += 1) inTurn.add(await ask('mine'))
    expect([...inTurn]).toHaveLength(1)

    const release = () => ADDRESSES.flatMap((address) => held[address].splice(0)).map((each) => each.end())
    onTestFinished(() => void release())
    const asked = KEYS.map(() => ask('mine', '/held'))
    const counts = () => ADDRESSES.map((address) => held[address].length)
    await expect.poll(() => counts().reduce((sum, count) => sum + count)).toBe(KEYS.length)
    // 1.5 times the share of each is 15 of the 20.
    expect(Math.max(...counts())).toBeLessThanOrEqual(15)
    release()
    await Promise.all(asked)
  })
})
