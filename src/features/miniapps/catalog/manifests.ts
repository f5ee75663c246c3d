import type { Fragment } from '#postgres'
import { enqueueUrls, requeueUrl } from '../../../graph/project/embed-queue.js'
import type { Database, Queryable, Transaction } from '../../../platform/db/connection.js'
import { trendWindowNames } from '../../trend-windows.js'
import type { VerifiedManifest } from './manifest.js'
import { searchWords } from './search-words.js'

/** A domain whose manifest is to be read. */
export interface DueManifest {
  readonly domain: string
  /** Failed reads since the last success. */
  readonly failures: number
}

/** Delays after the first, second, … failure in hours. After the last one the domain is deleted. */
const RETRY_HOURS = [1, 6, 24, 24, 48, 96, 168] as const
/** Failures that may be temporary until a known mini app leaves the catalog: 55 hours. */
const MAX_TRANSIENT_FAILURES = 4
/** Longest failure that is stored. */
const MAX_FAILURE_LENGTH = 500

/** Adds the domain of a crawled page that declares a mini app. */
export async function addEmbeddedMiniApp(db: Transaction, url: string): Promise<void> {
  await db`
    insert into miniapps.manifests (domain)
    select ${new URL(url).host}::text
    from embeds.urls
    where url = ${url} and metadata->'frame' is not null and metadata #>> '{frame,version}' <> 'vNext'
    on conflict do nothing`
}

/** A statement that adds the domains which a select returns. */
export function insertDomains(db: Queryable, domains: Fragment): Fragment {
  return db`insert into miniapps.manifests (domain) ${domains} on conflict do nothing`
}

/** Adds the domains of this server's apps, and those that users of hosts of an older version have added lately. */
export async function addKnownDomains(db: Database): Promise<void> {
  await db`
    insert into miniapps.manifests (domain)
    select mini_app_domain from apps.apps where mini_app_domain is not null
    union
    select domain from miniapps.host_tokens where created_at > now() - interval '1 hour' and state = 'enabled'
    on conflict do nothing`
}

/** Reads the domains that are due, longest first. */
export async function readDueManifests(db: Database, limit: number): Promise<DueManifest[]> {
  return await db<DueManifest[]>`
    select domain, failures from miniapps.manifests
    where next_read_at <= now()
    order by next_read_at
    limit ${limit}::bigint`
}

/** Stores a manifest until the next day, and queues its home page for the crawler. */
export async function storeManifest(db: Database, domain: string, found: VerifiedManifest): Promise<void> {
  const { accountAssociation, authorFid, networks, config } = found
  const { header, payload, signature } = accountAssociation
  const manifest = { account_association: { header, payload, signature }, miniapp: config }
  await db.begin(async (transaction) => {
    // The jitter spreads the reads of domains that were found together.
    await transaction`
      update miniapps.manifests
      set next_read_at = now() + interval '24 hours' + random() * interval '1 hour',
        failures = 0, failure = null, read_at = now(),
        author_fid = ${authorFid}::bigint,
        manifest = ${JSON.stringify(manifest)}::text::jsonb,
        home_url = ${config.home_url},
        category = ${config.primary_category ?? null},
        networks = ${transaction.types.texts(networks)}::text[],
        words =
          setweight(to_tsvector('simple', ${wordsOf(config.name)}), 'A')
          || setweight(to_tsvector('simple', ${wordsOf(domain)}), 'B')
          || setweight(to_tsvector('simple', ${wordsOf(...(config.tags ?? []))}), 'B')
          || setweight(to_tsvector('simple', ${wordsOf(config.subtitle, config.tagline)}), 'C')
          || setweight(to_tsvector('simple', ${wordsOf(config.description)}), 'D'),
        listed = ${config.noindex !== true}
      where domain = ${domain}`
    // Listed from now on; its trends are counted with the next ones.
    await transaction`
      insert into miniapps.trends (time_window, domain, change)
      select name, ${domain}::text, 0 from unnest(${transaction.types.texts(trendWindowNames)}::text[]) as name
      on conflict do nothing`
    await enqueueUrls(transaction, [config.home_url])
    await requeueUrl(transaction, config.home_url)
  })
}

/** The words of texts, separated by spaces. */
function wordsOf(...texts: (string | undefined)[]): string {
  return searchWords(texts.join(' ')).join(' ')
}

/**
 * Records a failure and schedules a retry. A manifest that is wrong leaves the catalog at once, one that cannot be
 * reached after 55 hours; a domain without one is forgotten after two weeks.
 */
export async function storeManifestFailure(
  db: Database,
  { domain, failures }: DueManifest,
  { failure, isTransient }: { readonly failure: string; readonly isTransient: boolean },
): Promise<void> {
  const delayHours = RETRY_HOURS[failures]
  if (delayHours === undefined) {
    await db`delete from miniapps.manifests where domain = ${domain}`
    return
  }
  await db`
    update miniapps.manifests
    set failures = failures + 1,
      failure = ${failure.slice(0, MAX_FAILURE_LENGTH)},
      listed = listed and ${isTransient && failures < MAX_TRANSIENT_FAILURES},
      next_read_at = now() + ${delayHours} * interval '1 hour'
    where domain = ${domain}`
}
