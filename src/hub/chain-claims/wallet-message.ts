import { hashMessage } from 'viem'
import { ACCOUNT_SIGNATURE_BYTES, recoverAccount } from '../../protocol/account-recovery.js'
import { hexOf } from '../../protocol/bytes.js'
import type { ChainLookups, ClaimChain, Lookup } from './chain-lookups.js'
import { isSignedByWallet } from './contract-signature.js'

/** A text that a wallet has signed with `personal_sign` (EIP-191). */
export interface WalletMessage {
  /** 20 bytes. */
  readonly address: Buffer
  readonly message: string
  readonly signature: Buffer
  /** Finds where the wallet is if it is a contract; null if no chain shall be asked. Called if no account signed. */
  readonly findChain: () => Promise<ClaimChain | null>
}

/**
 * Whether a wallet has signed a text: an account, else a contract (ERC-1271, or ERC-6492 before it is deployed). A chain
 * is asked only if no account has signed. Refuses if the chain is not set up or does not answer.
 */
export async function isMessageOfWallet(
  lookups: ChainLookups,
  { address, message, signature, findChain }: WalletMessage,
): Promise<Lookup<boolean>> {
  const digest = hashMessage(message)
  const isAccountSignature = signature.length === ACCOUNT_SIGNATURE_BYTES
  if (isAccountSignature) {
    const signer = await recoverAccount(Buffer.from(digest.slice(2), 'hex'), signature)
    if (signer?.equals(address)) return { answer: true }
  }
  const chain = await findChain()
  // Without the chain, the signature of another account is the likelier reason.
  if (chain === null || (isAccountSignature && !lookups.isConfigured(chain))) return { answer: false }
  const limited = lookups.countFor(hexOf(address))
  if (limited) return { refusal: limited }
  const signed = { address: hexOf(address), digest, signature: hexOf(signature) }
  return await lookups.ask(chain, (endpoint) => isSignedByWallet(endpoint, signed))
}
