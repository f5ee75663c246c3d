import { encodeAbiParameters, type Hex, keccak256, pad, toHex } from 'viem'
import { expect, it } from 'vitest'
import { deploy, installChannels } from '../../../scripts/dev-chain.mjs'
import { createLeaseHolder } from '../../../test/chain/lease-holder.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { silentLog } from '../../platform/log/log.js'
import { hexOf } from '../../protocol/bytes.js'
import { ChannelRegisterEventType, OnChainEvent } from '../../protocol/definitions.js'
import { ChainRpc } from './chain-rpc.js'
import { readChainSettings } from './chain-settings.js'
import { channelEvent, channelTopics } from './channel-events.js'
import { channelHandler } from './channel-handler.js'
import type { ChainLog } from './endpoint.js'
import { ChainFollower } from './follower.js'

const { db, connect } = await createTestDatabase()
const hub = await createTestHub(db)
const chain = await startTestChain()
const { channelController, channelToken } = await installChannels(chain.client)
const [owner, other] = [chain.account(1), chain.account(2)]
const YEAR = 31_536_000n

const settings = readChainSettings({
  rpcUrls: { optimism: chain.url },
  contracts: `channelController=optimism:${channelController}`,
  confirmations: 3,
  firstBlock: 0,
})
const rpc = new ChainRpc(settings.chains.get('optimism')!, { log: silentLog, clock: Date.now })
const holder = createLeaseHolder(connect)
const open = (registrar = settings.channelRegistrar) =>
  channelHandler({ ...settings, channelRegistrar: registrar }, { hub, rpc, log: silentLog })
const follower = new ChainFollower(open()!, { db, rpc, holder })

async function followAll(): Promise<void> {
  await chain.mine(3)
  while ((await follower.step()) !== 'caughtUp');
}

function call(functionName: 'register' | 'renew', ...args: unknown[]) {
  return chain.send(owner, { contract: 'ChannelController', address: channelController, functionName, args })
}

async function bodiesOf(key: string) {
  const rows = await db<{ event: Buffer }[]>`
    select e.event from hub.channel_events c
    join hub.onchain_events e on e.fid = 0 and e.type = 6
      and e.block_number = c.block_number and e.log_index = c.log_index
    where c.channel_id = ${Buffer.from(keccak256(toHex(key)).slice(2), 'hex')}
    order by c.block_number, c.log_index`
  return rows.map(({ event }) => OnChainEvent.decode(event))
}

async function registrationOf(key: string) {
  const [row] = await db<{ owner: Buffer; expiry: number }[]>`
    select owner_address as owner, expires_at as expiry from hub.channels where channel_key = ${key}`
  return row && { ...row, owner: hexOf(row.owner) }
}

it('topics: those of the public contracts', () => {
  expect(channelTopics).toEqual({
    registered: '0x0667086d08417333ce63f40d5bc2ef6fd330e25aaaf317b7c489541f8fe600fa',
    renewed: '0x93bc1a84707231b1d9552157299797c64a1a8c5bc79f05153716630c9c4936fc',
    transferred: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  })
})

it('a registration on the chain: mint, registration, renewal and transfer reach the hub in order', async () => {
  await call('register', 'gardens', owner.address, YEAR)
  await followAll()
  const events = await bodiesOf('gardens')
  const { REGISTER, TRANSFER } = ChannelRegisterEventType
  expect(events.map(({ channelRegisterEventBody: body }) => body!.eventType)).toEqual([TRANSFER, REGISTER])
  const [, registered] = events
  const block = await chain.client.getBlock({ blockNumber: BigInt(registered!.blockNumber) })
  const expiry = Number(block.timestamp + YEAR)
  expect(registered).toMatchObject({ fid: 0, type: 6, chainId: 8453, txIndex: 0, version: 1 })
  expect(registered!.channelRegisterEventBody).toMatchObject({ channelKey: 'gardens', expiry })
  expect(await registrationOf('gardens')).toEqual({ owner: owner.address.toLowerCase(), expiry })

  await call('renew', 'gardens', YEAR)
  await chain.send(owner, {
    contract: 'ChannelToken',
    address: channelToken,
    functionName: 'transferFrom',
    args: [owner.address, other.address, BigInt(keccak256(toHex('gardens')))],
  })
  await followAll()
  expect(await registrationOf('gardens')).toEqual({
    owner: other.address.toLowerCase(),
    expiry: expiry + Number(YEAR),
  })
})

it('blocks that are read twice merge once', async () => {
  const count = async () => await db`select count(*)::integer as events from hub.onchain_events`
  const before = await count()
  await db`delete from chain.followers`
  await followAll()
  expect(await count()).toEqual(before)
})

it('a root that nobody owns: the step fails and says so', async () => {
  const controller = await deploy(chain.client, 'ChannelController', [keccak256('0xdd'), channelToken])
  const handler = open({ ...settings.channelRegistrar!, controller })!
  await expect(new ChainFollower(handler, { db, rpc, holder }).step()).rejects.toThrow('nobody owns')
})

it('without a controller no channels are followed', () => {
  expect(open(null)).toBeNull()
})

const log: ChainLog = {
  address: channelController.toLowerCase() as Hex,
  topics: [channelTopics.registered, keccak256('0x6b'), pad(owner.address)],
  data: '0x',
  blockNumber: 1,
  blockHash: keccak256('0x00'),
  transactionHash: keccak256('0x01'),
  transactionIndex: 0,
  logIndex: 0,
}
const contracts = { controller: log.address, token: channelToken.toLowerCase() as Hex }
const dataOf = (key: Hex, expires: bigint) =>
  encodeAbiParameters([{ type: 'bytes' }, { type: 'uint256' }], [key, expires])

it('channelEvent: a key that is not UTF-8, malformed data and other contracts -> nothing', () => {
  const convert = (changes: Partial<ChainLog>) => channelEvent(contracts, { ...log, ...changes }, 1)
  expect(convert({ data: dataOf('0x6b', 5n) })!.channelRegisterEventBody).toMatchObject({
    channelKey: 'k',
    expiry: 5,
  })
  expect(convert({ data: dataOf('0xff', 5n) })).toBeNull()
  expect(convert({ data: '0x1234' })).toBeNull()
  expect(convert({ data: dataOf('0x6b', 5n), address: keccak256('0x').slice(0, 42) as Hex })).toBeNull()
  expect(convert({ data: dataOf('0x6b', 2n ** 64n) })!.channelRegisterEventBody!.expiry).toBe(2 ** 53 - 1)
})
