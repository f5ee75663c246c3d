import type { Database } from '../../platform/db/connection.js'
import type { CastEmbed, CastRow } from '../cast-row.js'

/** Everything that a view of a cast shows, except users. */
export interface CastRecord {
  /** Lowercase hex without 0x, like the other hashes. */
  readonly hash: string
  readonly fid: number
  /** Farcaster seconds. */
  readonly ts: number
  readonly text: string
  readonly parentFid: number | null
  readonly parentHash: string | null
  readonly parentUrl: string | null
  readonly rootParentUrl: string | null
  readonly threadHash: string
  readonly embeds: readonly CastEmbed[]
  readonly mentions: readonly number[]
  /** Byte offsets in the UTF-8 text. */
  readonly mentionPositions: readonly number[]
  /** The app whose key signed it; null if unknown. */
  readonly appFid: number | null
  readonly likes: number
  readonly recasts: number
  readonly replies: number
  readonly channel: ChannelName | null
  /** The membership of the author in the channel; null without a channel. */
  readonly authorInChannel: { readonly following: boolean; readonly role: string | null } | null
  /** EmbedUrlMetadata of the embedded URLs that are crawled; null for one whose crawl has not ended. */
  readonly urlMetadata: Readonly<Record<string, unknown>>
}

/** The fields of a channel that a cast shows. */
export interface ChannelName {
  readonly id: string
  readonly name: string
  readonly imageUrl: string | null
}

/** The levels of embedded casts: the cast, embedded casts, dehydrated casts. */
const EMBED_LEVELS = 2

/**
 * Loads casts and their embedded casts in one statement, with counters, channel, app and URL metadata. The
 * result has no entry for a cast that is not stored.
 *
 * @param hashes Lowercase hex without 0x.
 */
export async function loadCasts(db: Database, hashes: readonly string[]): Promise<Map<string, CastRecord>> {
  if (hashes.length === 0) return new Map()
  const rows = await db<CastRecord[]>`
    with recursive sources (hash, level) as (
      select decode(requested, 'hex'), 0
      from unnest(${db.types.texts(hashes)}::text[]) as requested
      union
      select q.quoted_hash, w.level + 1
      from sources w
      join social.quotes q on q.hash = w.hash
      where w.level < ${EMBED_LEVELS}
    )
    select
      ${castColumns(db)},
      coalesce(
        -- Most casts embed nothing.
        case when c.embeds <> '[]' then (
          select json_object_agg(e.url, e.metadata)
          from social.url_embeds ue
          join embeds.urls e on e.url = ue.url
          where ue.hash = c.hash
        ) end,
        '{}'::json
      ) as "urlMetadata"
    from (select distinct hash from sources) w
    join social.casts c on c.hash = w.hash
    ${castRelatedColumns(db)}
  `
  return new Map(rows.map((row) => [row.hash, row]))
}

/**
 * Makes records of casts from their messages, stored or not, with channels, apps, counters, and threads as
 * far as the parents are stored. Embedded casts are loaded by `loadCasts`.
 */
export async function loadSnapshotCasts(db: Database, snapshots: readonly CastRow[]): Promise<CastRecord[]> {
  if (snapshots.length === 0) return []
  return db<CastRecord[]>`
    with snapshot as (
      select
        g.hash, g.fid, g.ts, g.text, g.parent_fid, g.parent_hash, g.parent_url, g.embeds::jsonb as embeds,
        g.mentions::bigint[] as mentions, g.mention_positions::integer[] as mention_positions, g.signer,
        coalesce(p.thread_hash, g.parent_hash, g.hash) as thread_hash,
        coalesce(p.root_parent_url, g.parent_url) as root_parent_url
      from unnest(
        ${db.types.byteas(snapshots.map(({ hash }) => hash))}::bytea[],
        ${snapshots.map(({ fid }) => fid)}::bigint[],
        ${snapshots.map(({ ts }) => ts)}::bigint[],
        ${db.types.texts(snapshots.map(({ text }) => text))}::text[],
        ${snapshots.map(({ parentFid }) => parentFid)}::bigint[],
        ${db.types.byteas(snapshots.map(({ parentHash }) => parentHash))}::bytea[],
        ${db.types.texts(snapshots.map(({ parentUrl }) => parentUrl))}::text[],
        ${db.types.texts(snapshots.map(({ embeds }) => JSON.stringify(embeds)))}::text[],
        ${db.types.texts(snapshots.map(({ mentions }) => `{${mentions.join(',')}}`))}::text[],
        ${db.types.texts(snapshots.map(({ mentionPositions }) => `{${mentionPositions.join(',')}}`))}::text[],
        ${db.types.byteas(snapshots.map(({ signer }) => signer))}::bytea[]
      ) as g (
        hash, fid, ts, text, parent_fid, parent_hash, parent_url, embeds, mentions, mention_positions, signer
      )
      left join social.casts p on p.hash = g.parent_hash and p.fid = g.parent_fid
    )
    select
      ${castColumns(db)},
      coalesce(
        (
          select json_object_agg(e.url, e.metadata)
          from jsonb_array_elements(c.embeds) as embed
          join embeds.urls e on e.url = embed ->> 'url'
        ),
        '{}'::json
      ) as "urlMetadata"
    from snapshot c
    ${castRelatedColumns(db)}
  `
}

/** The columns of a record, except `urlMetadata`, of a cast `c` joined with `castRelatedColumns`. */
function castColumns(db: Database) {
  return db`
    encode(c.hash, 'hex') as hash, c.fid, c.ts, c.text,
    c.parent_fid as "parentFid", encode(c.parent_hash, 'hex') as "parentHash", c.parent_url as "parentUrl",
    c.root_parent_url as "rootParentUrl", encode(c.thread_hash, 'hex') as "threadHash",
    c.embeds, c.mentions, c.mention_positions as "mentionPositions", a.app_fid as "appFid",
    coalesce(n.likes, 0) as likes, coalesce(n.recasts, 0) as recasts, coalesce(n.replies, 0) as replies,
    case when ch.id is not null then
      json_build_object('id', ch.id, 'name', ch.name, 'imageUrl', ch.image_url)
    end as channel,
    case when ch.id is not null then
      json_build_object(
        'following', exists (
          select 1 from channels.follows f where f.channel_id = ch.id and f.fid = c.fid
        ),
        'role', case when ch.lead_fid = c.fid then 'owner' else (
          select m.role from channels.members m where m.channel_id = ch.id and m.fid = c.fid
        ) end
      )
    end as "authorInChannel"
  `
}

function castRelatedColumns(db: Database) {
  return db`
    left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
    left join social.signer_apps a on a.fid = c.fid and a.key = c.signer
    left join channels.urls cu on cu.url = c.root_parent_url
    left join channels.channels ch on ch.id = cu.channel_id
  `
}
