import type { Fragment } from '#postgres'
import { type Viewer, visibilityFilter } from '../../../graph/query/visibility-filter.js'
import type { HtmlMetadata, MiniAppManifest } from '../../../graph/view/schema/url-metadata.js'
import type { Database } from '../../../platform/db/connection.js'
import type { TrendWindow } from '../../trend-windows.js'

/** A listed mini app. */
export interface ListedMiniApp {
  readonly domain: string
  readonly authorFid: number
  readonly manifest: Required<Pick<MiniAppManifest, 'account_association' | 'miniapp'>>
  /** Metadata of the home page; null until it was crawled. */
  readonly html: HtmlMetadata | null
}

/** A mini app in the order of a list: by rank, highest first, then by domain. */
export interface RankedMiniApp extends ListedMiniApp {
  readonly rank: number
}

/** Selection and bounds of a page. */
export interface MiniAppPage extends Pick<Viewer, 'banningAppId'> {
  /** Requires one of these networks, or none at all; undefined for all. */
  readonly networks?: readonly string[] | undefined
  readonly limit: number
  /** Rank and domain of the last mini app of the previous page. */
  readonly after: readonly [rank: number, domain: string] | null
}

/** Reads the mini apps of the catalog by the change of their use within a window. */
export async function readCatalog(
  db: Database,
  window: TrendWindow,
  { categories, ...page }: MiniAppPage & { readonly categories?: readonly string[] | undefined },
): Promise<RankedMiniApp[]> {
  const ofCategories =
    categories === undefined ? db`` : db`and m.category = any (${db.types.texts(categories)}::text[])`
  return await db<RankedMiniApp[]>`
    select ${shownColumns(db)}, t.change as rank
    from miniapps.trends t
    join miniapps.manifests m using (domain)
    left join embeds.urls h on h.url = m.home_url
    where t.time_window = ${window} and ${isOnPage(db, page, db`t.change`)} ${ofCategories}
    order by t.change desc, m.domain
    limit ${page.limit}::bigint`
}

/**
 * Reads the mini apps whose name, domain, tags or description have all words of the query, best match first.
 *
 * @param tsquery For `to_tsquery('simple', …)`.
 */
export async function searchMiniApps(
  db: Database,
  tsquery: string,
  page: MiniAppPage,
): Promise<RankedMiniApp[]> {
  const rank = db`ts_rank(m.words, q.query)::float8`
  return await db<RankedMiniApp[]>`
    select ${shownColumns(db)}, ${rank} as rank
    from to_tsquery('simple', ${tsquery}) as q (query)
    join miniapps.manifests m on m.words @@ q.query
    left join embeds.urls h on h.url = m.home_url
    where ${isOnPage(db, page, rank)}
    order by rank desc, m.domain
    limit ${page.limit}::bigint`
}

/** A mini app, and the users close to the viewer who shared it, closest first. */
export interface RelevantMiniApp extends ListedMiniApp {
  readonly fids: readonly number[]
}

/** Viewer and bounds of a list of relevant mini apps. */
export interface RelevantQuery extends Viewer {
  readonly viewerFid: number
  /** Count in addition to users whom the viewer follows, and before them. */
  readonly bestFriends: readonly number[]
  readonly networks?: readonly string[] | undefined
  /** Farcaster seconds. */
  readonly since: number
  readonly limit: number
}

/** Reads the mini apps that most users close to the viewer have shared; a best friend counts twice. */
export async function readRelevant(db: Database, query: RelevantQuery): Promise<RelevantMiniApp[]> {
  const { viewerFid, bestFriends, since, limit } = query
  return await db<RelevantMiniApp[]>`
    with best as (
      select fid from unnest(${[...bestFriends]}::bigint[]) as fid
    ),
    close as (
      select target_fid as fid from social.follows where fid = ${viewerFid}::bigint
      union
      select fid from best
    ),
    sharers as (
      select distinct s.domain, s.fid
      from close
      join miniapps.shares s on s.fid = close.fid and s.ts > ${since}::bigint
      where s.fid <> ${viewerFid}::bigint and ${visibilityFilter(db, query, 's.fid')}
    ),
    shared as (
      select s.domain, count(*) + count(b.fid) as weight,
        array_agg(s.fid order by b.fid is null, coalesce(u.score, 0) desc, s.fid) as fids
      from sharers s
      join miniapps.manifests m using (domain)
      join social.users u on u.fid = s.fid
      left join best b on b.fid = s.fid
      where ${isShown(db, query)}
      group by s.domain
      order by weight desc, s.domain
      limit ${limit}::bigint
    )
    select ${shownColumns(db)}, shared.fids
    from shared
    join miniapps.manifests m using (domain)
    left join embeds.urls h on h.url = m.home_url
    order by shared.weight desc, m.domain`
}

/** Columns of a list over `m` (manifests) and `h` (home pages). */
function shownColumns(db: Database): Fragment {
  return db`m.domain, m.author_fid as "authorFid", m.manifest, h.metadata->'html' as html`
}

function isShown(db: Database, { networks, ...viewer }: Viewer & Pick<MiniAppPage, 'networks'>): Fragment {
  const ofNetworks =
    networks === undefined
      ? db``
      : db`and (m.networks = '{}' or m.networks && ${db.types.texts(networks)}::text[])`
  return db`m.listed and ${visibilityFilter(db, viewer, 'm.author_fid')} ${ofNetworks}`
}

function isOnPage(db: Database, page: Omit<MiniAppPage, 'limit'>, rank: Fragment): Fragment {
  if (page.after === null) return isShown(db, page)
  const [lastRank, lastDomain] = page.after
  return db`
    ${isShown(db, page)} and ${rank} <= ${lastRank}::float8
    and (${rank} < ${lastRank}::float8 or m.domain > ${lastDomain} collate "C")`
}
