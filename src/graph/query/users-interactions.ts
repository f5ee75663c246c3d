import type { Database } from '../../platform/db/connection.js'
import { type DehydratedUserRow, dehydratedUserColumns } from './dehydrated-user-columns.js'

/** The kinds of interactions between two users, as in the API. */
export const interactionKinds = ['follows', 'recasts', 'likes', 'mentions', 'replies', 'quotes'] as const
export type InteractionKind = (typeof interactionKinds)[number]

/** An interaction of one of two users with the other. */
export interface InteractionRow {
  readonly kind: InteractionKind
  /** The user who acted. */
  readonly fid: number
  /** Farcaster seconds. */
  readonly ts: number
  /**
   * The cast that was liked or recasted, or that mentions, replies or quotes: hex without 0x. Null for a
   * follow.
   */
  readonly hash: string | null
  /** The app that a follow was made with. */
  readonly app: DehydratedUserRow | null
}

/** The limits: the latest reactions of each kind and the latest casts of each of the two users. */
export const interactionWindow = { reactions: 1_000, casts: 1_000, maxShown: 50 } as const

/** Reads the interactions of two users, latest first, at most 50. */
export async function readInteractions(
  db: Database,
  [one, two]: readonly [number, number],
  kinds: readonly InteractionKind[],
): Promise<InteractionRow[]> {
  const includesKind = (kind: InteractionKind) => kinds.includes(kind)
  const { reactions, casts, maxShown } = interactionWindow
  const reactionsOf = (kind: InteractionKind, type: number) => db`
    select ${kind}::text, p.fid, r.ts, r.target_hash, null::json
    from pair p
    cross join lateral (
      select ts, target_hash, target_fid from social.reactions
      where fid = p.fid and type = ${type}::smallint and ${includesKind(kind)}
      order by ts desc, target_hash desc
      limit ${reactions}
    ) r
    where r.target_fid = p.other and exists (
      select 1 from social.casts c where c.hash = r.target_hash and c.fid = p.other
    )`
  return await db<InteractionRow[]>`
    with pair (fid, other) as (
      values (${one}::bigint, ${two}::bigint), (${two}::bigint, ${one}::bigint)
    ), authored as materialized (
      select p.fid, p.other, c.ts, c.hash, c.parent_fid, c.mentions, c.embeds
      from pair p
      cross join lateral (
        select ts, hash, parent_fid, mentions, embeds from social.casts
        where fid = p.fid and ${includesKind('mentions') || includesKind('replies') || includesKind('quotes')}
        order by ts desc, hash desc
        limit ${casts}
      ) c
    ), done (kind, fid, ts, hash, app) as (
      select 'follows', p.fid, f.ts, null::bytea, ${dehydratedUserColumns(db, 'app')}
      from pair p
      join social.follows f on f.fid = p.fid and f.target_fid = p.other
      left join social.signer_apps a on a.fid = f.fid and a.key = f.signer
      left join social.users app on app.fid = a.app_fid
      where ${includesKind('follows')}
      union all
      ${reactionsOf('likes', 1)}
      union all
      ${reactionsOf('recasts', 2)}
      union all
      select 'mentions', fid, ts, hash, null from authored where ${includesKind('mentions')} and other = any (mentions)
      union all
      select 'replies', fid, ts, hash, null from authored where ${includesKind('replies')} and parent_fid = other
      union all
      select 'quotes', s.fid, s.ts, s.hash, null
      from authored s
      where ${includesKind('quotes')} and s.embeds <> '[]'::jsonb
        and exists (
          select 1 from social.quotes q
          where q.hash = s.hash and q.quoted_fid = s.other
            and not exists (select 1 from social.casts c where c.hash = q.quoted_hash and c.fid <> s.other)
        )
    )
    select kind, fid, ts, encode(hash, 'hex') as hash, app
    from done
    order by ts desc, kind, fid, hash
    limit ${maxShown}
  `
}
