import { cacheTag } from '../../graph/cache/cache-tags.js'
import { type CacheWriter, publishInvalidation } from '../../graph/cache/invalidation.js'
import { moderatorsOf } from '../../graph/project/channel-slots.js'
import type { ChannelMemberRole } from '../../graph/view/schema/primitives.js'
import type { Transaction } from '../../platform/db/connection.js'
import { HOUR_SECONDS } from '../../platform/durations.js'
import { isRefusal } from '../../platform/errors.js'
import {
  decideAnswer,
  decideInvite,
  decideRemoval,
  type MembershipChange,
  type MembershipRefusal,
  type MembershipState,
} from './membership-rules.js'
import { insertOverride } from './overrides.js'

/** Most membership calls of one user in one channel per hour (docs/protocol.md §7.1). */
export const MAX_CALLS_PER_HOUR = 100

/** Requester and subject of a membership change. */
export interface MembershipRequest {
  readonly channelId: string
  readonly callerFid: number
  readonly fid: number
  readonly role: ChannelMemberRole
}

/** The result of a change: a message for people, or why it is refused. */
type MembershipOutcome = { readonly message: string } | MembershipRefusal

/** Invites a user to a channel. */
export function inviteMember(
  writer: CacheWriter,
  request: MembershipRequest,
  nowUnix: number,
): Promise<MembershipOutcome> {
  return changeMembership(writer, request, nowUnix, (membership) => decideInvite(membership, request.role))
}

/** Records the answer to an invite; the caller is the invited user. */
export function answerInvite(
  writer: CacheWriter,
  { accept, ...request }: Omit<MembershipRequest, 'callerFid'> & { readonly accept: boolean },
  nowUnix: number,
): Promise<MembershipOutcome> {
  return changeMembership(writer, { ...request, callerFid: request.fid }, nowUnix, (membership) =>
    decideAnswer(membership, request.role, accept),
  )
}

/** Removes a role from a member, or withdraws the invite to it. */
export function removeMember(
  writer: CacheWriter,
  request: MembershipRequest,
  nowUnix: number,
): Promise<MembershipOutcome> {
  return changeMembership(writer, request, nowUnix, (membership) =>
    decideRemoval(membership, request.role, request.callerFid === request.fid),
  )
}

/**
 * Reads, decides and writes while it holds the channel's row lock, so changes of one channel are serialized. A refusal
 * is committed as well, since the call counts against the rate limit.
 */
async function changeMembership(
  { db, invalidation }: CacheWriter,
  request: MembershipRequest,
  nowUnix: number,
  decide: (membership: MembershipState) => MembershipChange | MembershipRefusal,
): Promise<MembershipOutcome> {
  let stale: string[] = []
  const outcome = await db.begin(async (transaction): Promise<MembershipOutcome> => {
    // This lock mode does not block readers or rows that reference the channel.
    const locked = await transaction`
      select from channels.channels where id = ${request.channelId} for no key update`
    if (locked.length === 0) {
      return { code: 'not_found', message: 'there is no such channel', property: 'channel_id' }
    }
    const membership = await readMembershipState(transaction, request, nowUnix)
    if (membership.calls > MAX_CALLS_PER_HOUR) return rateLimitRefusal(membership.windowStartedAt, nowUnix)
    const decision = decide(membership)
    if (isRefusal(decision)) return decision
    const message = await writeChange(transaction, request, decision, nowUnix)
    stale = staleTagsOf(decision, request)
    await publishInvalidation(transaction, stale)
    return { message }
  })
  invalidation.apply({ tags: stale })
  return outcome
}

interface MembershipStateRow extends MembershipState {
  readonly calls: number
  /** Unix seconds. */
  readonly windowStartedAt: number
}

/** Reads the state in a statement after the lock, so that it sees what was committed before. */
async function readMembershipState(
  db: Transaction,
  { channelId, callerFid, fid }: MembershipRequest,
  nowUnix: number,
): Promise<MembershipStateRow> {
  const [row] = await db<MembershipStateRow[]>`
    with counted as (
      insert into channels.membership_calls as c (channel_id, fid, hour_began_at, calls)
      values (${channelId}, ${callerFid}, ${nowUnix}, 1)
      on conflict (channel_id, fid) do update
      set hour_began_at = case when c.hour_began_at <= ${nowUnix - HOUR_SECONDS}::bigint
            then excluded.hour_began_at else c.hour_began_at end,
          calls = case when c.hour_began_at <= ${nowUnix - HOUR_SECONDS}::bigint then 1 else c.calls + 1 end
      returning hour_began_at, calls
    )
    select
      counted.calls, counted.hour_began_at as "windowStartedAt",
      case when c.lead_fid = ${fid}::bigint then 'owner' else m.role end as role,
      case when c.lead_fid = ${callerFid}::bigint then 'owner' else caller.role end as "callerRole",
      case when i.fid is not null then json_build_object('role', i.role, 'state', i.state) end as invite,
      exists (select from social.users where fid = ${fid}::bigint) as "isRegistered",
      exists (select from channels.follows where channel_id = c.id and fid = ${fid}::bigint)
        or exists (
          select from social.follows where fid = ${fid}::bigint and target_fid = ${callerFid}::bigint
        ) as "isFollowing",
      (
        select count(*)::integer from channels.members
        where channel_id = c.id and role = 'moderator' and fid <> c.lead_fid
      ) + (
        select count(*)::integer from channels.invites
        where channel_id = c.id and role = 'moderator' and state = 'invited'
      ) as moderators
    from counted
    join channels.channels c on c.id = ${channelId}
    left join channels.members m on m.channel_id = c.id and m.fid = ${fid}::bigint
    left join channels.members caller on caller.channel_id = c.id and caller.fid = ${callerFid}::bigint
    left join channels.invites i on i.channel_id = c.id and i.fid = ${fid}::bigint`
  return row!
}

function rateLimitRefusal(windowStartedAt: number, nowUnix: number): MembershipRefusal {
  return {
    code: 'bad_request.rate_limited',
    message: `more than ${MAX_CALLS_PER_HOUR} calls an hour about this channel`,
    retryAfterSeconds: Math.max(1, windowStartedAt + HOUR_SECONDS - nowUnix),
  }
}

/** Writes a change and returns its message for people. */
async function writeChange(
  db: Transaction,
  request: MembershipRequest,
  change: MembershipChange,
  nowUnix: number,
): Promise<string> {
  switch (change.kind) {
    case 'none':
      return change.message
    case 'invite':
      await writeInvite(db, request, change.role, nowUnix)
      return `invited to become ${change.role}`
    case 'accept':
      await endInvite(db, request, 'accepted', nowUnix)
      await writeMember(db, request, change.role, nowUnix)
      return `accepted: now a ${change.role}`
    case 'reject':
      await endInvite(db, request, 'rejected', nowUnix)
      return 'rejected'
    case 'withdraw':
      await endInvite(db, request, 'withdrawn', nowUnix)
      return 'the invite is withdrawn'
    case 'demote':
      await db`
        update channels.members set role = 'member' where channel_id = ${request.channelId} and fid = ${request.fid}`
      await countMembers(db, request, 0)
      return 'no moderator any more'
    case 'remove':
      await endInvite(db, request, 'withdrawn', nowUnix)
      await deleteMember(db, request, change.isRestricted ? nowUnix : null)
      return change.isRestricted ? 'removed from the channel' : 'left the channel'
  }
}

async function writeInvite(
  db: Transaction,
  { channelId, callerFid, fid }: MembershipRequest,
  role: string,
  nowUnix: number,
): Promise<void> {
  await db`
    insert into channels.invites (channel_id, fid, role, inviter_fid, state, invited_at)
    values (${channelId}, ${fid}, ${role}, ${callerFid}, 'invited', ${nowUnix})
    on conflict (channel_id, fid) do update
    set role = excluded.role, inviter_fid = excluded.inviter_fid, state = 'invited',
        invited_at = excluded.invited_at, ended_at = null`
}

async function endInvite(
  db: Transaction,
  { channelId, fid }: MembershipRequest,
  state: 'accepted' | 'rejected' | 'withdrawn',
  nowUnix: number,
): Promise<void> {
  await db`
    update channels.invites set state = ${state}, ended_at = ${nowUnix}
    where channel_id = ${channelId} and fid = ${fid} and state = 'invited'`
}

/** Writes a member row. A member who becomes a moderator keeps the original date. */
async function writeMember(
  db: Transaction,
  request: MembershipRequest,
  role: string,
  nowUnix: number,
): Promise<void> {
  const { channelId, fid } = request
  const [member] = await db<{ isNew: boolean }[]>`
    with freed as (
      delete from channels.restricted where channel_id = ${channelId} and fid = ${fid}
    )
    insert into channels.members (channel_id, fid, role, member_since)
    values (${channelId}, ${fid}, ${role}, ${nowUnix})
    on conflict (channel_id, fid) do update set role = excluded.role
    returning xmax = 0 as "isNew"`
  await countMembers(db, request, member?.isNew ? 1 : 0)
}

async function deleteMember(
  db: Transaction,
  request: MembershipRequest,
  restrictedAt: number | null,
): Promise<void> {
  const { channelId, fid } = request
  await db`delete from channels.members where channel_id = ${channelId} and fid = ${fid}`
  if (restrictedAt !== null) {
    await db`
      insert into channels.restricted (channel_id, fid, restricted_at)
      values (${channelId}, ${fid}, ${restrictedAt})
      on conflict (channel_id, fid) do update set restricted_at = excluded.restricted_at`
  }
  await countMembers(db, request, -1)
}

/**
 * Adds the change to the counter, which may have been imported without a list. From now on scheduled imports leave the
 * membership of this user.
 */
async function countMembers(
  db: Transaction,
  { channelId, fid }: MembershipRequest,
  change: number,
): Promise<void> {
  await db`
    with overridden as (
      ${insertOverride(db, channelId, 'membership', fid)}
    )
    update channels.channels c
    set member_count = c.member_count + ${change}::integer,
        local_members = c.local_members + ${change}::integer,
        moderator_fids = ${moderatorsOf(db)}
    where c.id = ${channelId}`
}

/** Returns the tags of the channel's counters and of the user's casts, which show its role. */
function staleTagsOf({ kind }: MembershipChange, { channelId, fid }: MembershipRequest): string[] {
  const changesMembers = kind === 'accept' || kind === 'demote' || kind === 'remove'
  return changesMembers ? [cacheTag.channel(channelId), cacheTag.channelsOf(fid)] : []
}
