// A development chain: anvil with the contracts of contracts/ at the addresses and with the chain id of the
// public chain, so that signatures are valid on both.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createTestClient,
  defineChain,
  http,
  publicActions,
  TransactionReceiptNotFoundError,
  walletActions,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { namehash } from 'viem/ens'

/** Chain id of OP Mainnet, which is part of all account signatures. */
export const DEV_CHAIN_ID = 10

const POLL_MS = 20

/** The mnemonic of anvil's accounts, which have 10,000 ETH each. */
const MNEMONIC = 'test test test test test test test test test test test junk'

/** Addresses of the contracts on the public chains: OP Mainnet, Base (pro tier, basenames) and Ethereum (ENS). */
export const addresses = {
  idRegistry: '0x00000000Fc6c5F01Fc30151999387Bb99A9f489b',
  idGateway: '0x00000000Fc25870C6eD6b6c7E41Fb078b7656f69',
  keyRegistry: '0x00000000Fc1237824fb747aBDE0FF18990E59b7e',
  keyGateway: '0x00000000fC56947c7E7183f8Ca4B62398CaAdf0B',
  storageRegistry: '0x00000000fcCe7f938e7aE6D3c335bD6a1a7c593D',
  keyRequestValidator: '0x00000000FC700472606ED4fA22623Acf62c60553',
  tierRegistry: '0x00000000fc84484d585C3cF48d213424DFDE43FD',
  ensRegistry: '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e',
  basenameRegistry: '0xB94704422c2a1E396835A571837Aa5AE53285a95',
}

const codeOf = {
  idRegistry: 'IdRegistry',
  idGateway: 'IdGateway',
  keyRegistry: 'KeyRegistry',
  keyGateway: 'KeyGateway',
  storageRegistry: 'StorageRegistry',
  keyRequestValidator: 'SignedKeyRequestValidator',
  tierRegistry: 'TierRegistry',
  ensRegistry: 'NameRegistry',
  basenameRegistry: 'NameRegistry',
}

/** Prices in dollars with 8 decimals: 7 per unit of storage, 3,500 per ETH; a unit costs 0.002 ETH. */
const UNIT_USD = 7_00000000n
const ETH_USD = 3500_00000000n
const MAX_UNITS = 4_000_000n
const MAX_KEYS_PER_FID = 1_000n
/** Price of a day, 0.1 of a token with 6 decimals. */
const TIER_PRICE_PER_DAY = 100_000n

const compiled = JSON.parse(readFileSync(new URL('../contracts/compiled.json', import.meta.url), 'utf8'))

/** Returns ABI, bytecode and deployed bytecode of a contract of contracts/. */
export function contract(name) {
  const found = compiled.contracts[name]
  if (found === undefined) throw new Error(`there is no contract ${name}`)
  return found
}

/** Returns one of anvil's accounts, from 0 to 9. */
export function devAccount(index) {
  return mnemonicToAccount(MNEMONIC, { addressIndex: index })
}

/**
 * Creates a client that reads, writes and controls a development chain. Without an account it cannot write.
 */
export function devClient(url, { account, chainId = DEV_CHAIN_ID } = {}) {
  const chain = defineChain({
    id: chainId,
    name: 'development',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  return createTestClient({
    mode: 'anvil',
    chain,
    account,
    transport: http(url, { retryCount: 0, timeout: 60_000 }),
    pollingInterval: POLL_MS,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
    .extend((client) => ({ waitForTransactionReceipt: ({ hash }) => waitForReceipt(client, hash) }))
}

/**
 * Polls for a receipt. viem waits for the next block if one arrives during its lookup, and with a block per
 * transaction there is no next one.
 */
async function waitForReceipt(client, hash) {
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash })
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error
    }
    await sleep(POLL_MS)
  }
}

/** Runs anvil while another process keeps its standard input open, so that it stops if that process dies. */
const KEEPER = `
  const { spawn } = require('node:child_process')
  const [binary, ...options] = process.argv.slice(1)
  const anvil = spawn(binary, options, { stdio: ['ignore', 'inherit', 'inherit'] })
  const end = () => anvil.kill('SIGKILL')
  anvil.once('error', () => process.exit(1)).once('exit', (code) => process.exit(code ?? 0))
  process.stdin.resume().once('end', end).once('error', end)
`

/**
 * Starts anvil on a loopback port, by default a free one, and resolves when it replies. It creates a block
 * per transaction, or every `blockTimeSeconds`.
 */
export async function startAnvil({ port = 0, chainId = DEV_CHAIN_ID, blockTimeSeconds } = {}) {
  const require = createRequire(import.meta.url)
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const binary = require.resolve(`@foundry-rs/anvil-${process.platform}-${arch}/bin/anvil`)
  const options = ['--host', '127.0.0.1', '--port', port, '--chain-id', chainId, '--mnemonic', MNEMONIC]
  if (blockTimeSeconds !== undefined) options.push('--block-time', blockTimeSeconds)
  const child = spawn(process.execPath, ['-e', KEEPER, binary, ...options.map(String)])
  // It may have ended already.
  child.stdin.on('error', () => {})
  const ended = new Promise((resolve) => child.once('close', resolve))
  let complaint = ''
  child.stderr.on('data', (part) => {
    complaint = `${complaint}${part}`.slice(-2_000)
  })
  const url = await new Promise((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const address = /^Listening on (\S+)/.exec(line)?.[1]
      if (address !== undefined) resolve(`http://${address}`)
    })
    child.once('error', reject)
    ended.then((code) => reject(new Error(`anvil ended with ${code}: ${complaint}`)))
  })
  return {
    url,
    async stop() {
      child.stdin.end()
      await ended
    },
  }
}

/** Deploys and connects the contracts. The client's account owns them. */
export async function installContracts(client) {
  for (const [place, name] of Object.entries(codeOf)) {
    await client.setCode({ address: addresses[place], bytecode: contract(name).deployedBytecode })
  }
  const token = await deploy(client, 'Token', ['Development Dollar', 'USDC', 6])
  const { idRegistry, idGateway, keyRegistry, keyGateway, storageRegistry, keyRequestValidator } = addresses
  await initialize(client, 'storageRegistry', [UNIT_USD, ETH_USD, MAX_UNITS])
  await initialize(client, 'idRegistry', [idGateway])
  await initialize(client, 'idGateway', [idRegistry, storageRegistry])
  await initialize(client, 'keyRequestValidator', [idRegistry])
  await initialize(client, 'keyGateway', [keyRegistry])
  await initialize(client, 'keyRegistry', [idRegistry, keyGateway, keyRequestValidator, MAX_KEYS_PER_FID])
  await initialize(client, 'tierRegistry', [token, TIER_PRICE_PER_DAY])
  return { ...addresses, token }
}

/** The node below which the channels of a development chain are named. */
const CHANNEL_ROOT = `0x${'c4'.repeat(32)}`

/**
 * Deploys the registrar of channels: a controller, and its token, which owns the channels' root in the ENS
 * registry. The public chain has no such contracts yet, so their addresses follow from the account.
 */
export async function installChannels(client) {
  const channelToken = await deploy(client, 'ChannelToken')
  const channelController = await deploy(client, 'ChannelController', [CHANNEL_ROOT, channelToken])
  await write(client, 'ChannelToken', channelToken, 'initialize', [channelController])
  await write(client, 'NameRegistry', addresses.ensRegistry, 'setOwner', [CHANNEL_ROOT, channelToken])
  return { channelController, channelToken }
}

/**
 * Has a name resolve to an address: an ENS name, or a basename if it ends in `.base.eth`. The client's account owns the
 * name from then on.
 */
export async function setName(client, name, address) {
  const registry = name.endsWith('.base.eth') ? addresses.basenameRegistry : addresses.ensRegistry
  const node = namehash(name)
  const resolver = await deploy(client, 'NameResolver', [registry])
  await write(client, 'NameRegistry', registry, 'setOwner', [node, client.account.address])
  await write(client, 'NameRegistry', registry, 'setResolver', [node, resolver])
  await write(client, 'NameResolver', resolver, 'setAddr', [node, address])
}

async function write(client, name, address, functionName, args) {
  const hash = await client.writeContract({ address, abi: contract(name).abi, functionName, args })
  const { status } = await client.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error(`${name} refused ${functionName}`)
}

async function initialize(client, place, args) {
  await write(client, codeOf[place], addresses[place], 'initialize', args)
}

/** Deploys a contract of contracts/ and returns its address. */
export async function deploy(client, name, args = []) {
  const { abi, bytecode } = contract(name)
  const hash = await client.deployContract({ abi, bytecode, args })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  if (!contractAddress) throw new Error(`${name} was not deployed`)
  return contractAddress
}
