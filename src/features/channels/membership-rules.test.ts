import { describe, expect, it } from 'vitest'
import {
  decideAnswer,
  decideInvite,
  decideRemoval,
  MAX_MODERATORS,
  type MembershipState,
} from './membership-rules.js'

/** The state of a registered follower whom the owner invites or removes, with changes. */
function state(changes: Partial<MembershipState> = {}): MembershipState {
  return {
    role: null,
    callerRole: 'owner',
    invite: null,
    isRegistered: true,
    isFollowing: true,
    moderators: 0,
    ...changes,
  }
}

const ownerRole = {
  code: 'bad_request.invalid_param',
  message: 'role must be member or moderator: the owner is always the lead of the channel',
  property: 'role',
}
const onlyOwner = {
  code: 'forbidden',
  message: 'only the owner of the channel can appoint and remove moderators',
}
const onlyModerators = {
  code: 'forbidden',
  message: 'only the owner and moderators of the channel can do this',
}
const invited = (role: 'member' | 'moderator') => ({ role, state: 'invited' }) as const

describe('an invite', () => {
  it('of a follower as member, and of a member as moderator', () => {
    expect(decideInvite(state(), 'member')).toEqual({ kind: 'invite', role: 'member' })
    const member = state({ role: 'member', isFollowing: false, moderators: MAX_MODERATORS - 1 })
    expect(decideInvite(member, 'moderator')).toEqual({ kind: 'invite', role: 'moderator' })
  })

  it('changes nothing for who has the role or an open invite to it', () => {
    const already = (role: string) => ({ kind: 'none', message: `this user is ${role} already` })
    expect(decideInvite(state({ role: 'member' }), 'member')).toEqual(already('member'))
    expect(decideInvite(state({ role: 'moderator' }), 'member')).toEqual(already('moderator'))
    expect(decideInvite(state({ role: 'owner' }), 'moderator')).toEqual(already('owner'))
    expect(decideInvite(state({ role: 'member', invite: invited('moderator') }), 'moderator')).toEqual({
      kind: 'none',
      message: 'this user is invited already',
    })
  })

  it('is refused with what has to be the case first', () => {
    expect(decideInvite(state(), 'owner')).toEqual(ownerRole)
    expect(decideInvite(state({ callerRole: 'member' }), 'member')).toEqual(onlyModerators)
    expect(decideInvite(state({ callerRole: 'moderator' }), 'moderator')).toEqual(onlyOwner)
    expect(decideInvite(state({ isRegistered: false }), 'member')).toEqual({
      code: 'not_found',
      message: 'there is no such user',
      property: 'fid',
    })
    expect(decideInvite(state({ isFollowing: false }), 'member')).toEqual({
      code: 'bad_request.invalid_param',
      message: 'fid must follow the channel or the inviting user',
      property: 'fid',
    })
    expect(decideInvite(state(), 'moderator')).toEqual({
      code: 'bad_request.invalid_param',
      message: 'fid must be a member before being invited as moderator',
      property: 'fid',
    })
    expect(decideInvite(state({ role: 'member', moderators: MAX_MODERATORS }), 'moderator')).toEqual({
      code: 'conflict',
      message: 'a channel has at most 10 moderators, those who are invited among them',
      property: 'role',
    })
  })
})

describe('an answer', () => {
  it('accepts or rejects the open invite, once', () => {
    expect(decideAnswer(state({ invite: invited('member') }), 'member', true)).toEqual({
      kind: 'accept',
      role: 'member',
    })
    expect(decideAnswer(state({ invite: invited('member') }), 'member', false)).toEqual({ kind: 'reject' })
    for (const answer of ['accepted', 'rejected'] as const) {
      const answered = state({ invite: { role: 'member', state: answer } })
      expect(decideAnswer(answered, 'member', true)).toEqual({
        code: 'conflict',
        message: `this invite was ${answer} already, and an answer is final`,
      })
    }
  })

  it('to no invite, another one or a withdrawn one is refused', () => {
    const none = { code: 'not_found', message: 'there is no open invite to become member' }
    expect(decideAnswer(state(), 'member', true)).toEqual(none)
    expect(decideAnswer(state({ invite: invited('moderator') }), 'member', true)).toEqual(none)
    const withdrawn = state({ invite: { role: 'member', state: 'withdrawn' } })
    expect(decideAnswer(withdrawn, 'member', true)).toEqual(none)
    const other = state({ invite: { role: 'moderator', state: 'accepted' } })
    expect(decideAnswer(other, 'member', true)).toEqual(none)
    expect(decideAnswer(state({ invite: invited('member') }), 'owner', true)).toEqual(ownerRole)
  })
})

describe('a removal', () => {
  it('ends a role; who is removed by another may return only by a new invite', () => {
    const member = state({ role: 'member', callerRole: 'moderator' })
    expect(decideRemoval(member, 'member', false)).toEqual({ kind: 'remove', isRestricted: true })
    expect(decideRemoval(state({ role: 'moderator' }), 'member', false)).toEqual({
      kind: 'remove',
      isRestricted: true,
    })
    expect(decideRemoval(state({ role: 'moderator' }), 'moderator', false)).toEqual({ kind: 'demote' })
    const leaving = (role: 'member' | 'moderator') => state({ role, callerRole: role })
    expect(decideRemoval(leaving('member'), 'member', true)).toEqual({ kind: 'remove', isRestricted: false })
    expect(decideRemoval(leaving('moderator'), 'member', true)).toEqual({
      kind: 'remove',
      isRestricted: false,
    })
    expect(decideRemoval(leaving('moderator'), 'moderator', true)).toEqual({ kind: 'demote' })
  })

  it('withdraws the invite to a role that nobody has yet', () => {
    expect(decideRemoval(state({ invite: invited('member') }), 'member', false)).toEqual({ kind: 'withdraw' })
    const member = state({ role: 'member', invite: invited('moderator') })
    expect(decideRemoval(member, 'moderator', false)).toEqual({ kind: 'withdraw' })
  })

  it('is refused to those whose role does not allow it, and of what nobody has', () => {
    expect(decideRemoval(state({ role: 'member' }), 'owner', false)).toEqual(ownerRole)
    expect(decideRemoval(state({ role: 'owner' }), 'member', false)).toEqual({
      code: 'forbidden',
      message: 'the owner cannot be removed',
    })
    const byModerator = (role: 'member' | 'moderator') => state({ role, callerRole: 'moderator' })
    expect(decideRemoval(byModerator('moderator'), 'member', false)).toEqual(onlyOwner)
    expect(decideRemoval(byModerator('member'), 'moderator', false)).toEqual(onlyOwner)
    expect(decideRemoval(state({ role: 'member', callerRole: null }), 'member', false)).toEqual(
      onlyModerators,
    )
    expect(decideRemoval(state({ callerRole: null }), 'member', true)).toEqual(onlyModerators)
    const none = (role: string) => ({
      code: 'not_found',
      message: `this user is no ${role} and not invited to become one`,
      property: 'fid',
    })
    expect(decideRemoval(state(), 'member', false)).toEqual(none('member'))
    expect(decideRemoval(state({ role: 'member' }), 'moderator', false)).toEqual(none('moderator'))
  })
})
