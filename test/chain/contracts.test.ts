import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import {
  ID_GATEWAY_EIP_712_TYPES,
  ID_REGISTRY_EIP_712_TYPES,
  idGatewayABI,
  idRegistryABI,
  KEY_GATEWAY_EIP_712_TYPES,
  keyGatewayABI,
  keyRegistryABI,
  signedKeyRequestValidatorABI,
  storageRegistryABI,
} from '@farcaster/core'
import { type Abi, type Account, type Address, type Hex, parseEventLogs, toFunctionSelector } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { contract } from '../../scripts/dev-chain.mjs'
import { ethAccount } from '../../src/hub/registry/eth-account.js'
import { keyRequestMetadata, signKeyRequest } from '../../src/hub/registry/key-request.js'
import { hexOf } from '../../src/protocol/bytes.js'
import { testKey } from '../network.js'
import { startTestChain } from './test-chain.js'

const chain = await startTestChain()
const gateway = { contract: 'IdGateway', address: chain.addresses.idGateway }
const ids = { contract: 'IdRegistry', address: chain.addresses.idRegistry }
const keyGateway = { contract: 'KeyGateway', address: chain.addresses.keyGateway }
const keys = { contract: 'KeyRegistry', address: chain.addresses.keyRegistry }
const storages = { contract: 'StorageRegistry', address: chain.addresses.storageRegistry }
const payer = chain.account(9)
const farAway = 4_000_000_000n

const newAccount = () => privateKeyToAccount(generatePrivateKey())
const price = () => chain.read<bigint>({ ...gateway, functionName: 'price' })
const balanceOf = (token: Address, { address }: Account) =>
  chain.read<bigint>({ contract: 'Token', address: token, functionName: 'balanceOf', args: [address] })
const nonceOf = (of: typeof gateway, account: Account) =>
  chain.read<bigint>({ ...of, functionName: 'nonces', args: [account.address] })

async function signRegister(to: ReturnType<typeof newAccount>, deadline = farAway): Promise<Hex> {
  return await to.signTypedData({
    ...ID_GATEWAY_EIP_712_TYPES,
    primaryType: 'Register',
    message: { to: to.address, recovery: to.address, nonce: await nonceOf(gateway, to), deadline },
  })
}

async function registerFor(to: ReturnType<typeof newAccount>, { deadline = farAway, value = 0n } = {}) {
  const args = [to.address, to.address, deadline, await signRegister(to, deadline)]
  return await chain.send(payer, {
    ...gateway,
    functionName: 'registerFor',
    args,
    value: value || (await price()),
  })
}

it('the committed artifacts match the sources (npm run contracts)', () => {
  const names = readdirSync('contracts').filter((name) => name.endsWith('.sol'))
  const sources = names.sort().map((name) => [name, { content: readFileSync(`contracts/${name}`, 'utf8') }])
  const digest = createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(sources)))
    .digest('hex')
  expect(JSON.parse(readFileSync('contracts/compiled.json', 'utf8')).digest).toBe(digest)
})

/** Functions of these contracts only: setup, and one owner instead of roles. */
const ours = new Set([
  'initialize',
  'owner',
  'transferOwnership',
  'OwnershipTransferred',
  'pause',
  'paused',
  'unpause',
  'Paused',
  'Unpaused',
  'nonces',
  'useNonce',
])

it('every function and event exists in the real contract', () => {
  const published: Record<string, Abi> = {
    IdRegistry: idRegistryABI as Abi,
    IdGateway: idGatewayABI as Abi,
    KeyRegistry: keyRegistryABI as Abi,
    KeyGateway: keyGatewayABI as Abi,
    StorageRegistry: storageRegistryABI as Abi,
    SignedKeyRequestValidator: signedKeyRequestValidatorABI as Abi,
  }
  for (const [name, abi] of Object.entries(published)) {
    const otherNames = new Set(abi.map(signatureOf))
    const strange = contract(name).abi.filter((item) => {
      const signature = signatureOf(item)
      return signature !== null && !otherNames.has(signature) && !ours.has((item as { name: string }).name)
    })
    expect([name, strange]).toEqual([name, []])
  }
})

function signatureOf(item: Abi[number]): string | null {
  if (item.type === 'function') return toFunctionSelector(item)
  if (item.type !== 'event') return null
  return `${item.name}(${item.inputs.map(({ type, indexed }) => `${type}${indexed ? ' indexed' : ''}`)})`
}

it('the domains equal those of the real contracts', async () => {
  const separators = await Promise.all(
    [gateway, ids, keyGateway, keys].map((of) =>
      chain.read<Hex>({ ...of, functionName: 'domainSeparatorV4' }),
    ),
  )
  expect(separators).toEqual([
    '0x6e70fed4f2c753c975c3e4719374116df8165cf5ede9bf308f4d4d614f424b13',
    '0xe1b31bdbe66f9f4152b2cce1a6aae08b72ea880abb5cbc5e5ba67051c6b86ebb',
    '0xf44c21da8a87a6bc7004b59246498e3412f2bca217e65b3799c183a7da1dbb61',
    '0xff3ecb95b37f8812f0476e95e5aa93b8a55c60c43d2300e92854be3a1a380cf9',
  ])
})

it('a fid is registered for the signer, with a unit of storage; overpayment is returned', async () => {
  const user = newAccount()
  const before = await chain.client.getBalance({ address: payer.address })
  const receipt = await registerFor(user, { value: (await price()) + 12_345n })
  const fid = await chain.read<bigint>({ ...ids, functionName: 'idOf', args: [user.address] })
  expect(fid).toBeGreaterThan(0n)
  const [register] = parseEventLogs({ abi: idRegistryABI, logs: receipt.logs, eventName: 'Register' })
  expect(register?.args).toEqual({ to: user.address, id: fid, recovery: user.address })
  const [rent] = parseEventLogs({ abi: storageRegistryABI, logs: receipt.logs, eventName: 'Rent' })
  expect(rent?.args).toEqual({ payer: gateway.address, fid, units: 1n })
  const fee = receipt.gasUsed * receipt.effectiveGasPrice
  expect(await chain.client.getBalance({ address: payer.address })).toBe(before - fee - (await price()))
})

it('a registration needs a fresh, valid signature, enough money and an address without a fid', async () => {
  const user = newAccount()
  await expect(registerFor(user, { deadline: 1n })).rejects.toThrow('SignatureExpired')
  await expect(registerFor(user, { value: 1n })).rejects.toThrow('InvalidPayment')
  const args = [user.address, user.address, farAway, await signRegister(newAccount())]
  const value = await price()
  const stranger = { ...gateway, functionName: 'registerFor', args, value }
  await expect(chain.send(payer, stranger)).rejects.toThrow('InvalidSignature')
  const once = [user.address, user.address, farAway, await signRegister(user)]
  await chain.send(payer, { ...gateway, functionName: 'registerFor', args: once, value })
  await expect(
    chain.send(payer, { ...gateway, functionName: 'registerFor', args: once, value }),
  ).rejects.toThrow('InvalidSignature')
  await expect(registerFor(user)).rejects.toThrow('HasId')
})

it('a transfer needs both signatures, each with its own nonce', async () => {
  const [from, to] = [newAccount(), newAccount()]
  await registerFor(from)
  const fid = await chain.read<bigint>({ ...ids, functionName: 'idOf', args: [from.address] })
  const sign = async (by: typeof from) =>
    by.signTypedData({
      domain: ID_REGISTRY_EIP_712_TYPES.domain,
      types: ID_REGISTRY_EIP_712_TYPES.types,
      primaryType: 'Transfer',
      message: { fid, to: to.address, nonce: await nonceOf(ids, by), deadline: farAway },
    })
  const args = [from.address, to.address, farAway, await sign(from), farAway, await sign(to)]
  await chain.send(payer, { ...ids, functionName: 'transferFor', args })
  expect(await chain.read<string>({ ...ids, functionName: 'custodyOf', args: [fid] })).toBe(to.address)
  expect(await chain.read<bigint>({ ...ids, functionName: 'idOf', args: [from.address] })).toBe(0n)
  await expect(chain.send(payer, { ...ids, functionName: 'transferFor', args })).rejects.toThrow('HasNoId')
})

it('a key is added once, at the request of an app with a fid, and never returns', async () => {
  const app = ethAccount(Buffer.alloc(32, 7))
  const user = newAccount()
  await registerFor(app.signer as ReturnType<typeof newAccount>)
  await registerFor(user)
  const { address } = app.signer
  const requestFid = Number(await chain.read<bigint>({ ...ids, functionName: 'idOf', args: [address] }))
  const fid = await chain.read<bigint>({ ...ids, functionName: 'idOf', args: [user.address] })
  const key = testKey('on a chain').publicKey
  const request = await signKeyRequest({ requestFid, key, deadline: Number(farAway) }, app)
  const add = async (metadata: Hex) => {
    const signature = await user.signTypedData({
      ...KEY_GATEWAY_EIP_712_TYPES,
      primaryType: 'Add',
      message: {
        owner: user.address,
        keyType: 1,
        key: hexOf(key),
        metadataType: 1,
        metadata,
        nonce: await nonceOf(keyGateway, user),
        deadline: farAway,
      },
    })
    const args = [user.address, 1, hexOf(key), 1, metadata, farAway, signature]
    return await chain.send(payer, { ...keyGateway, functionName: 'addFor', args })
  }
  const forged = hexOf(keyRequestMetadata({ ...request, requestFid: requestFid + 1 }))
  await expect(add(forged)).rejects.toThrow('InvalidMetadata')
  const receipt = await add(hexOf(keyRequestMetadata(request)))
  const [added] = parseEventLogs({ abi: keyRegistryABI, logs: receipt.logs, eventName: 'Add' })
  expect(added?.args).toMatchObject({ fid, keyType: 1, keyBytes: hexOf(key), metadataType: 1 })
  await expect(add(hexOf(keyRequestMetadata(request)))).rejects.toThrow('InvalidState')
  await chain.client.setBalance({ address: user.address, value: 10n ** 18n })
  await chain.send(user, { ...keys, functionName: 'remove', args: [hexOf(key)] })
  const data = await chain.read<{ state: number }>({
    ...keys,
    functionName: 'keyDataOf',
    args: [fid, hexOf(key)],
  })
  expect(data.state).toBe(2)
  await expect(add(hexOf(keyRequestMetadata(request)))).rejects.toThrow('InvalidState')
})

it('anybody may rent storage for any fid, at its price', async () => {
  const value = await chain.read<bigint>({ ...storages, functionName: 'price', args: [3] })
  const rent = { ...storages, functionName: 'rent', args: [1, 3] }
  await expect(chain.send(payer, { ...rent, value: value - 1n })).rejects.toThrow('InvalidPayment')
  const receipt = await chain.send(payer, { ...rent, value })
  const [reported] = parseEventLogs({ abi: storageRegistryABI, logs: receipt.logs, eventName: 'Rent' })
  expect(reported?.args).toEqual({ payer: payer.address, fid: 1n, units: 3n })
})

it('pools swap tokens and emit events in both directions', async () => {
  const trader = chain.account(8)
  const [apple, pear] = [
    await chain.deployToken('Apple', 'APL', 18),
    await chain.deployToken('Pear', 'PEAR', 6),
  ]
  for (const kind of ['PairV2', 'PoolV3'] as const) {
    const pool = await chain.deployPool(kind, [apple, pear])
    const zero = await chain.read<string>({ contract: kind, address: pool, functionName: 'token0' })
    for (const address of [apple, pear]) {
      const token = { contract: 'Token', address }
      await chain.send(trader, { ...token, functionName: 'mint', args: [pool, 1_000_000n] })
      await chain.send(trader, { ...token, functionName: 'mint', args: [trader.address, 1_000n] })
      await chain.send(trader, { ...token, functionName: 'approve', args: [pool, 2n ** 256n - 1n] })
    }
    const args = [zero.toLowerCase() === apple.toLowerCase(), 1_000n, trader.address]
    const receipt = await chain.send(trader, {
      contract: kind,
      address: pool,
      functionName: 'swapExactIn',
      args,
    })
    expect(parseEventLogs({ abi: contract(kind).abi, logs: receipt.logs, eventName: 'Swap' })).toHaveLength(1)
    expect(await balanceOf(apple, trader)).toBe(0n)
    expect(await balanceOf(pear, trader)).toBe(1_999n)
    await chain.send(trader, {
      contract: 'Token',
      address: pear,
      functionName: 'transfer',
      args: [pool, 1_999n],
    })
  }
})
