import { checksumAddress, type Hex } from 'viem'

/** Message that a user signs to sign in. */
export interface SignInMessage {
  /** The login page: its host is the domain of the message. */
  readonly url: string
  readonly address: string
  readonly fid: number
  readonly nonce: string
  /** Unix milliseconds. */
  readonly nowMs: number
}

/** As long as its nonce is valid. */
const MESSAGE_LIFE_MS = 10 * 60 * 1000
/** Sign In with Farcaster names OP Mainnet, whatever the network of the server is (FIP-11). */
const CHAIN_ID = 10

/** Builds a Sign In with Farcaster message: EIP-4361, with the account as its resource (FIP-11). */
export function signInMessage({ url, address, fid, nonce, nowMs }: SignInMessage): string {
  return [
    `${new URL(url).host} wants you to sign in with your Ethereum account:`,
    checksumAddress(address as Hex),
    '',
    'Farcaster Auth',
    '',
    `URI: ${url}`,
    'Version: 1',
    `Chain ID: ${CHAIN_ID}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(nowMs).toISOString()}`,
    `Expiration Time: ${new Date(nowMs + MESSAGE_LIFE_MS).toISOString()}`,
    'Resources:',
    `- farcaster://fid/${fid}`,
  ].join('\n')
}
