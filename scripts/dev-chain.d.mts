import type {
  Abi,
  Account,
  Address,
  Chain,
  Client,
  HttpTransport,
  PublicActions,
  TestActions,
  WalletActions,
} from 'viem'
import type { HDAccount } from 'viem/accounts'

export declare const DEV_CHAIN_ID: 10

/** The contracts with a fixed address, by name. */
export interface DevAddresses {
  readonly idRegistry: Address
  readonly idGateway: Address
  readonly keyRegistry: Address
  readonly keyGateway: Address
  readonly storageRegistry: Address
  readonly keyRequestValidator: Address
  readonly tierRegistry: Address
  readonly ensRegistry: Address
  readonly basenameRegistry: Address
}

export declare const addresses: DevAddresses

export interface CompiledContract {
  readonly abi: Abi
  readonly bytecode: `0x${string}`
  readonly deployedBytecode: `0x${string}`
}

export declare function contract(name: string): CompiledContract

export declare function devAccount(index: number): HDAccount

export type DevClient = Client<
  HttpTransport,
  Chain,
  Account | undefined,
  undefined,
  TestActions &
    PublicActions<HttpTransport, Chain, Account | undefined> &
    WalletActions<Chain, Account | undefined>
>

export declare function devClient(
  url: string,
  options?: { readonly account?: Account; readonly chainId?: number },
): DevClient

export interface RunningAnvil {
  readonly url: string
  stop(): Promise<void>
}

export declare function startAnvil(options?: {
  readonly port?: number
  readonly chainId?: number
  readonly blockTimeSeconds?: number
}): Promise<RunningAnvil>

/** `token` pays for the tier. */
export declare function installContracts(
  client: DevClient,
): Promise<DevAddresses & { readonly token: Address }>

/** The registrar of channels; the token owns the channels' root in the ENS registry. */
export interface DevChannelAddresses {
  readonly channelController: Address
  readonly channelToken: Address
}

export declare function installChannels(client: DevClient): Promise<DevChannelAddresses>

/** `address` may be the zero address. */
export declare function setName(client: DevClient, name: string, address: Address): Promise<void>

export declare function deploy(client: DevClient, name: string, args?: readonly unknown[]): Promise<Address>
