import { expect, test } from 'vitest'
import { ChannelMemberAction as Action } from '../../../protocol/definitions.js'
import { ChannelMemberState as State } from '../../../protocol/proto/generated/channel_requests.js'
import { type ChannelRole, refusedChange, stateAfter } from './authority.js'

const OK = null
const STATE = 'invalid channel target state'
const DENIED = 'unauthorized channel action'
const BANNED = 'channel member is banned'

type Verdict = string | null
/** Verdicts by the target's state: none, member, moderator, removed, banned. */
type Row = readonly [Verdict, Verdict, Verdict, Verdict, Verdict]
/** The sender, then whether the sender is the target. */
type Sender = readonly [ChannelRole, 'self' | 'another']

const senders: readonly Sender[] = (['owner', 'moderator', 'member', 'other'] as const).flatMap((role) => [
  [role, 'another'] as const,
  [role, 'self'] as const,
])

const wrongFrom = (row: Row): readonly Row[] => senders.map(() => row)

/** Rows in the order of `senders`: owner, moderator, member and other, each for another user and for itself. */
const verdicts: Readonly<Record<string, readonly Row[]>> = {
  ADD_MEMBER: [
    [OK, STATE, STATE, OK, BANNED],
    [OK, STATE, STATE, OK, BANNED],
    [OK, STATE, STATE, OK, BANNED],
    [OK, STATE, STATE, OK, BANNED],
    [DENIED, STATE, STATE, DENIED, BANNED],
    [DENIED, STATE, STATE, DENIED, BANNED],
    [DENIED, STATE, STATE, DENIED, BANNED],
    [DENIED, STATE, STATE, DENIED, BANNED],
  ],
  REMOVE_MEMBER: [
    [STATE, OK, STATE, STATE, BANNED],
    [STATE, OK, OK, STATE, BANNED],
    [STATE, OK, STATE, STATE, BANNED],
    [STATE, OK, OK, STATE, BANNED],
    [STATE, STATE, STATE, STATE, BANNED],
    [STATE, OK, OK, STATE, BANNED],
    [STATE, STATE, STATE, STATE, BANNED],
    [STATE, OK, OK, STATE, BANNED],
  ],
  ADD_MODERATOR: [
    [OK, OK, STATE, OK, BANNED],
    [OK, OK, STATE, OK, BANNED],
    ...wrongFrom([DENIED, DENIED, STATE, DENIED, BANNED]).slice(2),
  ],
  REMOVE_MODERATOR: [
    [STATE, STATE, OK, STATE, BANNED],
    [STATE, STATE, OK, STATE, BANNED],
    ...wrongFrom([STATE, STATE, DENIED, STATE, BANNED]).slice(2),
  ],
  BAN: [
    [OK, OK, OK, OK, BANNED],
    // The owner cannot be banned, by itself neither: tested below.
    [OK, OK, OK, OK, BANNED],
    [OK, OK, DENIED, OK, BANNED],
    [OK, OK, DENIED, OK, BANNED],
    ...wrongFrom([DENIED, DENIED, DENIED, DENIED, BANNED]).slice(4),
  ],
  UNBAN: [
    [STATE, STATE, STATE, STATE, OK],
    [STATE, STATE, STATE, STATE, OK],
    [STATE, STATE, STATE, STATE, OK],
    [STATE, STATE, STATE, STATE, OK],
    ...wrongFrom([STATE, STATE, STATE, STATE, DENIED]).slice(4),
  ],
}

const states = [State.NONE, State.MEMBER, State.MODERATOR, State.REMOVED, State.BANNED]

const cells = Object.entries(verdicts).flatMap(([name, rows]) =>
  rows.flatMap((row, sender) =>
    row.map((verdict, state) => [name, senders[sender]!, states[state]!, verdict] as const),
  ),
)

test('there are 240 cells: six actions, five states, four roles, for oneself and for others', () => {
  expect(cells).toHaveLength(240)
})

test.each(cells)('%s by %s of a target in state %i -> %s', (name, [role, who], state, verdict) => {
  const action = Action[name as keyof typeof Action]
  const change = { action, role, isSelf: who === 'self', state, targetIsOwner: false, isOpen: false }
  expect(refusedChange(change)).toBe(verdict)
})

test('everyone may add itself to an open channel, and nobody else', () => {
  for (const role of ['member', 'other'] as const) {
    for (const state of [State.NONE, State.REMOVED]) {
      const change = { action: Action.ADD_MEMBER, role, state, targetIsOwner: false, isOpen: true }
      expect(refusedChange({ ...change, isSelf: true })).toBeNull()
      expect(refusedChange({ ...change, isSelf: false })).toBe(DENIED)
    }
  }
})

test('nobody may ban the owner, in whatever state it is', () => {
  for (const [role, who] of senders) {
    for (const state of states) {
      const change = {
        action: Action.BAN,
        role,
        isSelf: who === 'self',
        state,
        targetIsOwner: true,
        isOpen: true,
      }
      expect(refusedChange(change)).toBe('channel owner cannot be banned')
    }
  }
})

test('the state after an action depends on the action only', () => {
  const actions = [1, 2, 3, 4, 5, 6] as Action[]
  expect(actions.map(stateAfter)).toEqual([
    State.MEMBER,
    State.REMOVED,
    State.MODERATOR,
    State.MEMBER,
    State.BANNED,
    State.REMOVED,
  ])
})
