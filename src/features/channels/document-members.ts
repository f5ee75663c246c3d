import { moderatorsOf } from '../../graph/project/channel-slots.js'
import type { Transaction } from '../../platform/db/connection.js'
import type { ChannelDocument } from './channel-document.js'

/** Replaces the followers of a channel when the document lists them. Follows by messages stay. */
export async function saveFollowers(db: Transaction, { id, followers }: ChannelDocument): Promise<void> {
  if (!followers) return
  await db`delete from channels.follows where channel_id = ${id} and not by_message`
  await db`
    insert into channels.follows (channel_id, fid, followed_at)
    select ${id}, fid, min(followed_at)
    from unnest(
      ${followers.map((follower) => follower.fid)}::bigint[],
      ${followers.map((follower) => follower.followed_at)}::bigint[]
    ) as given (fid, followed_at)
    group by fid
    on conflict do nothing`
  await db`
    update channels.channels
    set follower_count = (select count(*) from channels.follows where channel_id = ${id})
    where id = ${id}`
}

/**
 * Sets the lead, moderators and members that the document lists, and keeps counters and invites consistent. The lead
 * has no member row, moderators have one, and nobody is invited to a role that they have.
 */
export async function saveMembers(
  db: Transaction,
  document: ChannelDocument,
  nowUnix: number,
): Promise<void> {
  const { id, lead_fid: lead, members, moderator_fids: moderators } = document
  if (lead === undefined && !members && !moderators) return
  const before = await countRows(db, id)
  if (lead !== undefined) await saveLead(db, id, lead, nowUnix)
  if (members) await replaceMembers(db, id, members)
  else if (moderators) await replaceModerators(db, id, moderators, nowUnix)
  await liftRestrictionsOfMembers(db, id)
  await withdrawObsoleteInvites(db, id, nowUnix)
  const after = await countRows(db, id)
  const memberCount = members ? 1 + after : null
  // An imported count without a list includes members that this server cannot name.
  const change = document.member_count === undefined ? after - before : 0
  await db`
    update channels.channels c
    set member_count = coalesce(${memberCount}::integer, c.member_count + ${change}::integer),
        moderator_fids = ${moderatorsOf(db)}
    where id = ${id}`
}

async function countRows(db: Transaction, id: string): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from channels.members where channel_id = ${id}`
  return row!.count
}

/** Sets the lead. The previous lead stays a member. */
async function saveLead(db: Transaction, id: string, lead: number, nowUnix: number): Promise<void> {
  await db`
    insert into channels.members (channel_id, fid, role, member_since)
    select id, lead_fid, 'member', ${nowUnix}::bigint from channels.channels where id = ${id} and lead_fid <> ${lead}
    on conflict do nothing`
  await db`delete from channels.members where channel_id = ${id} and fid = ${lead}`
  await db`update channels.channels set lead_fid = ${lead} where id = ${id}`
}

async function replaceMembers(
  db: Transaction,
  id: string,
  members: NonNullable<ChannelDocument['members']>,
): Promise<void> {
  await db`delete from channels.members where channel_id = ${id}`
  await db`
    insert into channels.members (channel_id, fid, role, member_since)
    select distinct on (given.fid) c.id, given.fid, given.role, given.member_since
    from unnest(
      ${members.map((member) => member.fid)}::bigint[],
      ${db.types.texts(members.map((member) => member.role))}::text[],
      ${members.map((member) => member.member_since)}::bigint[]
    ) as given (fid, role, member_since)
    join channels.channels c on c.id = ${id} and c.lead_fid <> given.fid
    order by given.fid, given.role desc`
}

/** Replaces the moderators. Previous moderators stay members. */
async function replaceModerators(
  db: Transaction,
  id: string,
  moderators: readonly number[],
  nowUnix: number,
): Promise<void> {
  await db`
    update channels.members set role = 'member'
    where channel_id = ${id} and role = 'moderator' and fid <> all (${[...moderators]}::bigint[])`
  await db`
    insert into channels.members (channel_id, fid, role, member_since)
    select distinct c.id, given.fid, 'moderator', ${nowUnix}::bigint
    from unnest(${[...moderators]}::bigint[]) as given (fid)
    join channels.channels c on c.id = ${id} and c.lead_fid <> given.fid
    on conflict (channel_id, fid) do update set role = excluded.role`
}

/** Lifts the restrictions of users who are members now. */
async function liftRestrictionsOfMembers(db: Transaction, id: string): Promise<void> {
  await db`
    delete from channels.restricted r
    using channels.channels c
    where r.channel_id = ${id} and c.id = r.channel_id and (
      r.fid = c.lead_fid
      or exists (select from channels.members m where m.channel_id = r.channel_id and m.fid = r.fid)
    )`
}

/** Withdraws invites to roles that users have or can no longer get. */
async function withdrawObsoleteInvites(db: Transaction, id: string, nowUnix: number): Promise<void> {
  await db`
    update channels.invites i set state = 'withdrawn', ended_at = ${nowUnix}
    where i.channel_id = ${id} and i.state = 'invited' and i.role is distinct from (
      select case when c.lead_fid = i.fid then null when m.role is null then 'member' when m.role = 'member' then 'moderator' end
      from channels.channels c
      left join channels.members m on m.channel_id = c.id and m.fid = i.fid
      where c.id = i.channel_id
    )`
}
