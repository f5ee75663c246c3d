import type { Account, Address, TransactionReceipt } from 'viem'
import { afterAll } from 'vitest'
import {
  type addresses,
  contract,
  type DevClient,
  deploy,
  devAccount,
  devClient,
  installContracts,
  startAnvil,
} from '../../scripts/dev-chain.mjs'

/** A call of a contract in `contracts/`. */
export interface ContractCall {
  /** The contract whose ABI is used, such as `IdGateway`. */
  readonly contract: string
  readonly address: Address
  readonly functionName: string
  readonly args?: readonly unknown[]
  /** Wei. */
  readonly value?: bigint
}

/** A chain for one test file, with the contracts deployed. */
export interface TestChain {
  readonly url: string
  readonly addresses: typeof addresses & { readonly token: Address }
  /** Reads, writes as account 0, which owns the contracts, and controls the chain. */
  readonly client: DevClient
  /** Returns one of the ten accounts with ETH. */
  account(index: number): Account
  clientOf(account: Account): DevClient
  /** Sends a call and waits for its block. @throws with the name of the contract's error if it reverts. */
  send(from: Account, call: ContractCall): Promise<TransactionReceipt>
  read<T>(call: ContractCall): Promise<T>
  /** Registers a fid for the account, which pays for it. */
  register(custody: Account, recovery?: Address): Promise<number>
  deployToken(name: string, symbol: string, decimals: number): Promise<Address>
  deployPool(kind: 'PairV2' | 'PoolV3', tokens: readonly [Address, Address]): Promise<Address>
  mine(blocks: number): Promise<void>
  /** Replaces the last `depth` blocks with as many empty ones. */
  reorg(depth: number): Promise<void>
}

/** Starts a chain for the file that calls it at its top level; it ends after the last test. */
export async function startTestChain(options: { readonly chainId?: number } = {}): Promise<TestChain> {
  const anvil = await startAnvil(options)
  afterAll(() => anvil.stop())
  const clientOf = (account: Account) => devClient(anvil.url, { account, ...options })
  const client = clientOf(devAccount(0))
  const places = await installContracts(client)

  async function send(from: Account, { contract: name, value = 0n, args = [], ...call }: ContractCall) {
    const sender = clientOf(from)
    const request = { ...call, args, value, abi: contract(name).abi, account: from, chain: sender.chain }
    await sender.simulateContract(request)
    const hash = await sender.writeContract(request)
    return await sender.waitForTransactionReceipt({ hash })
  }

  async function read<T>({ contract: name, address, functionName, args = [] }: ContractCall): Promise<T> {
    return (await client.readContract({ address, functionName, args, abi: contract(name).abi })) as T
  }

  async function register(custody: Account, recovery = custody.address): Promise<number> {
    const gateway = { contract: 'IdGateway', address: places.idGateway }
    const value = await read<bigint>({ ...gateway, functionName: 'price' })
    await send(custody, { ...gateway, functionName: 'register', args: [recovery], value })
    const registry = { contract: 'IdRegistry', address: places.idRegistry }
    return Number(await read<bigint>({ ...registry, functionName: 'idOf', args: [custody.address] }))
  }

  return {
    url: anvil.url,
    addresses: places,
    client,
    account: devAccount,
    clientOf,
    send,
    read,
    register,
    deployToken: (name, symbol, decimals) => deploy(client, 'Token', [name, symbol, decimals]),
    deployPool: (kind, tokens) => deploy(client, kind, tokens),
    mine: (blocks) => client.mine({ blocks }),
    async reorg(depth) {
      await client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
    },
  }
}
