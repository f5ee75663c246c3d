import type { Database } from '../../platform/db/connection.js'
import { type Refusal, refuse } from '../../platform/errors.js'
import { type AccountRecovery, recoverClaimant } from '../../protocol/account-recovery.js'
import { asBuffer, hexOf } from '../../protocol/bytes.js'
import { Protocol, UserNameProof, UserNameType } from '../../protocol/definitions.js'
import { VerificationType, verificationClaimDigest } from '../../protocol/kinds/verification.js'
import type { SignedMessage } from '../../protocol/message.js'
import { typedKindOf } from '../../protocol/message-kinds.js'
import { nameNotHeld, nameNotOwned, stateChanged } from '../sender-refusals.js'
import { type ChainLookups, type ClaimChain, type Lookup, lookupsWithoutChains } from './chain-lookups.js'
import { type ClaimState, readClaimStates, usernameOnChain } from './claim-state.js'
import { isClaimOfWallet } from './contract-signature.js'
import { type Resolution, resolveName } from './resolve-name.js'

/** Answers of chains about the claims in messages. Messages without such a claim are not in it. */
export interface CheckedClaims {
  /** Refusals of messages whose claim no chain has confirmed. */
  readonly unconfirmed: ReadonlyMap<SignedMessage, Refusal>
  /**
   * The proofs by which USERNAME entries are confirmed. Some may be of the same submission, and not merge: the merge
   * takes the entry only with this proof. Entries that another hub has accepted are not in it.
   */
  readonly confirmedProofs: ReadonlyMap<SignedMessage, UserNameProof>
}

/** The result for messages without claims that a chain must confirm. */
export const noClaims: CheckedClaims = { unconfirmed: new Map(), confirmedProofs: new Map() }

/** Checks the claims that only a chain can confirm: names (docs/protocol.md §4.4) and contract wallets (§6.2). */
export interface ChainClaims {
  /**
   * Asks chains about the claims in messages that merge together. Reads the database, and holds no lock or
   * transaction meanwhile.
   *
   * @param network The FarcasterNetwork of the hub, which contract wallets sign. Messages may name another one.
   * @param synced Another hub has accepted the messages: senders and limits of users do not matter.
   * @param recover Recovers who signed the keys that the messages add; by default in the calling thread.
   */
  check(
    db: Database,
    messages: readonly SignedMessage[],
    options: { readonly network: number; readonly synced?: boolean; readonly recover?: AccountRecovery },
  ): Promise<CheckedClaims>
}

/** The chain of each name type, and the contract with its resolvers. */
const registryOf = {
  [UserNameType.USERNAME_TYPE_ENS_L1]: { chain: 'ethereum', contract: 'ensRegistry' },
  [UserNameType.USERNAME_TYPE_BASENAME]: { chain: 'base', contract: 'basenameRegistry' },
} as const

/** Networks of contract wallets, by the chain id in the claim. */
const walletChains: Readonly<Record<number, ClaimChain>> = { 1: 'ethereum', 10: 'optimism' }

const otherOwner = refuse(
  'bad_request.validation_failure',
  "invalid ens name, resolved address doesn't match proof owner address",
)

/** Creates the check on the lookups of a server. */
export function createChainClaims(lookups: ChainLookups): ChainClaims {
  return {
    async check(db, messages, { network, synced = false, recover = recoverClaimant }) {
      // The merge refuses a body in a message of another type: it must not count as a proof or a verification.
      const typed = messages.filter(({ data }) => typedKindOf(data) !== undefined)
      const claims = typed.filter(needsChain)
      if (claims.length === 0) return noClaims
      const states = await readClaimStates(db, claims, typed, recover)
      /** Each name is resolved once, also for a proof and a username that come together. */
      const resolving = new Map<string, Promise<Refusal | null>>()
      function confirmName(proof: UserNameProof): Promise<Refusal | null> {
        const key = Buffer.from(UserNameProof.encode(proof).finish()).toString('latin1')
        const found = resolving.get(key) ?? confirmOwner(lookups, proof)
        resolving.set(key, found)
        return found
      }
      const outcomes = await Promise.all(
        claims.map(async (claim, index): Promise<Refusal | null> => {
          const state = states[index]!
          const refusal = synced ? null : (refuseUnasked(claim, state) ?? lookups.countFor(claim.data.fid))
          if (refusal) return refusal
          if (isContractClaim(claim)) return await confirmWallet(lookups, claim, network)
          return state.proof === null ? nameNotHeld : await confirmName(state.proof)
        }),
      )
      const unconfirmed = new Map<SignedMessage, Refusal>()
      const confirmedProofs = new Map<SignedMessage, UserNameProof>()
      for (const [index, claim] of claims.entries()) {
        const [outcome, { proof }] = [outcomes[index]!, states[index]!]
        if (outcome) unconfirmed.set(claim, outcome)
        else if (proof && !synced && usernameOnChain(claim) !== null) confirmedProofs.set(claim, proof)
      }
      return { unconfirmed, confirmedProofs }
    },
  }
}

/** The check of a server without chains, which refuses every claim that needs one. */
export const chainClaimsWithoutChains = createChainClaims(lookupsWithoutChains)

/** Whether only a chain can confirm a message. */
function needsChain(message: SignedMessage): boolean {
  return (
    message.data.usernameProofBody !== undefined ||
    usernameOnChain(message) !== null ||
    isContractClaim(message)
  )
}

function isContractClaim({ data: { verificationAddAddressBody: body } }: SignedMessage): boolean {
  return body?.protocol === Protocol.ETHEREUM && body.verificationType === VerificationType.contract
}

/**
 * Returns the refusal of a claim that is refused whatever a chain says, so that it costs no question. The merge refuses
 * most for a reason of its own: `stateChanged` is seen only if the state changes before it.
 */
function refuseUnasked(claim: SignedMessage, { isSigned, proof, isOwner }: ClaimState): Refusal | null {
  if (!isSigned) return stateChanged
  if (isContractClaim(claim)) return null
  if (proof === null) return stateChanged
  if (isOwner) return null
  // The merge itself compares the owner in a proof with the user's addresses.
  return claim.data.usernameProofBody === undefined ? nameNotOwned : stateChanged
}

/** Resolves the name of a proof; null if it resolves to the owner that the proof names. */
async function confirmOwner(lookups: ChainLookups, proof: UserNameProof): Promise<Refusal | null> {
  const found = await lookUpName(lookups, proof)
  if ('refusal' in found) return inEnsTerms(found.refusal)
  if ('problem' in found.answer)
    return refuse('bad_request.validation_failure', problemText(found.answer, proof))
  return isOwnedAs(proof, found.answer) ? null : otherOwner
}

/** Asks the chain of a name what it resolves to. */
export async function lookUpName(lookups: ChainLookups, proof: UserNameProof): Promise<Lookup<Resolution>> {
  const { chain, contract } = registryOf[proof.type as keyof typeof registryOf]
  const name = asBuffer(proof.name).toString('utf8')
  return await lookups.ask(chain, (endpoint) =>
    resolveName(endpoint, lookups.contracts[contract].address, name),
  )
}

/** Returns the chain whose registry has the names of a type. */
export function chainOfName(type: UserNameType): ClaimChain {
  return registryOf[type as keyof typeof registryOf].chain
}

/** Whether a name resolves to the owner that its proof names. */
export function isOwnedAs(proof: UserNameProof, resolution: Resolution): boolean {
  return (
    'address' in resolution && asBuffer(proof.owner).equals(Buffer.from(resolution.address.slice(2), 'hex'))
  )
}

function problemText({ problem }: Extract<Resolution, { problem: string }>, proof: UserNameProof): string {
  const name = asBuffer(proof.name).toString('utf8')
  return problem === 'no resolver'
    ? `ENS resolution error: ENS resolver not found for name "${name}"`
    : `ENS resolution error: Failed to resolve ENS name to an address: the resolver has no address for "${name}"`
}

function inEnsTerms({ code, message }: Refusal): Refusal {
  return refuse(code, code === 'unavailable' ? `ENS resolution error: ${message}` : message)
}

/** Asks the chain that a claim names whether the wallet has signed it; null if it has. */
async function confirmWallet(
  lookups: ChainLookups,
  { data }: SignedMessage,
  network: number,
): Promise<Refusal | null> {
  const body = data.verificationAddAddressBody!
  const chain = walletChains[body.chainId]
  if (chain === undefined) return refuse('bad_request.validation_failure', 'invalid chain id')
  const signed = {
    address: hexOf(body.address),
    digest: hexOf(verificationClaimDigest(body, { fid: data.fid, network })),
    signature: hexOf(body.claimSignature),
  }
  const found = await lookups.ask(chain, (endpoint) => isClaimOfWallet(endpoint, signed))
  const failure = 'could not verify contract signature'
  if ('answer' in found) {
    return found.answer
      ? null
      : refuse('bad_request.validation_failure', `${failure}: invalid claimSignature`)
  }
  const { code, message } = found.refusal
  return refuse(code, code === 'unavailable' ? `${failure}: ${message}` : message)
}
