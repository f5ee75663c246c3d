import { moderatorsOf } from '../../graph/project/channel-slots.js'
import type { Transaction } from '../../platform/db/connection.js'
import type { ChannelDocument } from './channel-document.js'
import { isOverridden, type SaveMode } from './overrides.js'

/**
 * Replaces the followers of a channel when the document lists them. Follows by messages stay, and in a merge the follows
 * of users who have changed theirs on this server. Rows that stay are not written: lists have hundreds of thousands.
 */
export async function saveFollowers(
  db: Transaction,
  { id, followers }: ChannelDocument,
  mode: SaveMode,
): Promise<void> {
  if (!followers) return
  if (mode === 'replace')
    await db`delete from channels.user_overrides where channel_id = ${id} and kind = 'follow'`
  const given = db`(
    select fid, min(followed_at) as followed_at
    from unnest(
      ${followers.map((follower) => follower.fid)}::bigint[],
      ${followers.map((follower) => follower.followed_at)}::bigint[]
    ) as listed (fid, followed_at)
    group by fid
  )`
  await db`
    delete from channels.follows f
    where f.channel_id = ${id} and not f.by_message and not ${isOverridden(db, id, 'follow', db`f.fid`)}
      and not exists (select from ${given} given where given.fid = f.fid)`
  await db`
    insert into channels.follows (channel_id, fid, followed_at)
    select ${id}, given.fid, given.followed_at
    from ${given} given
    where not ${isOverridden(db, id, 'follow', db`given.fid`)} and not exists (
      select from channels.follows f
      where f.channel_id = ${id} and f.fid = given.fid and (f.by_message or f.followed_at = given.followed_at)
    )
    on conflict (channel_id, fid) do update set followed_at = excluded.followed_at`
  await db`
    update channels.channels
    set follower_count = (select count(*) from channels.follows where channel_id = ${id}),
        local_followers = case when ${mode === 'replace'}::boolean then 0 else local_followers end
    where id = ${id}`
}

/**
 * Sets the lead, moderators and members that the document lists, and keeps counters and invites consistent. The lead
 * has no member row, moderators have one, and nobody is invited to a role that they have. In a merge, users whose
 * membership was changed on this server keep it, unless they are the lead.
 */
export async function saveMembers(
  db: Transaction,
  document: ChannelDocument,
  nowUnix: number,
  mode: SaveMode,
): Promise<void> {
  const { id, lead_fid: lead, members, moderator_fids: moderators } = document
  if (lead === undefined && !members && !moderators) return
  const before = await countRows(db, id)
  if (lead !== undefined) await saveLead(db, id, lead, nowUnix, mode)
  if (mode === 'replace') await endMemberOverrides(db, document)
  if (members) await replaceMembers(db, id, members)
  else if (moderators) await replaceModerators(db, id, moderators, nowUnix)
  await liftRestrictionsOfMembers(db, id)
  await withdrawObsoleteInvites(db, id, nowUnix)
  const after = await countRows(db, id)
  const memberCount = members ? 1 + after : null
  // An imported count without a list includes members that this server cannot name.
  const change = document.member_count === undefined ? after - before : 0
  const localChange = mode === 'create' || mode === 'edit' ? after - before : 0
  await db`
    update channels.channels c
    set member_count = coalesce(${memberCount}::integer, c.member_count + ${change}::integer),
        local_members = case
          when ${mode === 'replace' && members !== undefined}::boolean then 0
          else c.local_members + ${localChange}::integer
        end,
        moderator_fids = ${moderatorsOf(db)}
    where id = ${id}`
}

async function countRows(db: Transaction, id: string): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from channels.members where channel_id = ${id}`
  return row!.count
}

/** Sets the lead. The previous lead stays a member, also over merges if the lead is overridden. */
async function saveLead(
  db: Transaction,
  id: string,
  lead: number,
  nowUnix: number,
  mode: SaveMode,
): Promise<void> {
  await db`
    with previous as (
      insert into channels.members (channel_id, fid, role, member_since)
      select id, lead_fid, 'member', ${nowUnix}::bigint
      from channels.channels
      where id = ${id} and lead_fid <> ${lead}
      on conflict do nothing
      returning channel_id, fid
    )
    insert into channels.user_overrides (channel_id, kind, fid)
    select channel_id, 'membership', fid from previous where ${mode === 'edit'}::boolean
    on conflict do nothing`
  await db`
    with ended as (
      delete from channels.user_overrides
      where channel_id = ${id} and kind = 'membership' and fid = ${lead}::bigint
    )
    delete from channels.members where channel_id = ${id} and fid = ${lead}::bigint`
  await db`update channels.channels set lead_fid = ${lead} where id = ${id}`
}

/**
 * Ends the overrides of users whose membership the document replaces. A list replaces all but restrictions of users
 * who are not in it.
 */
async function endMemberOverrides(
  db: Transaction,
  { id, members, moderator_fids: moderators }: ChannelDocument,
): Promise<void> {
  if (!members && !moderators) return
  const given = members?.map(({ fid }) => fid) ?? moderators ?? []
  const isReplaced = members
    ? db`not exists (select from channels.restricted r where r.channel_id = o.channel_id and r.fid = o.fid)`
    : db`exists (
        select from channels.members m where m.channel_id = o.channel_id and m.fid = o.fid and m.role = 'moderator'
      )`
  await db`
    delete from channels.user_overrides o
    where o.channel_id = ${id} and o.kind = 'membership' and (o.fid = any (${given}::bigint[]) or ${isReplaced})`
}

async function replaceMembers(
  db: Transaction,
  id: string,
  members: NonNullable<ChannelDocument['members']>,
): Promise<void> {
  await db`
    delete from channels.members m
    where m.channel_id = ${id} and not ${isOverridden(db, id, 'membership', db`m.fid`)}`
  await db`
    insert into channels.members (channel_id, fid, role, member_since)
    select distinct on (given.fid) c.id, given.fid, given.role, given.member_since
    from unnest(
      ${members.map((member) => member.fid)}::bigint[],
      ${db.types.texts(members.map((member) => member.role))}::text[],
      ${members.map((member) => member.member_since)}::bigint[]
    ) as given (fid, role, member_since)
    join channels.channels c on c.id = ${id} and c.lead_fid <> given.fid
    where not ${isOverridden(db, id, 'membership', db`given.fid`)}
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
    update channels.members m set role = 'member'
    where m.channel_id = ${id} and m.role = 'moderator' and m.fid <> all (${[...moderators]}::bigint[])
      and not ${isOverridden(db, id, 'membership', db`m.fid`)}`
  await db`
    insert into channels.members (channel_id, fid, role, member_since)
    select distinct c.id, given.fid, 'moderator', ${nowUnix}::bigint
    from unnest(${[...moderators]}::bigint[]) as given (fid)
    join channels.channels c on c.id = ${id} and c.lead_fid <> given.fid
    where not ${isOverridden(db, id, 'membership', db`given.fid`)}
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
