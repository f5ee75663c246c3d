import { MessageType, Protocol, UserDataType } from '@farcaster/core'
import { signerRemoveEvent, tierPurchaseEvent } from '../hub/registry/chain-events.js'
import { signNameTransfer } from '../hub/registry/name-transfer.js'
import type { Draft } from './draft.js'
import { addSigner, nameTransfer, pictureUrl, profileEntry } from './joining.js'
import { renewedIntroduction } from './person.js'
import { fidOf } from './plan.js'
import { deferredDraft, type World } from './world.js'

const HOUR_SECONDS = 3600
const PRO_DAYS = 365
/** Most users keep the old key when they try another app. */
const KEY_DROP_SHARE = 0.5

/** Buys the pro tier and sets a banner, which only pro accounts may have. */
export function* purchasePro(world: World, user: number, at: number): Generator<Draft> {
  const place = world.nextEventPosition(user, at, 'tier')
  yield deferredDraft(async () => ({
    kind: 'chainEvent',
    event: tierPurchaseEvent(place, fidOf(user), PRO_DAYS, world.custody(user).address),
  }))
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
  const place = world.nextEventPosition(user, at, 'drop signer 0')
  yield deferredDraft(async () => ({
    kind: 'chainEvent',
    event: signerRemoveEvent(place, fidOf(user), world.keys.signer(user, 'signer 0').publicKey),
  }))
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
  yield deferredDraft(async () => ({
    kind: 'nameTransfer',
    proof: await signNameTransfer({
      name: oldName,
      fid: 0,
      owner: world.custody(user).address,
      timestamp: at,
    }),
  }))
  yield nameTransfer(world, user, name, at + world.random.between(30, 300))
  yield world.message(user, at + world.random.between(330, 600), profileEntry(UserDataType.USERNAME, name))
}
