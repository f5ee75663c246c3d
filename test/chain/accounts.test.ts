import { storageRegistryABI } from '@farcaster/core'
import { parseEther, parseEventLogs } from 'viem'
import { expect, it } from 'vitest'
import { createAccounts } from '../../src/accounts/accounts.js'
import { registerConsent, signConsent } from '../../src/accounts/ledger/consents.js'
import { Shelf } from '../../src/accounts/shelf/shelf.js'
import { newcomer, registrationOf } from '../../src/accounts/testing/newcomer.js'
import { tallyFids } from '../../src/accounts/testing/tally.js'
import type { Wallet } from '../../src/accounts/wallets/wallets.js'
import { accountDetails } from '../../src/api/operations/account/account-details.js'
import { createTestApi } from '../../src/api/testing/test-api.js'
import { silentLog } from '../../src/lib/log.js'
import { hexOf } from '../../src/protocol/bytes.js'
import { ethAccount, newPrivateKey } from '../../src/registry/eth-account.js'
import { testVault } from '../../src/signers/testing/approved-signer.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { ledgerOn, walletOn } from './account-chain.js'
import { startTestChain } from './test-chain.js'

const { db } = await createTestDatabase({ poolSize: 8 })
const chain = await startTestChain()
// The chain tells the time.
const clock = Date.now
const hub = await createTestHub(db, { clock })
const parts = { db, hub, clock }
const shelfOn = (url = chain.url) =>
  new Shelf({ db, vault: testVault, ledger: ledgerOn(url, parts), clock, log: silentLog })
const balanceOf = ({ address }: Wallet) => chain.client.getBalance({ address: hexOf(address) })
const custodyOnChain = (fid: number) =>
  chain.read<string>({
    contract: 'IdRegistry',
    address: chain.addresses.idRegistry,
    functionName: 'custodyOf',
    args: [BigInt(fid)],
  })

/** At every moment but that in which a fid that was just registered is put onto the shelf. */
async function holds(): Promise<void> {
  const tally = () => tallyFids(db, clock())
  await expect.poll(async () => (({ registered, bought }) => registered - bought)(await tally())).toBe(0)
  const { shelf, held, used, registered } = await tally()
  expect(shelf + held + used).toBe(registered)
}

it('fifty who call two servers at once get fifty fids of the chain, by one sequence of nonces', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  const [one, other] = [shelfOn(), shelfOn()]
  const fids = await Promise.all(
    Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? one : other).take(wallet)),
  )
  expect(new Set(fids).size).toBe(50)
  await Promise.all([one.idle(), other.idle()])
  await holds()
  const rows = await db<{ nonce: number }[]>`
    select nonce from accounts.transactions where wallet_id = ${wallet.id} order by nonce`
  expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, n) => n))
  expect(await chain.client.getTransactionCount({ address: hexOf(wallet.address) })).toBe(rows.length)
  const [fid] = fids
  const [held] = await db<{ address: Buffer }[]>`
    select custody_address as address from accounts.shelf where fid = ${fid!}`
  expect((await custodyOnChain(fid!)).toLowerCase()).toBe(hexOf(held!.address))
})

it('a wallet that cannot pay registers nothing', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('0.001') })
  await expect(shelfOn().take(wallet)).rejects.toMatchObject({ code: 'insufficient_funds' })
  expect(await chain.client.getTransactionCount({ address: hexOf(wallet.address) })).toBe(0)
})

it('a user is registered on the chain, in the hub and in the read model when it is answered', async () => {
  const ledger = ledgerOn(chain.url, parts)
  const api = await createTestApi({
    db,
    hub,
    clock,
    accounts: createAccounts({
      db,
      vault: testVault,
      ledger,
      details: accountDetails({ writerDb: db, hub, vault: testVault, network: 3, clock }),
      worker: crypto.randomUUID(),
      clock,
      log: silentLog,
    }),
  })
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  const before = await balanceOf(wallet)
  const headers = { 'x-wallet-id': wallet.id }
  const { fid } = (await api.get('user/fid', {}, headers)).json()
  const user = newcomer()
  const deadline = Math.floor(clock() / 1000) + 3_600
  const body = {
    ...(await registrationOf(user, { fid, deadline })),
    fname: 'onchain',
    metadata: { bio: 'here' },
  }
  const reply = await api.send('POST', 'user', body, headers)
  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.json()).toMatchObject({
    signers: [{ status: 'approved', fid }],
    user: { fid, username: 'onchain', custody_address: user.signer.address.toLowerCase() },
  })
  expect(await custodyOnChain(fid)).toBe(user.signer.address)
  const [{ uuid }] = reply.json().signers
  expect((await api.send('POST', 'cast', { signer_uuid: uuid, text: 'hello' })).statusCode).toBe(200)

  const bought = await api.send('POST', 'storage/buy', { fid, units: 3, idem: 'once' }, headers)
  expect(bought.json()).toMatchObject({ total_active_units: 4 })
  await api.send('POST', 'storage/buy', { fid, units: 3, idem: 'once' }, headers)
  const logs = await chain.client.getLogs({ address: chain.addresses.storageRegistry, fromBlock: 0n })
  const rents = parseEventLogs({ abi: storageRegistryABI, logs, eventName: 'Rent' })
  expect(rents.filter(({ args }) => Number(args.fid) === fid).map(({ args }) => args.units)).toEqual([1n, 3n])
  const spent = before - (await balanceOf(wallet))
  expect(spent > 0n && spent < parseEther('0.05')).toBe(true)
  await holds()
})

it('a transaction that nobody takes is replaced by one that offers more, and only one of them counts', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  await chain.client.setAutomine(false)
  try {
    const ledger = ledgerOn(chain.url, parts, { stuckMs: 0 })
    const bought = ledger.buy(await registration(wallet, 'stuck'))
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

it('what was recorded before its process ended is sent by another one, once', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  const purchase = await registration(wallet, 'left')
  const ended = new AbortController()
  await chain.client.setAutomine(false)
  const gone = ledgerOn(chain.url, parts, { signal: ended.signal }).buy(purchase)
  await expect.poll(async () => (await attemptsOf('left')).length, { interval: 20 }).toBe(1)
  ended.abort()
  await expect(gone).rejects.toMatchObject({ code: 'unavailable' })
  // The node forgets it, as one that is started anew does.
  await chain.client.dropTransaction({ hash: hexOf((await attemptsOf('left'))[0]!.hash) })
  await chain.client.setAutomine(true)
  const other = ledgerOn(chain.url, parts)
  await other.settleOpen()
  expect(await other.buy(purchase)).toMatchObject({ fid: expect.any(Number) })
  expect(await chain.client.getTransactionCount({ address: hexOf(wallet.address) })).toBe(1)
})

it('a purchase that the contracts refuse costs nothing', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  const late = await registration(wallet, 'late', 1)
  expect(await ledgerOn(chain.url, parts).buy(late)).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('SignatureExpired'),
  })
  expect(await balanceOf(wallet)).toBe(parseEther('1'))
})

it('whose nonce somebody else has used, by the same key, is bought by the next one', async () => {
  const key = newPrivateKey()
  const wallet = await walletOn(chain, db, { balance: parseEther('1'), key })
  const purchase = await registration(wallet, 'overtaken')
  await chain.client.setAutomine(false)
  const ledger = ledgerOn(chain.url, parts, { stuckMs: 1_000 })
  const first = ledger.buy(purchase).catch((error: unknown) => error)
  await expect.poll(async () => (await attemptsOf('overtaken')).length, { interval: 20 }).toBe(1)
  await chain.client.dropTransaction({ hash: hexOf((await attemptsOf('overtaken'))[0]!.hash) })
  const { signer } = ethAccount(key)
  await chain.clientOf(signer).sendTransaction({ account: signer, chain: null, to: signer.address, nonce: 0 })
  await chain.client.setAutomine(true)
  await chain.mine(1)
  expect(await first).toMatchObject({ code: 'unavailable' })
  expect(await ledger.buy(purchase)).toMatchObject({ fid: expect.any(Number) })
  expect(await chain.client.getTransactionCount({ address: hexOf(wallet.address) })).toBe(2)
})

async function registration(wallet: Wallet, purpose: string, deadline = 4_000_000_000) {
  const holder = newcomer()
  const recovery = Buffer.alloc(20)
  const consent = registerConsent({ to: holder.address, recovery, nonce: 0n, deadline })
  const signature = await signConsent(consent, holder)
  const call = {
    kind: 'register' as const,
    holder: { address: holder.address, deadline, signature },
    recovery,
    extraUnits: 0,
  }
  return { walletId: wallet.id, purpose, call }
}

async function attemptsOf(purpose: string) {
  return await db<{ hash: Buffer }[]>`
    select a.hash from accounts.attempts a
    join accounts.transactions t on t.id = a.transaction_id
    where t.purpose = ${purpose}
    order by a.attempt`
}
