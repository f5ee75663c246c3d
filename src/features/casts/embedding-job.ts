import type { Fragment } from '#postgres'
import type { Hydrator } from '../../graph/cache/hydrator.js'
import { MAX_COMPARED, signsOf, vectorBytes } from '../../graph/query/cast-search-ranked.js'
import { type AiClient, AiRefusal, MAX_TEXTS } from '../../platform/ai/ai-client.js'
import {
  AiRequestsUsedUp,
  giveBackEmbeddingRequest,
  takeEmbeddingRequest,
} from '../../platform/ai/daily-requests.js'
import { createPlainTextCheck } from '../../platform/ai/plain-text-check.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { cutText } from '../../platform/text/cut-text.js'

export interface EmbeddingJobOptions {
  readonly db: Database
  readonly hydrator: Hydrator
  readonly aiClient: Pick<AiClient, 'embed' | 'embeddingModel'>
  /** Requests of a UTC day, of which this job uses at most half. */
  readonly dailyLimit: number
  /** Unix milliseconds. */
  readonly clock: () => number
}

const EVERY_MS = 60_000
/** Batches of one run at most: 512 casts a minute. */
const MAX_BATCHES = 8
/** Longer casts are cut for the model. */
const MAX_TEXT_LENGTH = 2_000
/** Shorter texts have no meaning to search for. */
const MIN_TEXT_LENGTH = 3

/** The share of the job is used up: half of the requests of the day. */
class ShareUsedUp extends Error {}

type Embed = NonNullable<AiClient['embed']>

/** A run of the job. */
interface Run extends EmbeddingJobOptions {
  /** Counts the request. Throws ShareUsedUp instead of sending one too many. */
  readonly embed: Embed
  /** Throws AiRefusal if the endpoint refuses even a plain text, so that no cast is to blame. */
  readonly checkPlainText: () => Promise<void>
}

/**
 * Creates the scheduled job that stores vectors of the newest casts for searches by meaning, newest first. Its requests
 * are spread over the day: half of the daily limit is left for requests of apps.
 */
export function createEmbeddingJob(options: EmbeddingJobOptions) {
  const embed = createCountedEmbed(options)
  return {
    name: 'cast embeddings',
    everyMs: EVERY_MS,
    async run(): Promise<void> {
      const run = { ...options, embed, checkPlainText: createPlainTextCheck(() => embed(['hello'])) }
      try {
        for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
          if (!(await embedNewestCasts(run))) break
        }
      } catch (error) {
        // Apps may use up the day, too: the job goes on at midnight.
        if (!(error instanceof ShareUsedUp || error instanceof AiRequestsUsedUp)) throw error
      }
      await deleteUnused(options)
    },
  }
}

/** Creates `embed` of a run. A request that was not sent counts nothing. */
function createCountedEmbed({ db, aiClient, dailyLimit, clock }: EmbeddingJobOptions): Embed {
  return async (texts) => {
    const nowMs = clock()
    if (!(await takeEmbeddingRequest(db, Math.floor(dailyLimit / 2), nowMs))) throw new ShareUsedUp()
    try {
      return await aiClient.embed!(texts)
    } catch (error) {
      if (error instanceof PlazaError && error.code === 'unavailable') {
        await giveBackEmbeddingRequest(db, nowMs)
      }
      throw error
    }
  }
}

/** Embeds one batch. Returns whether there may be more. */
async function embedNewestCasts(options: Run): Promise<boolean> {
  const { db, hydrator } = options
  const missing = await db<{ hash: string; ts: number }[]>`
    select encode(newest.hash, 'hex') as hash, newest.ts
    from (${newestCasts(db)}) newest
    where not exists (
      select from search.embeddings e where e.hash = newest.hash and e.model = ${options.aiClient.embeddingModel}
    )
    order by newest.ts desc, newest.hash desc
    limit ${MAX_TEXTS}
  `
  if (missing.length === 0) return false
  const casts = await hydrator.casts(missing.map(({ hash }) => hash))
  const texts = missing.map((cast) => {
    const text = casts.get(cast.hash)?.parse<{ text: string }>().text ?? ''
    return { ...cast, text: cutText(text, MAX_TEXT_LENGTH) }
  })
  await embedTexts(options, texts)
  return missing.length === MAX_TEXTS
}

/** The casts that have vectors. */
function newestCasts(db: Database): Fragment {
  return db`
    select c.hash, c.ts from social.casts c
    where length(c.text) >= ${MIN_TEXT_LENGTH}
    order by c.ts desc, c.hash desc
    limit ${MAX_COMPARED}`
}

interface CastText {
  readonly hash: string
  readonly ts: number
  readonly text: string
}

/**
 * Splits a batch that the endpoint refuses, so that one text does not hold up the others. A text that is refused alone is
 * stored without a vector.
 */
async function embedTexts(options: Run, texts: readonly CastText[]): Promise<void> {
  const readable = texts.filter(({ text }) => text.trim() !== '')
  await storeVectors(
    options,
    texts.filter(({ text }) => text.trim() === '').map((cast) => ({ ...cast, vector: null })),
  )
  if (readable.length === 0) return
  try {
    const vectors = await options.embed(readable.map(({ text }) => text))
    await storeVectors(
      options,
      readable.map((cast, index) => ({ ...cast, vector: vectors[index]! })),
    )
  } catch (error) {
    if (!(error instanceof AiRefusal)) throw error
    await options.checkPlainText()
    if (readable.length === 1) return await storeVectors(options, [{ ...readable[0]!, vector: null }])
    const half = Math.ceil(readable.length / 2)
    await embedTexts(options, readable.slice(0, half))
    await embedTexts(options, readable.slice(half))
  }
}

async function storeVectors(
  { db, aiClient }: EmbeddingJobOptions,
  casts: readonly (CastText & { readonly vector: Float32Array | null })[],
): Promise<void> {
  if (casts.length === 0) return
  await db`
    insert into search.embeddings (hash, ts, model, signs, vector)
    select decode(hash, 'hex'), ts, ${aiClient.embeddingModel}, signs::bit varying, vector
    from unnest(
      ${db.types.texts(casts.map(({ hash }) => hash))}::text[],
      ${casts.map(({ ts }) => ts)}::bigint[],
      ${db.types.texts(casts.map(({ vector }) => vector && signsOf(vector)))}::text[],
      ${db.types.byteas(casts.map(({ vector }) => vector && vectorBytes(vector)))}::bytea[]
    ) as computed (hash, ts, signs, vector)
    on conflict (hash) do update
    set model = excluded.model, signs = excluded.signs, vector = excluded.vector
  `
}

/**
 * Deletes vectors of casts that are no longer among the newest or were removed. Beside those of removed casts there would
 * be no room for those of the oldest casts that take their place: they would be embedded again in every run.
 */
async function deleteUnused({ db }: EmbeddingJobOptions): Promise<void> {
  await db`
    with newest as materialized (${newestCasts(db)})
    delete from search.embeddings e
    where not exists (select from newest where newest.hash = e.hash)
  `
}
