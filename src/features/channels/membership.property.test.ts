import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../test/network.js'
import { uncachedWriter } from '../../graph/cache/invalidation.js'
import type { ChannelMemberRole } from '../../graph/view/schema/primitives.js'
import { isRefusal } from '../../platform/errors.js'
import { saveChannel } from './channels.js'
import { answerInvite, inviteMember, removeMember } from './membership.js'
import { readStoredChannel, type StoredMembership, validMemberships } from './testing/stored-membership.js'

// Runs thousands of small transactions.
const { db } = await createTestDatabase()
const hub = await createTestHub(db)

const owner = 1
const fids = [1, 2, 3]
/** A fid that is not registered. */
const outsider = 9
const allFids = [...fids, outsider]
const channelId = 'gardens'
await hub.submitOnChainEvents(fids.flatMap((fid) => new TestUser(fid).onChain()))

/** Reference model of the membership rules. */
interface Model {
  memberships: Map<number, StoredMembership>
  /** Role and answer of each user's last answered invite. */
  answeredInvites: Map<number, ChannelMemberRole>
  followers: Set<number>
}

const noMembership: StoredMembership = { role: null, invited: null, isRestricted: false }

function membershipOf(model: Model, fid: number): StoredMembership {
  return model.memberships.get(fid) ?? noMembership
}

function set(model: Model, fid: number, change: Partial<StoredMembership>): void {
  model.memberships.set(fid, { ...membershipOf(model, fid), ...change })
}

const done = 'done'

async function outcomeOf(change: ReturnType<typeof inviteMember>): Promise<string> {
  const outcome = await change
  return isRefusal(outcome) ? outcome.code : done
}

/** States that the run reached. All must occur, or the test proves little. */
const reachedStates = new Set<string>()

async function compare(model: Model): Promise<void> {
  const stored = await readStoredChannel(db, channelId, allFids)
  const expected = new Map(allFids.map((fid) => [fid, membershipOf(model, fid)]))
  expect(stored.memberships).toEqual(expected)
  for (const membership of stored.memberships.values()) {
    expect(validMemberships).toContainEqual(membership)
    reachedStates.add(JSON.stringify(membership))
  }
  const members = [...expected].filter(([, { role }]) => role !== null)
  expect(stored.memberCount).toBe(members.length)
  expect(stored.moderatorFids).toEqual(
    members.filter(([, { role }]) => role === 'moderator').map(([fid]) => fid),
  )
}

type Command = fc.AsyncCommand<Model, null>

abstract class Step implements Command {
  check = () => true
  abstract expected(model: Model): string
  abstract real(): Promise<string>

  async run(model: Model): Promise<void> {
    const expected = this.expected(model)
    expect([this.toString(), await this.real()]).toEqual([this.toString(), expected])
    await compare(model)
  }
}

class Invite extends Step {
  constructor(
    readonly callerFid: number,
    readonly fid: number,
    readonly role: ChannelMemberRole,
  ) {
    super()
  }

  expected(model: Model): string {
    const { role, fid } = this
    const caller = membershipOf(model, this.callerFid).role
    const membership = membershipOf(model, fid)
    if (role === 'owner') return 'bad_request.invalid_param'
    if (role === 'member' && caller !== 'owner' && caller !== 'moderator') return 'forbidden'
    if (role === 'moderator' && caller !== 'owner') return 'forbidden'
    if (fid === outsider) return 'not_found'
    if (membership.role === 'owner' || membership.role === 'moderator' || membership.role === role)
      return done
    if (membership.invited === role) return done
    if (role === 'member' && !model.followers.has(fid)) return 'bad_request.invalid_param'
    if (role === 'moderator' && membership.role !== 'member') return 'bad_request.invalid_param'
    set(model, fid, { invited: role })
    model.answeredInvites.delete(fid)
    return done
  }

  real = () =>
    outcomeOf(
      inviteMember(
        uncachedWriter(db),
        { channelId, callerFid: this.callerFid, fid: this.fid, role: this.role },
        testNowUnix,
      ),
    )
  override toString = () => `${this.callerFid} invites ${this.fid} as ${this.role}`
}

class Answer extends Step {
  constructor(
    readonly fid: number,
    readonly role: ChannelMemberRole,
    readonly accept: boolean,
  ) {
    super()
  }

  expected(model: Model): string {
    const { role, fid, accept } = this
    if (role === 'owner') return 'bad_request.invalid_param'
    if (membershipOf(model, fid).invited !== role)
      return model.answeredInvites.get(fid) === role ? 'conflict' : 'not_found'
    model.answeredInvites.set(fid, role)
    set(model, fid, accept ? { role, invited: null, isRestricted: false } : { invited: null })
    return done
  }

  real = () =>
    outcomeOf(
      answerInvite(
        uncachedWriter(db),
        { channelId, fid: this.fid, role: this.role, accept: this.accept },
        testNowUnix,
      ),
    )
  override toString = () => `${this.fid} ${this.accept ? 'accepts' : 'rejects'} to be ${this.role}`
}

class Remove extends Step {
  constructor(
    readonly callerFid: number,
    readonly fid: number,
    readonly role: ChannelMemberRole,
  ) {
    super()
  }

  expected(model: Model): string {
    const { role, fid, callerFid } = this
    const caller = membershipOf(model, callerFid).role
    const membership = membershipOf(model, fid)
    if (role === 'owner') return 'bad_request.invalid_param'
    if (membership.role === 'owner') return 'forbidden'
    const isLeaving = callerFid === fid && membership.role !== null
    const concernsModerator = role === 'moderator' || membership.role === 'moderator'
    const mayRemove = caller === 'owner' || (caller === 'moderator' && !concernsModerator)
    if (!isLeaving && !mayRemove) return 'forbidden'
    if (role === 'member' && membership.role !== null) {
      set(model, fid, { role: null, invited: null, isRestricted: !isLeaving })
    } else if (role === 'moderator' && membership.role === 'moderator') set(model, fid, { role: 'member' })
    else if (membership.invited === role) set(model, fid, { invited: null })
    else return 'not_found'
    return done
  }

  real = () =>
    outcomeOf(
      removeMember(
        uncachedWriter(db),
        { channelId, callerFid: this.callerFid, fid: this.fid, role: this.role },
        testNowUnix,
      ),
    )
  override toString = () => `${this.callerFid} removes ${this.fid} as ${this.role}`
}

class Follow extends Step {
  constructor(
    readonly fid: number,
    readonly follows: boolean,
  ) {
    super()
  }

  expected({ followers }: Model): string {
    if (this.follows) followers.add(this.fid)
    else followers.delete(this.fid)
    return done
  }

  real = async () => {
    if (this.follows) {
      await db`insert into channels.follows values (${channelId}, ${this.fid}, 1) on conflict do nothing`
    } else await db`delete from channels.follows where fid = ${this.fid}`
    return done
  }
  override toString = () => `${this.fid} ${this.follows ? 'follows' : 'does not follow'}`
}

/** Weighted towards the owner and moderators, since most calls of others are refused. */
const caller = fc.oneof({ weight: 3, arbitrary: fc.constant(owner) }, fc.constantFrom(...fids))
const someone = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...fids.slice(1)) },
  fc.constantFrom(owner, outsider),
)
const role = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom<ChannelMemberRole>('member', 'moderator') },
  fc.constant<ChannelMemberRole>('owner'),
)
const mostly = fc.oneof({ weight: 8, arbitrary: fc.constant(true) }, fc.constant(false))

const invites = fc.tuple(caller, someone, role).map((executed): Command => new Invite(...executed))
const answers = fc.tuple(someone, role, mostly).map((executed): Command => new Answer(...executed))
const removals = fc.tuple(caller, someone, role).map((executed): Command => new Remove(...executed))
const follows = fc.tuple(fc.constantFrom(...fids), mostly).map((executed): Command => new Follow(...executed))

async function begin(): Promise<{ model: Model; real: null }> {
  await db`delete from channels.channels`
  await saveChannel(uncachedWriter(db), { id: channelId, lead_fid: owner }, testNowUnix)
  await db`insert into channels.follows select ${channelId}, fid, 1 from unnest(${fids}::bigint[]) as f (fid)`
  const memberships = new Map([[owner, { ...noMembership, role: 'owner' as const }]])
  return { model: { memberships, answeredInvites: new Map(), followers: new Set(fids) }, real: null }
}

test('channel membership: random call sequences reach only valid states and answer by the rules', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands([invites, invites, invites, answers, answers, answers, removals, follows], {
        maxCommands: 40,
        size: 'max',
      }),
      (commands) => fc.asyncModelRun(begin, commands),
    ),
    { numRuns: 80 },
  )
  // Random calls reach it about once in 350 runs too few: who left a channel is invited anew.
  const invitedAnew = [
    new Invite(owner, 2, 'member'),
    new Answer(2, 'member', true),
    new Remove(owner, 2, 'member'),
    new Invite(owner, 2, 'member'),
  ]
  await fc.asyncModelRun(begin, invitedAnew)
  expect(reachedStates.size).toBe(validMemberships.length)
})
