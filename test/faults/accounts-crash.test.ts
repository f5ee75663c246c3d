import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { countFidsByState } from '../../src/features/accounts/testing/fid-counts.js'
import { passTime } from '../../src/features/accounts/testing/pass-time.js'
import { saveWallet } from '../../src/features/accounts/wallets/wallets.js'
import { ensureApp } from '../../src/features/apps/apps.js'
import { ethAccount, newPrivateKey } from '../../src/hub/registry/eth-account.js'
import type { Database } from '../../src/platform/db/connection.js'
import { createVault } from '../../src/platform/vault/vault.js'
import { hexOf } from '../../src/protocol/bytes.js'
import { startTestChain } from '../chain/test-chain.js'
import { createTestDatabase } from '../database.js'
import { createDataDir, startServerProcess } from '../server-process.js'
import { DirectDeveloper, type DirectNewcomer } from './direct-developer.js'
import { RegisteringApp } from './registering-app.js'

const ROUNDS = 2
const CALLERS = 4
const ACCOUNTS_OF_CALLER = 2
const apiKey = 'a-key-for-the-crash'
const secretKey = 'the-secret-key-of-a-server-that-is-killed'
const walletKey = newPrivateKey()

describe.each(['local network', 'chain'] as const)('account registration with crashes: %s', (kind) => {
  const scene = openScene(kind)

  it('registers accounts once and loses no fid and no money', async () => {
    const { db, env, fund } = await scene
    const wallet = await saveWallet(db, createVault([secretKey]), {
      ...(await fund(hexOf(ethAccount(walletKey).address))),
      appId: await ensureApp(db, 'development'),
      privateKey: walletKey,
      fidPoolSize: 2,
    })
    const dataDir = await createDataDir()
    const app = new RegisteringApp(apiKey, wallet.id)
    const developer = new DirectDeveloper(apiKey, wallet.id)
    let server = await startServerProcess({ dataDir, env })
    developer.url = server.url
    await developer.open()
    for (let round = 0; round < ROUNDS; round += 1) {
      app.url = server.url
      developer.url = server.url
      const before = app.users.length
      const firstBatch = Array.from({ length: CALLERS }, async (_, caller) => {
        for (let n = 0; n < ACCOUNTS_OF_CALLER; n += 1) {
          const name = `r${round}c${caller}n${n}`
          await Promise.all([app.startRegistration(name), developer.startRegistration(name)])
        }
      })
      // Some are done, some in progress.
      await expect.poll(() => app.users.length, { interval: 10 }).toBeGreaterThan(before + 2)
      await sleep((round * 7919) % 50)
      server.child.kill('SIGKILL')
      await server.ended
      await Promise.all(firstBatch)
      server = await startServerProcess({ dataDir, env })
      app.url = server.url
      developer.url = server.url
      // Only the server continues the others.
      await Promise.all([app.repeatAll(), developer.repeat(developer.users.filter((_, n) => n % 2 === 0))])
    }
    for (const { body, answer } of app.users) {
      expect(answer).toMatchObject({ fid: body.fid, username: body.fname })
    }
    expect(new Set(app.users.map(({ body }) => body.fid)).size).toBe(app.users.length)
    await passTime(db, 60 * 60 * 1000)
    // A running server may order more, so unfinished work is final only after it stops.
    for (let isFinished = false; !isFinished; isFinished = (await countOpen(db)) === 0) {
      if (server.child.exitCode !== null) server = await startServerProcess({ dataDir, env })
      await expect.poll(() => countOpen(db), { interval: 100 }).toBe(0)
      server.child.kill('SIGTERM')
      await server.ended
    }
    const { available, held: heldFids, used, registered, bought } = await countFidsByState(db)
    expect(used).toBe(app.users.length)
    expect(available + heldFids + used).toBe(registered)
    expect(bought).toBe(registered)
    await expectOnePurchaseForEachPurpose(db)
    await expectConsistentAccounts(db, developer.users)
  })
})

/** A directly registered account has all its keys, or does not exist. */
async function expectConsistentAccounts(db: Database, users: readonly DirectNewcomer[]): Promise<void> {
  for (const { account, keys, fid } of users) {
    const rows = await db<{ fid: number; keys: number }[]>`
      select f.fid, (select count(*) from hub.signers s where s.fid = f.fid and s.active)::integer as keys
      from hub.fids f
      where f.custody_address = ${account.address}::bytea`
    expect(rows.length).toBeLessThanOrEqual(1)
    if (fid !== null) expect(rows[0]?.fid).toBe(fid)
    for (const row of rows) expect(row.keys).toBe(keys.length)
  }
}

/** Counts unfinished work. */
async function countOpen(db: Database): Promise<number> {
  const [row] = await db<{ open: number }[]>`
    select (select count(*) from accounts.transactions where state = 'recorded')::integer
      + (select count(*) from accounts.fid_pool where fid is null)::integer
      + (select count(*) from accounts.registrations where step not in ('done', 'undone'))::integer
      + (select count(*) from accounts.direct_registrations where finished_at is null)::integer as open`
  return row!.open
}

async function expectOnePurchaseForEachPurpose(db: Database): Promise<void> {
  const rows = await db<{ nonce: number; purpose: string }[]>`
    select nonce, purpose from accounts.transactions order by nonce`
  expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, n) => n))
  expect(new Set(rows.map(({ purpose }) => purpose)).size).toBe(rows.length)
}

/** Creates the database and the network of registrations. */
async function openScene(kind: 'local network' | 'chain') {
  const { db, url } = await createTestDatabase()
  const env = {
    DATABASE_URL: url,
    PLAZA_DEV_API_KEY: apiKey,
    PLAZA_SECRET_KEY: secretKey,
    LOG_LEVEL: 'silent',
    CRAWL_EMBEDS: 'false',
    SCORE_INTERVAL_HOURS: '0',
  }
  if (kind === 'local network') {
    return { db, env, fund: async () => ({ network: 'local', balance: parseEther('1') }) }
  }
  const chain = await startTestChain()
  return {
    db,
    env: {
      ...env,
      CHAIN_OPTIMISM_RPC_URLS: chain.url,
      CHAIN_CONFIRMATIONS: '0',
      CHAIN_FIRST_BLOCK: '0',
    },
    fund: async (address: Hex) => {
      await chain.client.setBalance({ address, value: parseEther('1') })
      return { network: 'eip155:10', balance: null }
    },
  }
}
