import type { Fragment } from 'postgres'
import type { Database } from '../../platform/db/connection.js'

/** What a viewer has to do with the things of one page: everything that `viewer_context` says. */
export interface ViewerRelations {
  /** Whom the viewer follows, who follows the viewer, whom the viewer blocks, who blocks the viewer. */
  readonly following: ReadonlySet<number>
  readonly followers: ReadonlySet<number>
  readonly blocking: ReadonlySet<number>
  readonly blockers: ReadonlySet<number>
  /** Whom the viewer mutes. That is nobody's business, and only chooses what is shown. */
  readonly muting: ReadonlySet<number>
  /** Casts, in hex without 0x. */
  readonly liked: ReadonlySet<string>
  readonly recasted: ReadonlySet<string>
  /** Channels that the viewer follows, and the role that it has in them. */
  readonly channels: ReadonlySet<string>
  readonly roles: ReadonlyMap<string, string>
}

/** The things that are looked at. */
export interface ViewedIds {
  readonly fids: readonly number[]
  /** Lower-case hex without 0x. */
  readonly hashes: readonly string[]
  readonly channelIds: readonly string[]
}

/** The things of a page as one viewer looks at them. */
export interface ViewerQuery extends ViewedIds {
  readonly viewerFid: number
}

/** One thing of one look. */
interface QueriedId<Id> {
  /** The number of the look, from 0. */
  readonly queryIndex: number
  readonly viewerFid: number
  readonly id: Id
}

/** What is so is told by the number of what was looked at, from 1: among all users, all casts or all channels. */
interface RelationsRow {
  following: number[]
  followers: number[]
  blocking: number[]
  blockers: number[]
  muting: number[]
  liked: number[]
  recasted: number[]
  channels: number[]
  roles: Record<string, string>
}

/** Loads all relations of viewers to the things of their pages, in one statement; in the order of the looks. */
export async function loadViewerRelations(
  db: Database,
  queries: readonly ViewerQuery[],
): Promise<ViewerRelations[]> {
  const queriedIds = {
    users: queries.flatMap(({ viewerFid, fids }, queryIndex) =>
      fids.map((id) => ({ queryIndex, viewerFid, id })),
    ),
    casts: queries.flatMap(({ viewerFid, hashes }, queryIndex) =>
      hashes.map((id) => ({ queryIndex, viewerFid, id })),
    ),
    channels: queries.flatMap(({ viewerFid, channelIds }, queryIndex) =>
      channelIds.map((id) => ({ queryIndex, viewerFid, id })),
    ),
  }
  const { roles, ...foundRelations } = await readRelations(db, queriedIds)
  const relations = queries.map(noRelations)
  for (const name of userRelations) {
    for (const n of foundRelations[name])
      relations[queriedIds.users[n - 1]!.queryIndex]![name].add(queriedIds.users[n - 1]!.id)
  }
  for (const name of castRelations) {
    for (const n of foundRelations[name])
      relations[queriedIds.casts[n - 1]!.queryIndex]![name].add(queriedIds.casts[n - 1]!.id)
  }
  for (const n of foundRelations.channels)
    relations[queriedIds.channels[n - 1]!.queryIndex]!.channels.add(queriedIds.channels[n - 1]!.id)
  for (const [n, role] of Object.entries(roles)) {
    const { queryIndex, id } = queriedIds.channels[Number(n) - 1]!
    relations[queryIndex]!.roles.set(id, role)
  }
  return relations
}

/**
 * In one row. Each relation is looked up by a primary key, one by one: `limit 1` and `offset 0` keep the planner from
 * reading all that a viewer follows, is followed by or has reacted to instead, which costs more the longer the viewer
 * is here (25 casts: 0.12 ms, against 0.34 ms for a viewer with 260 reactions).
 */
async function readRelations(
  db: Database,
  {
    users,
    casts,
    channels,
  }: { users: QueriedId<number>[]; casts: QueriedId<string>[]; channels: QueriedId<string>[] },
): Promise<RelationsRow> {
  const viewersOf = (queriedIds: QueriedId<unknown>[]) => queriedIds.map(({ viewerFid }) => viewerFid)
  const idsOf = (queriedIds: QueriedId<string>[]) => db.types.texts(queriedIds.map(({ id }) => id))
  const usersWith = (row: Fragment, hasAny?: Fragment) => db`array(
    select n from seen_user seen
    ${hasAny ? db`join viewers on viewers.viewer = seen.viewer and viewers.${hasAny}` : db``}
    cross join lateral (select from ${row} limit 1) found
  )`
  const [row] = await db<RelationsRow[]>`
    with seen_user as materialized (
      select n::integer, viewer, fid
      from unnest(${viewersOf(users)}::bigint[], ${users.map(({ id }) => id)}::bigint[])
        with ordinality as seen (viewer, fid, n)
    ),
    -- Most block and mute nobody: one look-up for each viewer tells, instead of one for each user that it sees.
    viewers as materialized (
      select viewer,
        exists (select from social.blocks where fid = viewer) as is_blocking,
        exists (select from social.blocks where target_fid = viewer) as is_blocked,
        exists (select from moderation.mutes where fid = viewer) as is_muting
      from (select distinct viewer from seen_user) asking
    ),
    seen_channel as materialized (
      select n::integer, viewer, id
      from unnest(${viewersOf(channels)}::bigint[], ${idsOf(channels)}::text[])
        with ordinality as seen (viewer, id, n)
    ),
    reacted as materialized (
      select seen.n::integer, r.type
      from unnest(${viewersOf(casts)}::bigint[], ${idsOf(casts)}::text[])
        with ordinality as seen (viewer, hash, n)
      cross join lateral (
        select type from social.reactions
        where fid = seen.viewer and target_hash = decode(seen.hash, 'hex')
        offset 0
      ) r
    )
    select
      ${usersWith(db`social.follows where fid = seen.viewer and target_fid = seen.fid`)} as following,
      ${usersWith(db`social.follows where fid = seen.fid and target_fid = seen.viewer`)} as followers,
      ${usersWith(db`social.blocks where fid = seen.viewer and target_fid = seen.fid`, db`is_blocking`)} as blocking,
      ${usersWith(db`social.blocks where fid = seen.fid and target_fid = seen.viewer`, db`is_blocked`)} as blockers,
      ${usersWith(db`moderation.mutes where fid = seen.viewer and target_fid = seen.fid`, db`is_muting`)} as muting,
      array(select n from reacted where type = 1) as liked,
      array(select n from reacted where type = 2) as recasted,
      array(
        select n from seen_channel seen cross join lateral (
          select from channels.follows where fid = seen.viewer and channel_id = seen.id limit 1
        ) found
      ) as channels,
      coalesce(
        (
          select json_object_agg(n, role) filter (where role is not null)
          from (
            select n, case
              when exists (select from channels.channels where id = seen.id and lead_fid = seen.viewer) then 'owner'
              else (select role from channels.members where channel_id = seen.id and fid = seen.viewer)
            end as role
            from seen_channel seen
          ) held
        ),
        '{}'::json
      ) as roles
  `
  return row!
}

const userRelations = ['following', 'followers', 'blocking', 'blockers', 'muting'] as const
const castRelations = ['liked', 'recasted'] as const

function noRelations() {
  return {
    following: new Set<number>(),
    followers: new Set<number>(),
    blocking: new Set<number>(),
    blockers: new Set<number>(),
    muting: new Set<number>(),
    liked: new Set<string>(),
    recasted: new Set<string>(),
    channels: new Set<string>(),
    roles: new Map<string, string>(),
  }
}
