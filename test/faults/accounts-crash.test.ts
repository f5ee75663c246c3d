import { setTimeout as sleep } from 'node:timers/promises'
import { parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { newcomer, type RegistrationAsked, registrationOf } from '../../src/accounts/testing/newcomer.js'
import { tallyFids } from '../../src/accounts/testing/tally.js'
import { startTestChain } from '../chain/test-chain.js'
import { createTestDatabase } from '../database.js'
import { createDataDir, runCommand, type ServerProcess, startServerProcess } from '../server-process.js'

const ROUNDS = 3
const CALLERS = 4
/** The server may have to be compiled first. */
const LIMIT_MS = 240_000
const apiKey = 'a-key-for-the-crash'

/** Who wants an account, and what came of it. */
interface Newcomer {
  readonly body: RegistrationAsked & { readonly fname: string }
  answer: { readonly fid: number; readonly username: string } | null
}

describe.each(['local network', 'chain'] as const)('on the %s', (kind) => {
  const scene = openScene(kind)

  it('accounts are registered once, and no fid and no money is lost, wherever the server is killed', {
    timeout: LIMIT_MS,
  }, async () => {
    const { db, env, fund } = await scene
    const dataDir = await createDataDir()
    const created = await runCommand(['wallet', 'create', '--app', 'development', '--shelf', '2', '--json'], {
      dataDir,
      env,
    })
    expect((await created.ended).code, created.output()).toBe(0)
    const { wallet_id: walletId, address } = JSON.parse(created.output().trim().split('\n').at(-1)!)
    await fund(address)
    let server: ServerProcess = await startServerProcess({ dataDir, env })
    const headers = { 'x-api-key': apiKey, 'x-wallet-id': walletId, 'content-type': 'application/json' }
    const ask = async (path: string, init: RequestInit = {}) => {
      const reply = await fetch(`${server.url}/v2/farcaster/${path}`, { ...init, headers }).catch(() => null)
      const body = await reply?.json().catch(() => null)
      return reply && body ? { status: reply.status, body: body as ReturnType<typeof JSON.parse> } : null
    }

    async function begin(name: string): Promise<Newcomer | null> {
      const fresh = await ask('user/fid')
      if (fresh?.status !== 200) return null
      const asked = { fid: fresh.body.fid, deadline: Math.floor(Date.now() / 1000) + 3_600 }
      const user: Newcomer = {
        body: { ...(await registrationOf(newcomer(), asked)), fname: name },
        answer: null,
      }
      await register(user)
      return user
    }

    async function register(user: Newcomer): Promise<number> {
      const reply = await ask('user', { method: 'POST', body: JSON.stringify(user.body) })
      if (reply?.status === 200) user.answer = reply.body.user
      else if (reply && reply.status < 500) throw new Error(`refused: ${JSON.stringify(reply.body)}`)
      return reply?.status ?? 0
    }

    const users: Newcomer[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const beginning = Array.from({ length: CALLERS }, async (_, n) => {
        for (let turn = 0; turn < 2; turn += 1) {
          const user = await begin(`r${round}c${n}t${turn}`)
          if (user !== null) users.push(user)
        }
      })
      await sleep(150 + ((round * 7919) % 400))
      server.child.kill('SIGKILL')
      await server.ended
      await Promise.all(beginning)
      server = await startServerProcess({ dataDir, env })
      await Promise.all(
        users.map(async (user) => {
          const before = user.answer
          while ((await register(user)) !== 200) await sleep(100)
          if (before !== null) expect(user.answer).toEqual(before)
        }),
      )
    }
    for (const { body, answer } of users)
      expect(answer).toMatchObject({ fid: body.fid, username: body.fname })
    expect(new Set(users.map(({ body }) => body.fid)).size).toBe(users.length)
    const settled = async () =>
      (
        await db<{ open: number }[]>`
          select (select count(*) from accounts.transactions where state = 'recorded')::integer
            + (select count(*) from accounts.shelf where fid is null)::integer
            + (select count(*) from accounts.registrations where step not in ('done', 'undone'))::integer as open`
      )[0]!.open
    await expect.poll(settled, { timeout: 60_000, interval: 100 }).toBe(0)
    const tally = await tallyFids(db, Date.now())
    expect(tally.used).toBe(users.length)
    expect(tally.shelf + tally.held + tally.used).toBe(tally.registered)
    expect(tally.bought).toBe(tally.registered)
    const nonces = await db<{ nonce: number }[]>`
      select nonce from accounts.transactions where wallet_id = ${walletId} order by nonce`
    expect(nonces.map(({ nonce }) => nonce)).toEqual(nonces.map((_, n) => n))
    const purposes = await db`select purpose from accounts.transactions group by purpose having count(*) > 1`
    expect(purposes).toEqual([])
  })
})

/** A database, and where the server registers accounts. */
async function openScene(kind: 'local network' | 'chain') {
  const { db, url } = await createTestDatabase()
  const env = {
    DATABASE_URL: url,
    PLAZA_DEV_API_KEY: apiKey,
    PLAZA_SECRET_KEY: 'the-secret-key-of-a-server-that-is-killed',
    LOG_LEVEL: 'silent',
    CRAWL_EMBEDS: 'false',
    SCORE_INTERVAL_HOURS: '0',
  }
  if (kind === 'local network') return { db, env, fund: async () => {} }
  const chain = await startTestChain()
  return {
    db,
    env: {
      ...env,
      CHAIN_OPTIMISM_RPC_URLS: chain.url,
      CHAIN_CONFIRMATIONS: '0',
      CHAIN_FIRST_BLOCK: '0',
    },
    fund: (address: `0x${string}`) => chain.client.setBalance({ address, value: parseEther('1') }),
  }
}
