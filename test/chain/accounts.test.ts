import { randomUUID } from 'node:crypto'
import { storageRegistryABI } from '@farcaster/core'
import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk'
import fc from 'fast-check'
import { type Hex, parseEther, parseEventLogs } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { createAccounts } from '../../src/features/accounts/accounts.js'
import { FidPool } from '../../src/features/accounts/fid-pool/fid-pool.js'
import { accountDetails } from '../../src/features/accounts/registration/account-details.js'
import {
  acceptDirectRegistration,
  runDirectRegistration,
} from '../../src/features/accounts/registration/direct-registration.js'
import { checkDirect } from '../../src/features/accounts/routes/check-direct.js'
import { directRequest } from '../../src/features/accounts/testing/direct-request.js'
import { countFidsByState } from '../../src/features/accounts/testing/fid-counts.js'
import { newAccount } from '../../src/features/accounts/testing/new-account.js'
import { passTime } from '../../src/features/accounts/testing/pass-time.js'
import type { Wallet } from '../../src/features/accounts/wallets/wallets.js'
import { testVault } from '../../src/features/signers/testing/approved-signer.js'
import { signKeyRequestBody } from '../../src/features/signers/testing/key-holder.js'
import { ethAccount, newPrivateKey } from '../../src/hub/registry/eth-account.js'
import { silentLog } from '../../src/platform/log/log.js'
import { hexOf } from '../../src/protocol/bytes.js'
import { FarcasterNetwork } from '../../src/protocol/definitions.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { testKey } from '../network.js'
import { signTransfer } from '../published-client/sign-transfer.js'
import { accountOf, bytesOf, ledgerOn, purchaseOf, walletOn } from './account-chain.js'
import { startFailingRpc } from './failing-rpc.js'
import { startTestChain } from './test-chain.js'

const { db } = await createTestDatabase({ poolSize: 8 })
const chain = await startTestChain()
const rpc = await startFailingRpc(chain.url)
// The chain uses real time.
const clock = Date.now
const hub = await createTestHub(db, { clock })
const parts = { db, hub, clock }
const fidPoolOn = (url = chain.url) =>
  new FidPool({ db, vault: testVault, ledger: ledgerOn(url, parts), clock, log: silentLog })
const balanceOf = ({ address }: Wallet) => chain.client.getBalance({ address: hexOf(address) })
const custodyOnChain = (fid: number) =>
  chain.read<string>({
    contract: 'IdRegistry',
    address: chain.addresses.idRegistry,
    functionName: 'custodyOf',
    args: [BigInt(fid)],
  })

/** Holds at every moment except while a newly registered fid is being added to the pool. */
async function holds(): Promise<void> {
  const tally = () => countFidsByState(db)
  await expect.poll(async () => (({ registered, bought }) => registered - bought)(await tally())).toBe(0)
  const { available, held, used, registered } = await tally()
  expect(available + held + used).toBe(registered)
}

it('fifty concurrent calls on two servers take fifty fids, with one sequence of nonces', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  const [one, other] = [fidPoolOn(), fidPoolOn()]
  const fids = await Promise.all(
    // A machine that others use takes longer than the 90 s of a request.
    Array.from({ length: 50 }, (_, n) =>
      (n % 2 === 0 ? one : other).take(wallet, performance.now() + 300_000),
    ),
  )
  expect(new Set(fids).size).toBe(50)
  await Promise.all([one.idle(), other.idle()])
  // The last take leaves a gap, which the next look fills.
  await one.fill(wallet.id)
  await holds()
  const rows = await db<{ nonce: number }[]>`
    select nonce from accounts.transactions where wallet_id = ${wallet.id} order by nonce`
  expect(rows.map(({ nonce }) => nonce)).toEqual(Array.from({ length: 51 }, (_, n) => n))
  expect(await chain.client.getTransactionCount({ address: hexOf(wallet.address) })).toBe(rows.length)
  const [fid] = fids
  const [held] = await db<{ address: Buffer }[]>`
    select custody_address as address from accounts.fid_pool where fid = ${fid!}`
  expect((await custodyOnChain(fid!)).toLowerCase()).toBe(hexOf(held!.address))
})

it('a wallet that cannot pay registers nothing', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('0.001') })
  await expect(fidPoolOn().take(wallet)).rejects.toMatchObject({ code: 'insufficient_funds' })
  expect(await chain.client.getTransactionCount({ address: hexOf(wallet.address) })).toBe(0)
})

it('a wallet that has just been funded can pay, whatever its balance was a moment ago', async () => {
  const nowMs = Date.now()
  const ledger = ledgerOn(chain.url, { ...parts, clock: () => nowMs })
  const wallet = await walletOn(chain, db, { balance: 0n })
  expect(await ledger.available(db, wallet, 1n)).toBe(0n)
  await chain.client.setBalance({ address: hexOf(wallet.address), value: 5n })
  expect(await ledger.available(db, wallet)).toBe(0n)
  expect(await ledger.available(db, wallet, 5n)).toBe(5n)
  expect(await ledger.available(db, wallet)).toBe(5n)
})

it('a wallet that owes a fid and has just been funded takes another', async () => {
  const rich = await walletOn(chain, db, { balance: parseEther('1'), fidPoolSize: 2 })
  await fidPoolOn().fill(rich.id)
  const nowMs = Date.now()
  const ledger = ledgerOn(chain.url, { ...parts, clock: () => nowMs })
  const price = await ledger.priceOf({ kind: 'register' })
  const wallet = await walletOn(chain, db, { balance: price, fidPoolSize: 0 })
  const fidPool = new FidPool({ db, vault: testVault, ledger, clock, log: silentLog })
  await fidPool.take(wallet)
  await expect(fidPool.take(wallet)).rejects.toMatchObject({ code: 'insufficient_funds' })
  await chain.client.setBalance({ address: hexOf(wallet.address), value: 2n * price })
  expect(await fidPool.take(wallet)).toBeGreaterThan(0)
})

/** Serves the API with accounts on the chain until the test ends, and returns a client that pays with the wallet. */
async function connectClient(wallet: Wallet): Promise<NeynarAPIClient> {
  const network = FarcasterNetwork.DEVNET
  const accounts = createAccounts({
    db,
    vault: testVault,
    ledger: ledgerOn(chain.url, parts),
    services: accountDetails({ writerDb: db, hub, vault: testVault, network, clock }),
    worker: randomUUID(),
    clock,
    log: silentLog,
  })
  const { app, key, appId } = await createTestApi({ db, hub, clock, accounts })
  onTestFinished(() => app.close())
  expect(wallet.appId).toBe(appId)
  const basePath = await app.listen({ host: '127.0.0.1', port: 0 })
  const baseOptions = { headers: { 'x-wallet-id': wallet.id } }
  return new NeynarAPIClient(new Configuration({ apiKey: key, basePath, baseOptions }))
}

it('the published client registers a user on the chain, in the hub and in the read model', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  const before = await balanceOf(wallet)
  const client = await connectClient(wallet)
  const developer = chain.account(5)
  const developerFid = await chain.register(developer)
  await db`
    insert into hub.fids (fid, shard, custody_address, recovery_address, registered_at)
    values (${developerFid}, 1, ${bytesOf(developer.address)}, ${bytesOf(developer.address)}, 0)`

  const { fid } = await client.getFreshAccountFID()
  const user = newAccount()
  const deadline = Math.floor(clock() / 1000) + 3_600
  const { signer_uuid: uuid, public_key } = await client.createSigner()
  const request = await signKeyRequestBody(
    { fid: developerFid, account: accountOf(developer) },
    public_key,
    deadline,
  )
  const registered = await client.registerAccount({
    fid,
    deadline,
    requestedUserCustodyAddress: user.signer.address,
    signature: await signTransfer(user, { fid, deadline }),
    fname: 'onchain',
    metadata: { bio: 'here' },
    signer: {
      uuid,
      app_fid: developerFid,
      deadline,
      signed_key_request_metadata_signature: request.signature,
    },
  })
  expect(registered).toMatchObject({
    signers: [{ uuid, status: 'approved', fid }],
    user: { fid, username: 'onchain' },
  })
  expect(await custodyOnChain(fid)).toBe(user.signer.address)
  const { cast } = await client.publishCast({ signerUuid: uuid, text: 'hello' })
  expect(cast.author.fid).toBe(fid)

  const bought = await client.buyStorage({ fid, units: 3, idem: 'sixteen letters.' })
  expect(bought.total_active_units).toBe(4)
  await client.buyStorage({ fid, units: 3, idem: 'sixteen letters.' })
  const logs = await chain.client.getLogs({ address: chain.addresses.storageRegistry, fromBlock: 0n })
  const rents = parseEventLogs({ abi: storageRegistryABI, logs, eventName: 'Rent' })
  expect(rents.filter(({ args }) => Number(args.fid) === fid).map(({ args }) => args.units)).toEqual([1n, 3n])
  const spent = before - (await balanceOf(wallet))
  expect(spent > 0n && spent < parseEther('0.05')).toBe(true)
  await holds()
})

it('an account whose keys the developer holds is registered with them', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  const [developer, user] = [chain.account(6), newAccount()]
  const app = { fid: await chain.register(developer), account: accountOf(developer) }
  const deadline = Math.floor(clock() / 1000) + 3_600
  const keys = [testKey('a key of the developer'), testKey('another')]
  const requested = { ...(await directRequest(user, { app, keys, deadline })), storage_units: 1 }
  const ledger = ledgerOn(chain.url, parts)
  const calls = await checkDirect(ledger, requested, Math.floor(clock() / 1000))
  const digest = Buffer.alloc(32)
  const id = await acceptDirectRegistration(db, {
    ...wallet,
    walletId: wallet.id,
    name: 'direct',
    digest,
    calls,
  })
  const { fid, problems } = await runDirectRegistration({ db, ledger }, id)
  expect(problems).toEqual([])
  expect(await custodyOnChain(fid!)).toBe(user.signer.address)
  const active = await db`select from hub.signers where fid = ${fid!} and active`
  expect(active).toHaveLength(2)
})

it('a transaction that is not mined is replaced by one with a higher fee, and one of them counts', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  await chain.client.setAutomine(false)
  try {
    const ledger = ledgerOn(chain.url, parts, { stuckMs: 0 })
    const bought = ledger.buy(await purchaseOf(wallet, 'stuck'))
    await expect
      .poll(async () => (await attemptsOf('stuck')).length, { interval: 50 })
      .toBeGreaterThanOrEqual(3)
    await chain.client.setAutomine(true)
    await chain.mine(1)
    expect(await bought).toMatchObject({ fid: expect.any(Number) })
  } finally {
    await chain.client.setAutomine(true)
  }
  expect(await chain.client.getTransactionCount({ address: hexOf(wallet.address) })).toBe(1)
})

it('a purchase recorded by a process that died is sent by another one, once', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  const purchase = await purchaseOf(wallet, 'left')
  const ended = new AbortController()
  await chain.client.setAutomine(false)
  const gone = ledgerOn(chain.url, parts, { signal: ended.signal }).buy(purchase)
  await expect.poll(async () => (await attemptsOf('left')).length, { interval: 20 }).toBe(1)
  ended.abort()
  await expect(gone).rejects.toMatchObject({ code: 'unavailable' })
  // The node forgets it, like one that restarts.
  await chain.client.dropTransaction({ hash: hexOf((await attemptsOf('left'))[0]!.hash) })
  await chain.client.setAutomine(true)
  const other = ledgerOn(chain.url, parts)
  await other.settlePending()
  expect(await other.buy(purchase)).toMatchObject({ fid: expect.any(Number) })
  expect(await chain.client.getTransactionCount({ address: hexOf(wallet.address) })).toBe(1)
})

it('a purchase that the contracts refuse costs nothing', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  const late = await purchaseOf(wallet, 'late', 1)
  expect(await ledgerOn(chain.url, parts).buy(late)).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('SignatureExpired'),
  })
  expect(await balanceOf(wallet)).toBe(parseEther('1'))
})

it('a registry that is paused -> its own words say why, and the purchase works afterwards', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  const purchase = await purchaseOf(wallet, 'paused')
  const switchTo = (functionName: 'pause' | 'unpause') =>
    chain.send(chain.account(0), {
      ...{ contract: 'IdGateway', address: chain.addresses.idGateway },
      functionName,
    })
  await switchTo('pause')
  const refused = await ledgerOn(chain.url, parts).buy(purchase)
  await switchTo('unpause')
  expect(refused).toMatchObject({
    code: 'conflict',
    message: 'the contracts refuse the call: Pausable: paused',
  })
  expect(await balanceOf(wallet)).toBe(parseEther('1'))
  expect(await ledgerOn(chain.url, parts).buy(purchase)).toMatchObject({ fid: expect.any(Number) })
})

it('a nonce that another process used -> the purchase uses the next one', async () => {
  const key = newPrivateKey()
  const wallet = await walletOn(chain, db, { balance: parseEther('1'), key })
  const purchase = await purchaseOf(wallet, 'overtaken')
  await chain.client.setAutomine(false)
  // Time stands still until the other transaction is mined, or this one would raise its fee.
  const hand = stoppedClock()
  const ledger = ledgerOn(chain.url, { ...parts, clock: hand.clock }, { stuckMs: 400 })
  const first = ledger.buy(purchase).catch((error: unknown) => error)
  const hash = await transactionsFor('overtaken')
  await chain.client.dropTransaction({ hash })
  const { signer } = ethAccount(key)
  await chain.clientOf(signer).sendTransaction({ account: signer, chain: null, to: signer.address, nonce: 0 })
  await chain.client.setAutomine(true)
  await chain.mine(1)
  hand.go()
  expect(await first).toMatchObject({ code: 'unavailable' })
  expect(await ledger.buy(purchase)).toMatchObject({ fid: expect.any(Number) })
  expect(await chain.client.getTransactionCount({ address: hexOf(wallet.address) })).toBe(2)
})

it('a transaction whose block leaves the chain is awaited again', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  // It is sent again after a while, which must not pass before the reorganization is seen.
  const hand = stoppedClock()
  const ledger = ledgerOn(chain.url, { ...parts, clock: hand.clock }, { confirmations: 2 })
  const bought = ledger.buy(await purchaseOf(wallet, 'reorg'))
  const count = () => chain.client.getTransactionCount({ address: hexOf(wallet.address) })
  await expect.poll(count, { interval: 20 }).toBe(1)
  await chain.reorg(1)
  expect(await count()).toBe(0)
  hand.go()
  await expect.poll(count, { interval: 50 }).toBe(1)
  await chain.mine(2)
  expect(await bought).toMatchObject({ fid: expect.any(Number) })
  expect(await count()).toBe(1)
})

it('an RPC that fails or stalls at any call -> nothing is lost or paid twice', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1'), fidPoolSize: 0 })
  const servers = [1, 2].map(() => fidPoolOn(rpc.url))
  const trouble = fc.record({ every: fc.integer({ min: 1, max: 9 }), times: fc.integer({ min: 1, max: 12 }) })
  await fc.assert(
    fc.asyncProperty(trouble, async ({ every, times }) => {
      rpc.fail(every, times)
      const answers = await withFastRetries(
        Promise.allSettled(servers.flatMap((fidPool) => [1, 2].map(() => fidPool.take(wallet)))),
      )
      const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []))
      expect(refused.filter((code) => !String(code).startsWith('unavailable'))).toEqual([])
      rpc.fail(1, 0)
      await withFastRetries(Promise.all(servers.map((fidPool) => fidPool.idle())))
    }),
    { numRuns: 4 },
  )
  await withFastRetries(expect.poll(() => servers[0]!.fill(wallet.id).then(countOrdered)).toBe(0))
  await holds()
  const rows = await db<{ nonce: number; state: string }[]>`
    select nonce, state from accounts.transactions where wallet_id = ${wallet.id} order by nonce`
  expect(rows).toEqual(rows.map((_, nonce) => ({ nonce, state: 'confirmed' })))
  expect(await chain.client.getTransactionCount({ address: hexOf(wallet.address) })).toBe(rows.length)
})

/** Waits for work that is repeated after seconds, which pass faster meanwhile. */
async function withFastRetries<T>(work: Promise<T>): Promise<T> {
  let isDone = false
  const ended = work.finally(() => {
    isDone = true
  })
  const passing = async () => {
    if (!isDone) await passTime(db, 1_000)
    return isDone
  }
  await expect.poll(passing, { interval: 50 }).toBe(true)
  return await ended
}

/** A clock that stands still until it is released. */
function stoppedClock() {
  const startMs = clock()
  let isStopped = true
  return {
    clock: () => (isStopped ? startMs : clock()),
    go: () => {
      isStopped = false
    },
  }
}

/** Returns the hashes of a purchase's transactions once the node has them. */
async function transactionsFor(purpose: string): Promise<Hex> {
  const isThere = async () => {
    const attempts = await attemptsOf(purpose)
    const known = attempts.map(({ hash }) => chain.client.getTransaction({ hash: hexOf(hash) }))
    return (await Promise.all(known).catch(() => [])).length
  }
  await expect.poll(isThere, { interval: 20 }).toBe(1)
  return hexOf((await attemptsOf(purpose))[0]!.hash)
}

async function countOrdered(): Promise<number> {
  return (await db`select from accounts.fid_pool where fid is null`).length
}

async function attemptsOf(purpose: string) {
  return await db<{ hash: Buffer }[]>`
    select a.hash from accounts.attempts a
    join accounts.transactions t on t.id = a.transaction_id
    where t.purpose = ${purpose}
    order by a.attempt`
}
