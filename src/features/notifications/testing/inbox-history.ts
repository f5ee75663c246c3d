import fc from 'fast-check'
import { TestUser, testNow } from '../../../../test/network.js'
import { type OnChainEvent, ReactionType, SignerEventType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'

/** The active users. One more is registered and inactive. */
export const users = [1, 2, 3, 4].map((fid) => new TestUser(fid))

/** One step of a history: a message, or a key event on the chain. */
export type HistoryStep = { readonly message: SignedMessage } | { readonly chainEvent: OnChainEvent }

const user = fc.constantFrom(...users)
const timestamp = fc.integer({ min: testNow - 50, max: testNow - 1 })
const url = fc.constantFrom('https://example.com/a', 'https://example.com/b')

/** Casts that reply, quote and mention; some name a missing cast or a wrong author. */
const casts = fc
  .array(
    fc.record({
      author: user,
      at: timestamp,
      other: fc.nat(20),
      parent: fc.constantFrom('none', 'url', 'cast', 'cast', 'cast of another'),
      quotes: fc.boolean(),
      mentions: fc.subarray(
        users.map(({ fid }) => fid),
        { maxLength: 3 },
      ),
      at_url: url,
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((steps) => {
    const made: SignedMessage[] = []
    for (const [index, step] of steps.entries()) {
      const target = made[step.other % Math.max(index, 1)]
      const castId = target && { fid: target.data.fid, hash: target.hash }
      made.push(
        step.author.cast(`cast ${index}`, step.at, {
          ...(step.parent === 'url' ? { parentUrl: step.at_url } : {}),
          ...(castId && step.parent === 'cast' ? { parentCastId: castId } : {}),
          ...(castId && step.parent === 'cast of another'
            ? { parentCastId: { ...castId, fid: (castId.fid % 4) + 1 } }
            : {}),
          embeds: castId && step.quotes ? [{ castId }] : [],
          mentions: step.mentions,
          mentionsPositions: step.mentions.map((_, place) => place),
        }),
      )
    }
    return made
  })

/** Reactions, follows and removals for the given casts. */
const actions = (made: readonly SignedMessage[]) =>
  fc.array(
    fc.oneof(
      fc
        .record({
          by: user,
          cast: fc.constantFrom(...made),
          at: timestamp,
          type: fc.constantFrom(ReactionType.LIKE, ReactionType.LIKE, ReactionType.RECAST),
          remove: fc.boolean(),
        })
        .map(({ by, cast, at, type, remove }) => by.react(cast, at, { type, remove })),
      fc
        .tuple(user, user, timestamp, fc.boolean())
        .map(([one, other, at, remove]) => one.link(other.fid, at, { remove })),
      fc
        .tuple(user, fc.subarray([1, 2, 3, 4, 5], { minLength: 1, maxLength: 2 }), timestamp)
        .map(([one, fids, at]) => one.compactLinks(fids, at)),
      fc.constantFrom(...made).chain((cast) =>
        timestamp.map((at) => {
          const author = users.find(({ fid }) => fid === cast.data.fid)!
          return author.removeCast(cast.hash, at)
        }),
      ),
    ),
    { maxLength: 40 },
  )

/** Random histories in any order: casts may come after what refers to them. */
export const histories: fc.Arbitrary<HistoryStep[]> = casts
  .chain((made) => fc.tuple(fc.constant(made), actions(made), fc.boolean()))
  .chain(([made, done, isRevoked]) => {
    const revoked = { chainEvent: users[3]!.signerEvent(SignerEventType.REMOVE, 10_000) }
    const steps: HistoryStep[] = [...made, ...done].map((message) => ({ message }))
    const all = isRevoked ? [...steps, revoked] : steps
    return fc.shuffledSubarray(all, { minLength: all.length })
  })
