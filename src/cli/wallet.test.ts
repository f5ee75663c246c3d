import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { ethAccount } from '../hub/registry/eth-account.js'
import { createProgram } from './program.js'

const { db, url } = await createTestDatabase()

/** Returns the lines that a command prints. */
async function plaza(
  args: readonly string[],
  piped = '',
  env: Record<string, string> = {},
): Promise<string[]> {
  const lines: string[] = []
  async function* stdin() {
    yield Buffer.from(piped)
  }
  const program = await createProgram({
    env: { DATABASE_URL: url, PLAZA_SECRET_KEY: 'the-secret-key-of-the-test-of-wallets', ...env },
    print: (line) => lines.push(line),
    progress: process.stderr,
    stdin: stdin(),
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  })
  await program.parseAsync(['node', 'plaza', 'wallet', ...args])
  return lines
}

it('plaza wallet: creates, imports and lists wallets of the local network', async () => {
  const [id] = await plaza(['create', '--app', 'shop'])
  expect(await plaza(['balance', id!])).toEqual(['1'])
  const key = Buffer.alloc(32, 7)
  const [kept] = await plaza(
    ['import', '--app', 'shop', '--balance', '0.05', '--json'],
    `0x${key.toString('hex')}\n`,
  )
  const { wallet_id: second, address, app_id: appId } = JSON.parse(kept!)
  expect(address).toBe(ethAccount(key).signer.address)
  expect(await plaza(['balance', second])).toEqual(['0.05'])
  expect(await plaza(['export', second])).toEqual([`0x${key.toString('hex')}`])
  await expect(plaza(['export', appId])).rejects.toThrow(`there is no wallet ${appId}`)
  await plaza(['create', '--app', 'elsewhere', '--pool-size', '0'])
  const lines = await plaza(['list', '--app', 'shop'])
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ['ID', 'ADDRESS', 'NETWORK', 'APP'],
    [id, expect.stringMatching(/^0x/), 'local', appId],
    [second, address, 'local', appId],
  ])
  expect(await plaza(['list'])).toHaveLength(4)
  expect(JSON.parse((await plaza(['list', '--json']))[2]!)).toMatchObject({
    fid_pool_size: 0,
    network: 'local',
  })
})

it.each([
  [
    ['import', '--app', 'shop'],
    `0x${Buffer.alloc(32, 7).toString('hex')}`,
    'there is a wallet of this address already',
  ],
  [['import', '--app', 'shop'], 'not a key', 'what is piped in must be 32 bytes in hex'],
  [['create', '--app', 'shop', '--balance', 'much'], '', '--balance must be an amount'],
  [['balance', 'x'], '', 'there is no wallet x'],
  [['create', '--app', 'shop', '--shelf', '2'], '', '--shelf is now --pool-size'],
  [['list', '--app', 'nobody'], '', 'there is no app nobody'],
])('plaza wallet %s: names the problem', async (args, piped, problem) => {
  await expect(plaza(args, piped)).rejects.toThrow(problem)
})

it('plaza wallet create: needs a secret key, and a chain on a real network', async () => {
  await expect(plaza(['create', '--app', 'shop'], '', { PLAZA_SECRET_KEY: '' })).rejects.toThrow(
    'PLAZA_SECRET_KEY',
  )
  await expect(plaza(['create', '--app', 'shop'], '', { HUB_NETWORK: 'mainnet' })).rejects.toThrow(
    'CHAIN_OPTIMISM_RPC_URLS',
  )
})

it('plaza wallet: creates no app for a wallet that is not stored', async () => {
  const known = `0x${Buffer.alloc(32, 8).toString('hex')}`
  await plaza(['import', '--app', 'shop'], known)
  await expect(plaza(['import', '--app', 'typo'], known)).rejects.toThrow('there is a wallet of this address')
  const keyless = plaza(['create', '--app', 'typo'], '', { PLAZA_SECRET_KEY: '' })
  await expect(keyless).rejects.toThrow('PLAZA_SECRET_KEY')
  expect(await db`select from apps.apps where name = 'typo'`).toEqual([])
})

it('plaza wallet create --network: a wallet of a followed chain, with its chain id', async () => {
  const env = { CHAIN_BASE_RPC_URLS: 'http://127.0.0.1:9', CHAIN_IDS: 'base=84532' }
  const [line] = await plaza(['create', '--app', 'shop', '--network', 'base', '--json'], '', env)
  expect(JSON.parse(line!)).toMatchObject({ network: 'eip155:84532', fid_pool_size: 0 })
  const pool = plaza(['create', '--app', 'shop', '--network', 'base', '--pool-size', '5'], '', env)
  await expect(pool).rejects.toThrow('--pool-size')
  const unfollowed = plaza(['create', '--app', 'shop', '--network', 'arbitrum'], '', env)
  await expect(unfollowed).rejects.toThrow('CHAIN_ARBITRUM_RPC_URLS')
})

it('plaza wallet create --network: has a fid pool where accounts are registered', async () => {
  const env = { CHAIN_OPTIMISM_RPC_URLS: 'http://127.0.0.1:9' }
  const create = async (...args: string[]) =>
    JSON.parse((await plaza(['create', '--app', 'shop', '--json', ...args], '', env))[0]!)
  const network = 'eip155:10'
  expect(await create()).toMatchObject({ network, fid_pool_size: 2 })
  expect(await create('--network', 'optimism')).toMatchObject({ network, fid_pool_size: 2 })
  expect(await create('--network', 'optimism', '--pool-size', '5')).toMatchObject({
    network,
    fid_pool_size: 5,
  })
})
