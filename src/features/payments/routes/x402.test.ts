import { getAddress, type Hex, recoverMessageAddress, verifyTypedData } from 'viem'
import { parseSiweMessage } from 'viem/siwe'
import { describe, expect, it } from 'vitest'
import { startTestChain } from '../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { ChainRpc } from '../../../hub/chain/chain-rpc.js'
import { readChainSettings } from '../../../hub/chain/chain-settings.js'
import { silentLog } from '../../../platform/log/log.js'
import { hexOf } from '../../../protocol/bytes.js'
import { fundedWallet } from '../../accounts/testing/funded-wallet.js'
import { ensureApp } from '../../apps/apps.js'

const NOW_MS = 1_790_000_000_000
const { db } = await createTestDatabase()
const api = await createTestApi({ db, clock: () => NOW_MS })
const wallet = await fundedWallet(db, { appId: api.appId })
const address = getAddress(hexOf(wallet.address))
const paying = { 'x-wallet-id': wallet.id }
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'

const requirement = {
  scheme: 'exact',
  network: 'base',
  maxAmountRequired: '10000',
  resource: 'https://shop.example/report',
  description: 'A report',
  mimeType: 'application/json',
  payTo: PAY_TO,
  asset: USDC,
  maxTimeoutSeconds: 60,
  outputSchema: null,
  extra: { name: 'USD Coin', version: '2' },
}
const bodyOf = (change: object = {}) => ({
  payment_requirements: { x402Version: 1, accepts: [{ ...requirement, ...change }] },
})

/** The type of ERC-3009, written from its text and not from the code that signs. */
const transferTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

interface Signed {
  readonly network: string
  readonly payload: {
    readonly signature: Hex
    readonly authorization: Record<'value' | 'validAfter' | 'validBefore', string> &
      Record<'from' | 'to' | 'nonce', Hex>
  }
}

async function isSignedFor(domain: object, { payload }: Signed): Promise<boolean> {
  const { value, validAfter, validBefore, ...rest } = payload.authorization
  return await verifyTypedData({
    address,
    domain,
    types: transferTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      ...rest,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
    signature: payload.signature,
  })
}

describe('signature/x402', () => {
  it('signs the authorization for the domain of the asset', async () => {
    const reply = await api.send('POST', '/signature/x402', bodyOf(), paying)
    expect(reply.statusCode, reply.body).toBe(200)
    const signed = reply.json()
    const now = NOW_MS / 1000
    expect(signed).toMatchObject({
      x402Version: 1,
      scheme: 'exact',
      network: 'base',
      payload: {
        authorization: {
          from: address,
          to: PAY_TO,
          value: '10000',
          validAfter: String(now - 600),
          validBefore: String(now + 60),
        },
      },
    })
    const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC }
    expect(await isSignedFor(domain, signed)).toBe(true)
    expect(await isSignedFor({ ...domain, chainId: 84532 }, signed)).toBe(false)
    expect(await isSignedFor({ ...domain, verifyingContract: PAY_TO }, signed)).toBe(false)
  })

  it('a seller that waits for a year gets a signature for a day', async () => {
    const reply = await api.send('POST', '/signature/x402', bodyOf({ maxTimeoutSeconds: 31_536_000 }), paying)
    expect(reply.json().payload.authorization.validBefore).toBe(String(NOW_MS / 1000 + 86_400))
  })

  it('each signature has its own nonce', async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const signed: Signed = (await api.send('POST', '/signature/x402', bodyOf(), paying)).json()
        return signed.payload.authorization.nonce
      }),
    )
    expect(new Set(nonces).size).toBe(2)
  })

  it('base-sepolia, and USDC without extra -> its chain id and domain', async () => {
    const asset = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
    const body = bodyOf({ network: 'base-sepolia', asset, extra: null })
    const signed = (await api.send('POST', '/signature/x402', body, paying)).json()
    const domain = { name: 'USDC', version: '2', chainId: 84532, verifyingContract: asset }
    expect([signed.network, await isSignedFor(domain, signed)]).toEqual(['base-sepolia', true])
  })

  it.each([
    [
      'an unknown asset without extra',
      { asset: PAY_TO, extra: null },
      'payment_requirements.accepts.0.extra',
    ],
    [
      'more than 256 bits',
      { maxAmountRequired: '9'.repeat(78) },
      'payment_requirements.accepts.0.maxAmountRequired',
    ],
    ['another network', { network: 'optimism' }, 'payment_requirements.accepts.0.network'],
  ])('%s -> 400 that names the member', async (_, change, property) => {
    const reply = await api.send('POST', '/signature/x402', bodyOf(change), paying)
    expect([reply.statusCode, reply.json().property]).toEqual([400, property])
  })

  it('a wallet of another app -> 404, no wallet -> 400', async () => {
    const other = await fundedWallet(db, { appId: await ensureApp(db, 'other') })
    const codeOf = async (headers: Record<string, string>) => {
      const reply = await api.send('POST', '/signature/x402', bodyOf(), headers)
      return [reply.statusCode, reply.json().code]
    }
    expect(await codeOf({ 'x-wallet-id': other.id })).toEqual([404, 'InvalidWalletId'])
    expect(await codeOf({ 'x-wallet-id': 'mine' })).toEqual([404, 'InvalidWalletId'])
    expect(await codeOf({})).toEqual([400, 'RequiredField'])
  })

  it('a followed network: a wallet without the amount -> 402, with it -> 200', async () => {
    const chain = await startTestChain({ chainId: 84532 })
    const settings = readChainSettings({ rpcUrls: { base: chain.url }, ids: 'base=84532' })
    const rpc = new ChainRpc(settings.chains.get('base')!, { log: silentLog, clock: Date.now })
    const tokenTracking = { rpcs: new Map([['base' as const, rpc]]), maxTrackedTokens: 0 }
    const { send } = await createTestApi({ db, tokenTracking, key: api.key })
    const { token } = chain.addresses
    const body = bodyOf({ network: 'base-sepolia', asset: token })
    const first = await send('POST', '/signature/x402', body, paying)
    expect([first.statusCode, first.json().code]).toEqual([402, 'InsufficientFunds'])
    const mint = { contract: 'Token', address: token, functionName: 'mint', args: [address, 10_000n] }
    await chain.send(chain.account(0), mint)
    expect((await send('POST', '/signature/x402', body, paying)).statusCode).toBe(200)
  })

  it('a network whose RPC does not answer -> 200: a signature needs none', async () => {
    const settings = readChainSettings({ rpcUrls: { base: 'http://127.0.0.1:1' }, ids: 'base=84532' })
    const rpc = new ChainRpc(settings.chains.get('base')!, { log: silentLog, clock: Date.now })
    const tokenTracking = { rpcs: new Map([['base' as const, rpc]]), maxTrackedTokens: 0 }
    const { send } = await createTestApi({ db, tokenTracking, key: api.key })
    const reply = await send(
      'POST',
      '/signature/x402',
      bodyOf({ network: 'base-sepolia', asset: PAY_TO }),
      paying,
    )
    expect(reply.statusCode, reply.body).toBe(200)
  })
})

describe('signature/x402/siwx', () => {
  it('signs a message for the host of the resource', async () => {
    const resource = 'https://shop.example:8443/report?page=1'
    const reply = await api.send('POST', '/signature/x402/siwx', { resource, chainId: 84532 }, paying)
    expect(reply.statusCode, reply.body).toBe(200)
    const { message, signature, ...rest } = reply.json()
    expect(rest).toEqual({ address, chainId: 84532, timestamp: NOW_MS })
    expect(await recoverMessageAddress({ message, signature })).toBe(address)
    expect(parseSiweMessage(message)).toMatchObject({
      address,
      chainId: 84532,
      domain: 'shop.example:8443',
      uri: resource,
      version: '1',
      issuedAt: new Date(NOW_MS),
    })
  })

  it.each([
    ['http://shop:3000/report', 'shop:3000'],
    ['http://my_shop.example/', 'my_shop.example'],
    ['https://[2001:db8::1]:8443/', '[2001:db8::1]:8443'],
    ['https://läden.example/berichte für alle', 'xn--lden-loa.example'],
  ])('%s -> a message for %s', async (resource, domain) => {
    const reply = await api.send('POST', '/signature/x402/siwx', { resource }, paying)
    expect(reply.statusCode, reply.body).toBe(200)
    const { message, signature } = reply.json()
    expect(await recoverMessageAddress({ message, signature })).toBe(address)
    const [first, ...others] = message.split('\n')
    expect(first).toBe(`${domain} wants you to sign in with your Ethereum account:`)
    expect(others).toContain(`URI: ${new URL(resource).href}`)
  })

  it.each([
    'https://shop.example/a|b',
    'https://shop.example/%zz',
    'https://shop.example/%4',
    'https://sh{op.example/',
  ])('%s is no URI of RFC 3986 -> 400', async (resource) => {
    const reply = await api.send('POST', '/signature/x402/siwx', { resource }, paying)
    expect([reply.statusCode, reply.json()]).toMatchObject([
      400,
      { code: 'InvalidField', property: 'resource' },
    ])
  })

  it('chainId is 8453 by default', async () => {
    const reply = await api.send(
      'POST',
      '/signature/x402/siwx',
      { resource: 'https://shop.example/' },
      paying,
    )
    expect(reply.json().chainId).toBe(8453)
  })

  it.each([
    [{ resource: 'shop.example' }, 400],
    [{ resource: 'file:///etc/passwd' }, 400],
    [{ resource: 'https://shop.example', chainId: 1 }, 400],
    [{}, 400],
  ])('%j -> %d', async (body, status) => {
    expect((await api.send('POST', '/signature/x402/siwx', body, paying)).statusCode).toBe(status)
  })
})
