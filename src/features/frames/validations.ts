import type { Database } from '../../platform/db/connection.js'
import { runInBatches } from '../../platform/db/run-in-batches.js'
import { storableText } from '../../platform/text/storable-text.js'
import type { FrameAction } from './frame-message.js'

/** How long a validated action counts in analytics. */
export const RETENTION_DAYS = 30
/** Most rows of a list or an analysis. */
export const MAX_ROWS = 1_000
/** Newest actions of a time range that an analysis reads: it takes about as long as a search then. */
export const MAX_ANALYSED_ACTIONS = 100_000
/** Rows deleted per statement, to keep statements short. */
const BATCH = 1_000

/** Records that an app has validated an action. One that it validates again counts once. */
export async function recordValidation(
  db: Database,
  appId: string,
  { message, url, fid, cast, inputText }: FrameAction,
  nowMs: number,
): Promise<void> {
  await db`
    insert into frames.validations (app_id, hash, url, fid, cast_fid, cast_hash, input_text, validated_at)
    values (
      ${appId}, ${message.hash}, ${storableText(url)}, ${fid}::bigint, ${cast?.fid ?? null}::bigint,
      decode(${cast?.hash ?? null}, 'hex'), ${storableText(inputText)}, ${new Date(nowMs)}
    )
    on conflict do nothing`
}

/** Lists the URLs of the frames that an app has validated, in order. */
export async function listValidatedUrls(db: Database, appId: string): Promise<string[]> {
  // Steps through the URLs with one index probe each: a frame may have a million actions.
  const rows = await db<{ url: string }[]>`
    with recursive urls as (
      (select url from frames.validations where app_id = ${appId} order by url limit 1)
      union all
      select (
        select next.url from frames.validations next
        where next.app_id = ${appId} and next.url > urls.url
        order by next.url limit 1
      )
      from urls where urls.url is not null
    )
    select url from urls where url is not null limit ${MAX_ROWS}`
  return rows.map(({ url }) => url)
}

/** The actions of a frame that an analysis counts: from `start` on, before `stop`. */
export interface ValidationRange {
  readonly appId: string
  readonly url: string
  readonly start: Date
  readonly stop: Date
}

/** Counts the users who used a frame. */
export async function countInteractors(db: Database, range: ValidationRange): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(distinct v.fid) as count from ${newestOf(db, range)} v`
  return row!.count
}

/** A user of a frame. */
export interface Interactor {
  readonly fid: number
  readonly username: string | null
  readonly count: number
}

/** Reads the users of a frame, most active first. */
export async function readInteractors(db: Database, range: ValidationRange): Promise<Interactor[]> {
  return await db<Interactor[]>`
    select v.fid, u.username, count(*) as count
    from ${newestOf(db, range)} v
    left join social.users u using (fid)
    group by v.fid, u.username
    order by count desc, v.fid
    limit ${MAX_ROWS}`
}

/** How often a frame was used below a cast within one interval. */
export interface CastInteractions {
  /** Unix seconds. */
  readonly start: number
  /** Hex without 0x. */
  readonly hash: string
  /** Username of the cast's author. */
  readonly username: string | null
  readonly fid: number
  readonly count: number
}

/** Counts the actions below each cast in intervals aligned to 1970-01-01 UTC, newest first. */
export async function readInteractionsPerCast(
  db: Database,
  range: ValidationRange,
  seconds: number,
): Promise<CastInteractions[]> {
  return await db<CastInteractions[]>`
    select
      floor(extract(epoch from v.validated_at) / ${seconds}::integer)::bigint * ${seconds}::integer as start,
      encode(v.cast_hash, 'hex') as hash, v.cast_fid as fid, u.username, count(*) as count
    from ${newestOf(db, range)} v
    left join social.users u on u.fid = v.cast_fid
    where v.cast_hash is not null
    group by 1, 2, 3, 4
    order by start desc, count desc, hash
    limit ${MAX_ROWS}`
}

/** A text that a user entered. */
export interface InputText {
  readonly fid: number
  readonly username: string | null
  readonly text: string
}

/** Reads the texts that users entered, newest first. */
export async function readInputTexts(db: Database, range: ValidationRange): Promise<InputText[]> {
  return await db<InputText[]>`
    select v.fid, u.username, v.input_text as text
    from ${newestOf(db, range)} v
    left join social.users u using (fid)
    where v.input_text <> ''
    order by v.validated_at desc, v.hash
    limit ${MAX_ROWS}`
}

function newestOf(db: Database, { appId, url, start, stop }: ValidationRange) {
  return db`(
    select * from frames.validations
    where app_id = ${appId} and url = ${url} and validated_at >= ${start} and validated_at < ${stop}
    order by validated_at desc
    limit ${MAX_ANALYSED_ACTIONS}
  )`
}

/** Deletes actions that no analysis counts any more. */
export async function deleteExpiredValidations(db: Database): Promise<void> {
  await runInBatches(
    BATCH,
    () => db`
      delete from frames.validations
      where (app_id, hash) in (
        select app_id, hash from frames.validations
        where validated_at < now() - ${RETENTION_DAYS} * interval '1 day'
        order by validated_at
        limit ${BATCH}
      )`,
  )
}
