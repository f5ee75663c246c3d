import base58 from 'bs58'
import {
  registerEvent,
  signerAddEvent,
  signerRemoveEvent,
  storageRentEvent,
  tierPurchaseEvent,
} from '../hub/registry/chain-events.js'
import { KEY_REQUEST_SECONDS, keyRequestMetadata, signKeyRequest } from '../hub/registry/key-request.js'
import type { EventPosition } from '../hub/registry/local-chain.js'
import { signNameTransfer } from '../hub/registry/name-transfer.js'
import { DAY_SECONDS, HOUR_SECONDS } from '../platform/durations.js'
import { MessageType, type OnChainEvent, Protocol, UserDataType } from '../protocol/definitions.js'
import { KEY_TYPE_ED25519 } from '../protocol/key-rules.js'
import type { MessageContent } from '../protocol/message.js'
import { ensProof, ethVerification, solanaVerification } from './claims.js'
import type { Draft } from './draft.js'
import { type Person, renewedIntroduction } from './person.js'
import { appCount, fidOf } from './plan.js'
import { slug } from './text.js'
import { type BoundedSet, deferredDraft, type World } from './world.js'

/** Shares of users. */
const ETH_SHARE = 0.6
const SOLANA_SHARE = 0.1
const PRIMARY_SHARE = 0.8
const ENS_SHARE = 0.07
const LOCATION_SHARE = 0.45
const WEBSITE_SHARE = 0.2
const ACCOUNT_SHARE = 0.08
const RENEWAL_SHARE = 0.2
const KEY_CHANGE_SHARE = 0.02
const NAME_CHANGE_SHARE = 0.015
const ADDRESS_DROP_SHARE = 0.015
const COMPACT_SHARE = 0.01

/** `name.eth` has at most 20 characters. */
const MAX_ENS_LABEL_CHARACTERS = 16

/** Maximum seconds from joining to a complete profile. */
export const joiningSeconds = 180

/** Creates the items of a new user: registration, storage, key, name and profile. */
export function* join(world: World, user: number, at: number): Generator<Draft> {
  const person = world.person(user)
  const name = world.names.allocate(user, person.handle)
  yield* register(world, user, at)
  yield nameTransfer(world, user, name, at + 1)
  const step = stepper(world, at)
  const hasEth = world.random.chance(ETH_SHARE)
  const hasSolana = world.random.chance(SOLANA_SHARE)
  const claimant = (time: number) => ({ user, at: time, network: world.options.network })
  if (hasEth) {
    const time = step()
    yield world.claimMessage(user, time, () =>
      ethVerification(world.keys.account(user, 'ethereum'), claimant(time)),
    )
  }
  if (hasSolana) {
    const time = step()
    yield world.claimMessage(user, time, () =>
      solanaVerification(world.keys.signer(user, 'solana'), claimant(time)),
    )
  }
  const usesEns = hasEth && name.length <= MAX_ENS_LABEL_CHARACTERS && world.random.chance(ENS_SHARE)
  if (usesEns) {
    const time = step()
    const account = () => world.keys.account(user, 'ethereum')
    yield world.claimMessage(user, time, () => ensProof(`${name}.eth`, account(), claimant(time)))
  }
  yield world.message(user, step(), profileEntry(UserDataType.USERNAME, usesEns ? `${name}.eth` : name))
  for (const entry of profile(world, person, name)) yield world.message(user, step(), entry)
  if (world.random.chance(PRIMARY_SHARE)) yield* primaryAddresses(world, user, hasEth, hasSolana, step)
  planChanges(world, person, at, { canDropAddress: hasEth && !usesEns, canChangeName: !usesEns })
}

/** Creates one transaction: the fid, a unit of storage, and the key that an app requests. */
function* register(world: World, user: number, at: number): Generator<Draft> {
  const fid = fidOf(user)
  yield chainEvent(world, user, at, 'register', (position) =>
    registerEvent(position, fid, world.custody(user).address, Buffer.alloc(0)),
  )
  yield rentStorage(world, user, at, 1)
  yield addSigner(world, user, at, 'signer 0')
}

/** Rents storage for the user. */
function rentStorage(world: World, user: number, at: number, units: number): Draft {
  return chainEvent(world, user, at, 'rent', (position) =>
    storageRentEvent(position, fidOf(user), units, world.custody(user).address),
  )
}

/** Counts a message of the user, who first rents storage where it has no room. */
export function* reserveStorage(world: World, user: number, set: BoundedSet, at: number): Generator<Draft> {
  const units = world.storage.take(user, set, at)
  if (units > 0) yield rentStorage(world, user, at, units)
}

/** Creates an event of a user on the local chain. */
function chainEvent(
  world: World,
  user: number,
  at: number,
  action: string,
  make: (position: EventPosition) => OnChainEvent | Promise<OnChainEvent>,
): Draft {
  const position = world.nextEventPosition(user, at, action)
  return deferredDraft(async () => ({ kind: 'chainEvent', event: await make(position) }))
}

/** Adds a key that one of the apps requests. The first app is the most popular. */
function addSigner(world: World, user: number, at: number, purpose: 'signer 0' | 'signer 1'): Draft {
  const app = Math.min(user, world.random.chance(0.7) ? 0 : world.random.below(appCount))
  return chainEvent(world, user, at, purpose, async (position) => {
    const { publicKey: key } = world.keys.signer(user, purpose)
    const request = { requestFid: fidOf(app), key, deadline: at + KEY_REQUEST_SECONDS }
    const metadata = keyRequestMetadata(await signKeyRequest(request, world.custody(app)))
    return signerAddEvent(position, fidOf(user), { keyType: KEY_TYPE_ED25519, key, metadata })
  })
}

/** Transfers a name from the fname registry to the user, or to nobody. */
function nameTransfer(world: World, user: number, name: string, at: number, fid = fidOf(user)): Draft {
  return deferredDraft(async () => ({
    kind: 'nameTransfer',
    proof: await signNameTransfer({ name, fid, owner: world.custody(user).address, timestamp: at }),
  }))
}

/** Returns times that are a few seconds apart. */
function stepper(world: World, at: number): () => number {
  let time = at + 2
  return () => {
    time += world.random.between(2, 11)
    return time
  }
}

/** Creates an entry of a profile. */
function profileEntry(type: UserDataType, value: string): MessageContent {
  return { type: MessageType.USER_DATA_ADD, userDataBody: { type, value } }
}

function* profile(world: World, person: Person, name: string): Generator<MessageContent> {
  const { random } = world
  yield profileEntry(UserDataType.DISPLAY, person.displayName)
  yield profileEntry(UserDataType.PFP, pictureUrl(world, name))
  yield profileEntry(UserDataType.BIO, person.bio)
  const { latitude, longitude } = person.city
  if (random.chance(LOCATION_SHARE)) {
    const location = `geo:${latitude.toFixed(2)},${longitude.toFixed(2)}`
    yield profileEntry(UserDataType.LOCATION, location)
  }
  if (random.chance(WEBSITE_SHARE)) yield profileEntry(UserDataType.URL, `https://${name}.example`)
  const account = slug(name).replaceAll('-', '')
  if (random.chance(ACCOUNT_SHARE)) yield profileEntry(UserDataType.TWITTER, account.slice(0, 15))
  if (random.chance(ACCOUNT_SHARE)) yield profileEntry(UserDataType.GITHUB, account)
}

/** Returns the URL of a picture. Names under `.example` never resolve (RFC 2606). */
function pictureUrl(world: World, name: string): string {
  return `https://pictures.plaza.example/${name}/${world.random.below(0x1_0000).toString(16).padStart(4, '0')}.png`
}

function* primaryAddresses(
  world: World,
  user: number,
  hasEth: boolean,
  hasSolana: boolean,
  step: () => number,
): Generator<Draft> {
  if (hasEth) {
    yield world.claimMessage(user, step(), () => {
      const { address } = world.keys.account(user, 'ethereum').signer
      return profileEntry(UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM, address)
    })
  }
  if (hasSolana) {
    yield world.claimMessage(user, step(), () => {
      const address = base58.encode(world.keys.signer(user, 'solana').publicKey)
      return profileEntry(UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA, address)
    })
  }
}

/** Schedules later changes of the account. */
function planChanges(
  { random, schedule }: World,
  { user, isPro }: Person,
  at: number,
  { canDropAddress, canChangeName }: { canDropAddress: boolean; canChangeName: boolean },
): void {
  const daysLater = (days: number) => at + joiningSeconds + Math.floor(random.exponential(days * DAY_SECONDS))
  if (isPro) schedule.add(at + joiningSeconds + random.below(6 * HOUR_SECONDS), { kind: 'go pro', user })
  if (random.chance(RENEWAL_SHARE)) schedule.add(daysLater(7), { kind: 'renew the profile', user })
  if (random.chance(KEY_CHANGE_SHARE)) schedule.add(daysLater(6), { kind: 'change the key', user })
  if (canDropAddress && random.chance(ADDRESS_DROP_SHARE)) {
    schedule.add(daysLater(6), { kind: 'drop the address', user })
  }
  if (canChangeName && random.chance(NAME_CHANGE_SHARE)) {
    schedule.add(daysLater(6), { kind: 'change the name', user })
  }
  if (random.chance(COMPACT_SHARE)) schedule.add(daysLater(9), { kind: 'compact follows', user })
}

const PRO_DAYS = 365
/** Most users keep the old key when they try another app. */
const KEY_DROP_SHARE = 0.5

/** Buys the pro tier and sets a banner, which only pro accounts may have. */
export function* purchasePro(world: World, user: number, at: number): Generator<Draft> {
  yield chainEvent(world, user, at, 'tier', (position) =>
    tierPurchaseEvent(position, fidOf(user), PRO_DAYS, world.custody(user).address),
  )
  world.pros[user] = 1
  const banner = pictureUrl(world, `banner-${fidOf(user)}`)
  yield world.message(user, at + world.random.between(20, 90), profileEntry(UserDataType.BANNER, banner))
}

/** Changes the display name, bio or picture. */
export function* renewProfile(world: World, user: number, at: number): Generator<Draft> {
  const person = world.person(user)
  const { displayName, bio } = renewedIntroduction(world.options.seed, person, at)
  const entry = world.random.pick([
    profileEntry(UserDataType.DISPLAY, displayName),
    profileEntry(UserDataType.BIO, bio),
    profileEntry(UserDataType.PFP, pictureUrl(world, String(fidOf(user)))),
  ])
  yield world.message(user, at, entry)
}

/** Adds another key, which signs from now on. */
export function* changeKey(world: World, user: number, at: number): Generator<Draft> {
  yield addSigner(world, user, at, 'signer 1')
  world.signers[user] = 1
  if (world.random.chance(KEY_DROP_SHARE)) {
    const renewAt = at + HOUR_SECONDS + world.random.below(24 * HOUR_SECONDS)
    world.schedule.add(renewAt, { kind: 'drop the old key', user })
  }
}

/** Removes the first key. Messages that it signed stay. */
export function* dropOldKey(world: World, user: number, at: number): Generator<Draft> {
  yield chainEvent(world, user, at, 'drop signer 0', (position) =>
    signerRemoveEvent(position, fidOf(user), world.keys.signer(user, 'signer 0').publicKey),
  )
}

/** Removes the verification of the Ethereum address, and with it the primary address. */
export function* dropAddress(world: World, user: number, at: number): Generator<Draft> {
  yield world.claimMessage(user, at, () => ({
    type: MessageType.VERIFICATION_REMOVE,
    verificationRemoveBody: {
      address: world.keys.account(user, 'ethereum').address,
      protocol: Protocol.ETHEREUM,
    },
  }))
}

/** Releases the old name, which removes it from the profile, and registers and publishes a new one. */
export function* changeName(world: World, user: number, at: number): Generator<Draft> {
  const oldName = world.names.usernameOf(user)
  const { handle } = world.person(user)
  const name = world.names.allocate(user, handle)
  yield nameTransfer(world, user, oldName, at, 0)
  yield nameTransfer(world, user, name, at + world.random.between(30, 300))
  yield world.message(user, at + world.random.between(330, 600), profileEntry(UserDataType.USERNAME, name))
}
