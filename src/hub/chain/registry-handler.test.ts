import type { Account } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { createLeaseHolder } from '../../../test/chain/lease-holder.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { testKey } from '../../../test/network.js'
import { silentLog } from '../../platform/log/log.js'
import { hexOf } from '../../protocol/bytes.js'
import { OnChainEvent, OnChainEventType } from '../../protocol/definitions.js'
import { ethAccount } from '../registry/eth-account.js'
import { keyRequestMetadata, signKeyRequest } from '../registry/key-request.js'
import { ChainRpc } from './chain-rpc.js'
import { readChainSettings } from './chain-settings.js'
import { ChainFollower } from './follower.js'
import { registryHandler } from './registry-handler.js'

const { db, connect } = await createTestDatabase()
const hub = await createTestHub(db)
const chain = await startTestChain()
const { idRegistry, keyGateway, keyRegistry, storageRegistry, tierRegistry, token } = chain.addresses
const owner = chain.account(0)
const farAway = 4_000_000_000

const settings = readChainSettings({
  rpcUrls: { optimism: chain.url },
  contracts: `tierRegistry=optimism:${tierRegistry}`,
  confirmations: 3,
  firstBlock: 0,
})
const followed = settings.chains.get('optimism')!
const handler = registryHandler(settings, followed, { hub, log: silentLog })!
const rpc = new ChainRpc(followed, { log: silentLog, clock: Date.now })
const holder = createLeaseHolder(connect)
const follower = new ChainFollower(handler, { db, rpc, holder })

async function followAll(by = follower): Promise<void> {
  await chain.mine(3)
  let outcome = await by.step()
  while (outcome !== 'caughtUp') outcome = await by.step()
}

/** A follower of the same name, configured without the registry of tiers. */
async function followerWithoutTiers(): Promise<ChainFollower> {
  const { topics } = (await handler.filter(0))!
  const addresses = (await handler.contracts!()).filter((address) => address !== tierRegistry.toLowerCase())
  const filter = async () => ({ addresses, topics })
  return new ChainFollower({ ...handler, contracts: async () => addresses, filter }, { db, rpc, holder })
}

const bytes = (address: string) => Buffer.from(address.slice(2), 'hex')

async function holderOf(fid: number) {
  const [row] = await db<{ custody: Buffer; recovery: Buffer; registered: number }[]>`
    select custody_address as custody, recovery_address as recovery, registered_at as registered
    from hub.fids where fid = ${fid}`
  return row
}

async function addKey(user: Account, appKey: Buffer, key: Buffer): Promise<void> {
  const app = ethAccount(appKey)
  const requestFid = Number(
    await chain.read<bigint>({
      contract: 'IdRegistry',
      address: idRegistry,
      functionName: 'idOf',
      args: [app.signer.address],
    }),
  )
  const request = await signKeyRequest({ requestFid, key, deadline: farAway }, app)
  const args = [1, hexOf(key), 1, hexOf(keyRequestMetadata(request))]
  await chain.send(user, { contract: 'KeyGateway', address: keyGateway, functionName: 'add', args })
}

it('a registration reaches the hub once it is final, with time, block and transaction', async () => {
  const user = chain.account(1)
  const recovery = chain.account(2).address
  await followAll()
  const fid = await chain.register(user, recovery)
  await follower.step()
  expect(await holderOf(fid)).toBeUndefined()
  await followAll()
  const log = (await chain.client.getLogs({ address: idRegistry, fromBlock: 0n })).at(-1)
  const block = await chain.client.getBlock({ blockNumber: log!.blockNumber! })
  expect(await holderOf(fid)).toEqual({
    custody: bytes(user.address),
    recovery: bytes(recovery),
    registered: Number(block.timestamp),
  })
  const [row] = await db<{ event: Buffer }[]>`
    select event from hub.onchain_events
    where fid = ${fid} and type = ${OnChainEventType.EVENT_TYPE_ID_REGISTER}`
  expect(OnChainEvent.decode(row!.event)).toMatchObject({
    chainId: 10,
    blockNumber: Number(block.number),
    blockHash: bytes(block.hash),
    blockTimestamp: Number(block.timestamp),
    transactionHash: bytes(log!.transactionHash!),
    logIndex: log!.logIndex,
  })
  expect(await db`select units, rented_at from hub.storage_rents where fid = ${fid}`).toMatchObject([
    { units: 1, rented_at: Number(block.timestamp) },
  ])
})

it('transfers and recovery changes reach the hub', async () => {
  const [from, to] = [chain.account(3), privateKeyToAccount(generatePrivateKey())]
  const fid = await chain.register(from)
  const registry = { contract: 'IdRegistry', address: idRegistry }
  const recovery = chain.account(4).address
  await chain.send(from, { ...registry, functionName: 'changeRecoveryAddress', args: [recovery] })
  const signature = await to.signTypedData({
    domain: { name: 'Farcaster IdRegistry', version: '1', chainId: 10, verifyingContract: idRegistry },
    types: {
      Transfer: [
        { name: 'fid', type: 'uint256' },
        { name: 'to', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Transfer',
    message: { fid: BigInt(fid), to: to.address, nonce: 0n, deadline: BigInt(farAway) },
  })
  const args = [to.address, farAway, signature]
  await chain.send(from, { ...registry, functionName: 'transfer', args })
  await followAll()
  expect(await holderOf(fid)).toMatchObject({ custody: bytes(to.address), recovery: bytes(recovery) })
})

it('keys, rents and tier purchases reach the hub', async () => {
  const appKey = Buffer.alloc(32, 5)
  const app = ethAccount(appKey).signer
  await chain.client.setBalance({ address: app.address, value: 10n ** 18n })
  await chain.register(app)
  const user = chain.account(5)
  const fid = await chain.register(user)
  const [kept, removed] = [testKey('kept').publicKey, testKey('removed').publicKey]
  await addKey(user, appKey, kept)
  await addKey(user, appKey, removed)
  const keys = { contract: 'KeyRegistry', address: keyRegistry }
  await chain.send(user, { ...keys, functionName: 'remove', args: [hexOf(removed)] })
  const storage = { contract: 'StorageRegistry', address: storageRegistry }
  const value = await chain.read<bigint>({ ...storage, functionName: 'price', args: [4] })
  await chain.send(user, { ...storage, functionName: 'rent', args: [fid, 4], value })
  const money = { contract: 'Token', address: token }
  await chain.send(user, { ...money, functionName: 'mint', args: [user.address, 3_000_000n] })
  await chain.send(user, { ...money, functionName: 'approve', args: [tierRegistry, 3_000_000n] })
  const tier = { contract: 'TierRegistry', address: tierRegistry }
  await chain.send(user, { ...tier, functionName: 'purchaseTier', args: [fid, 1, 30] })
  await chain.send(owner, { ...keys, functionName: 'migrate' })
  await followAll()

  const signers = await db<{ key: Buffer; active: boolean }[]>`
    select key, active from hub.signers where fid = ${fid} order by active`
  expect(signers.map(({ key, active }) => [key.toString('hex'), active])).toEqual([
    [Buffer.from(removed).toString('hex'), false],
    [Buffer.from(kept).toString('hex'), true],
  ])
  expect(await db`select sum(units)::integer as units from hub.storage_rents where fid = ${fid}`).toEqual([
    { units: 5 },
  ])
  const [account] = await db<{ days: number }[]>`
    select (pro_until - (select max(block_time) from hub.onchain_events
      where fid = ${fid} and type = ${OnChainEventType.EVENT_TYPE_TIER_PURCHASE})) / 86400 as days
    from hub.fids where fid = ${fid}`
  expect(account).toEqual({ days: 30 })
  expect(
    await db`select 1 from hub.onchain_events where type = ${OnChainEventType.EVENT_TYPE_SIGNER_MIGRATED}`,
  ).toHaveLength(1)
})

it('rents and tier purchases whose numbers cannot be stored make no event, and later ones still arrive', async () => {
  const payer = chain.account(6)
  const storage = { contract: 'StorageRegistry', address: storageRegistry }
  const value = await chain.read<bigint>({ ...storage, functionName: 'price', args: [1] })
  const money = { contract: 'Token', address: token }
  const tier = { contract: 'TierRegistry', address: tierRegistry, functionName: 'purchaseTier' }
  await chain.send(payer, { ...money, functionName: 'mint', args: [payer.address, 2n ** 100n] })
  await chain.send(payer, { ...money, functionName: 'approve', args: [tierRegistry, 2n ** 100n] })
  await followAll()
  const count = () => db`select count(*)::integer as events from hub.onchain_events`
  const before = await count()
  for (const fid of [2n ** 255n, 2n ** 63n, 2n ** 53n]) {
    await chain.send(payer, { ...storage, functionName: 'rent', args: [fid, 1], value })
    await chain.send(payer, { ...tier, args: [fid, 1, 30] })
  }
  for (const days of [2n ** 64n, 2n ** 31n]) await chain.send(payer, { ...tier, args: [1, 1, days] })
  await followAll()
  expect(await count()).toEqual(before)

  const largest = Number.MAX_SAFE_INTEGER
  await chain.send(payer, { ...storage, functionName: 'rent', args: [largest, 1], value })
  const fid = await chain.register(payer)
  await followAll()
  expect(await holderOf(fid)).toMatchObject({ custody: bytes(payer.address) })
  expect(await db`select fid, units from hub.storage_rents where fid = ${largest}::bigint`).toEqual([
    { fid: largest, units: 1 },
  ])
})

it('blocks that are read twice merge once', async () => {
  const [before] = await db`select count(*)::integer as events from hub.onchain_events`
  await db`delete from chain.followers`
  await followAll()
  expect(await db`select count(*)::integer as events from hub.onchain_events`).toEqual([before])
})

it('a registry that is added later is read from the first block, with the others', async () => {
  await db`delete from chain.followers`
  const without = await followerWithoutTiers()
  await followAll(without)
  await without.release()
  const events = async () => db`select fid, type, block_number, log_index from hub.onchain_events`
  const all = await events()
  await db`delete from hub.onchain_events where type = ${OnChainEventType.EVENT_TYPE_TIER_PURCHASE}`
  await followAll()
  const inOrder = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort()
  expect(inOrder(await events())).toEqual(inOrder(all))
})

it('a registry that is removed and added again is read from the first block, the others go on', async () => {
  const payer = chain.account(7)
  const money = { contract: 'Token', address: token }
  await chain.send(payer, { ...money, functionName: 'mint', args: [payer.address, 3_000_000n] })
  await chain.send(payer, { ...money, functionName: 'approve', args: [tierRegistry, 3_000_000n] })
  const fid = await chain.register(payer)
  await followAll()
  const nextBlock = async () => (await db`select next_block from chain.followers`)[0]!.next_block
  const removedAt = await nextBlock()

  const without = await followerWithoutTiers()
  const tier = { contract: 'TierRegistry', address: tierRegistry }
  await chain.send(payer, { ...tier, functionName: 'purchaseTier', args: [fid, 1, 30] })
  await chain.mine(3)
  expect(await without.step()).toBe('moved')
  expect(await nextBlock()).toBe(removedAt + 4)
  const isPro = () => db`select pro_until > 0 as pro from hub.fids where fid = ${fid}`
  expect(await isPro()).toEqual([{ pro: false }])

  await followAll()
  expect(await isPro()).toEqual([{ pro: true }])
})

it('a chain without registries has no handler', () => {
  const elsewhere = readChainSettings({ rpcUrls: { arbitrum: chain.url } })
  expect(registryHandler(elsewhere, elsewhere.chains.get('arbitrum')!, { hub, log: silentLog })).toBeNull()
  expect(() => readChainSettings({ rpcUrls: {}, contracts: 'idRegistry=moon:0x00' })).toThrow('moon')
})
