import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { findEmbedded } from '../../src/platform/db/embedded.js'
import { createDataDir, runCommand, type ServerProcess, startServerProcess } from '../server-process.js'
import { type RecordedResponse, startRecordingProxy } from './recording-proxy.js'
import { createSecretSearch, type RecordedOutput, type SecretSearch } from './secret-search.js'

/** A server with verbose logging whose output is recorded, with that of its commands. */
export interface RecordedRun {
  readonly server: ServerProcess
  /** URL whose responses are recorded. */
  readonly url: string
  readonly adminToken: string
  /** Key that encrypts secrets in its database. */
  readonly secretKey: string
  readonly databaseUrl: string
  readonly search: SecretSearch
  /** Runs a command that must succeed; returns its standard output. */
  plaza(args: readonly string[], allowedSecrets?: readonly string[]): Promise<string>
  /** Runs a command that must fail. */
  plazaFails(...args: readonly string[]): Promise<void>
  /** Records a response to an invalid request. */
  recordReply(text: string): void
  /** Returns everything recorded so far. */
  collectOutput(): Promise<RecordedOutput[]>
}

const newSecret = (name: string) => `${name}-${randomBytes(24).toString('base64url')}`

/** Starts a server with its own data directory; it stops with the test. */
export async function startRecordedRun(): Promise<RecordedRun> {
  const [adminToken, oldSecretKey, secretKey] = [newSecret('admin'), newSecret('old'), newSecret('vault')]
  const [hubKey, developmentKey] = [newSecret('hub'), newSecret('development')]
  const dataDir = await createDataDir()
  const env = {
    HUB_NETWORK: 'devnet',
    LOG_LEVEL: 'trace',
    ADMIN_TOKEN: adminToken,
    PLAZA_SECRET_KEY: `${secretKey},${oldSecretKey}`,
    PLAZA_DEV_API_KEY: developmentKey,
    HUB_API_KEYS: hubKey,
    HUB_REQUIRE_API_KEY: 'true',
    ALLOW_PRIVATE_TARGETS: 'loopback',
    WEBHOOK_ALLOW_HTTP: 'true',
    SCORE_INTERVAL_HOURS: '0',
  }
  const server = await startServerProcess({ dataDir, env })
  const databaseUrl = (await findEmbedded(dataDir)) ?? expect.fail('the server runs no database of its own')
  const proxy = await startRecordingProxy(server.url)
  const search = createSecretSearch()
  search.add('ADMIN_TOKEN', adminToken)
  search.add('PLAZA_SECRET_KEY', secretKey, oldSecretKey)
  search.add('HUB_API_KEYS', hubKey)
  search.add('PLAZA_DEV_API_KEY', developmentKey)
  search.add('the password of PostgreSQL', new URL(databaseUrl).password)
  const commandOutputs: RecordedOutput[] = []

  async function command(args: readonly string[], allowedSecrets: readonly string[] = []) {
    const running = await runCommand(args, { dataDir, env })
    let standardOutput = ''
    running.child.stdout?.on('data', (chunk: Buffer) => {
      standardOutput += chunk
    })
    const { code } = await running.ended
    commandOutputs.push({
      source: `plaza ${args.slice(0, 2).join(' ')}`,
      text: running.output(),
      allowedSecrets,
    })
    return { code, standardOutput, output: running.output() }
  }

  return {
    server,
    url: proxy.url,
    adminToken,
    secretKey,
    databaseUrl,
    search,
    async plaza(args, allowedSecrets) {
      const { code, standardOutput, output } = await command(args, allowedSecrets)
      expect(code, output).toBe(0)
      return standardOutput.trim()
    },
    async plazaFails(...args) {
      expect((await command(args)).code).not.toBe(0)
    },
    recordReply: (text) => commandOutputs.push({ source: 'what was said to no request', text }),
    collectOutput: async () => [
      { source: 'what the server said', text: server.output() },
      ...commandOutputs,
      { source: 'the log of PostgreSQL', text: await readFile(join(dataDir, 'postgres.log'), 'utf8') },
      ...proxy.responses.map(recordedResponse),
    ],
  }
}

/** The only responses that may contain secrets: new keys, webhooks, and new sessions of the login page. */
const keyIssuingPath = /^\/admin\/apps\/[\w-]+\/keys$/
const sessionPath = '/login/session'
const webhookPath = /^\/v2\/farcaster\/webhook(\/|\?|$)/

function recordedResponse({ method, url, status, headers, body }: RecordedResponse): RecordedOutput {
  const isSuccess = status < 400
  const allowedSecrets = [
    ...(isSuccess && method === 'POST' && keyIssuingPath.test(url) ? ['an API key of the admin API'] : []),
    ...(isSuccess && url === sessionPath ? ['a session of the login page'] : []),
    ...(isSuccess && webhookPath.test(url) ? ['the secret of a webhook'] : []),
  ]
  return {
    source: `${status} to ${method} ${url.slice(0, 60)}`,
    text: `${headers.join('\n')}\n\n${body}`,
    allowedSecrets,
  }
}
