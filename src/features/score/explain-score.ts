import type { Database } from '../../platform/db/connection.js'
import { FOLLOW, MAX_LIKES } from './graph.js'
import { type CastCounts, castCounts, castsSince, mostWithinAnHour } from './load-network.js'
import { defaultNeighborhoodPenaltyOptions as neighborhoodOptions } from './neighborhood-penalty.js'
import type { ScoreExplanation, ScoreSignal } from './schema/score.js'
import { type AccountFeatures, defaultSpamSignalWeights, spamPenalty, spamSignalsOf } from './spam-signals.js'
import { codeWeights, defaultTrustOptions } from './trust.js'

/** Follows, followers, likes and casts that are read: their newest. Few accounts have more. */
const READ_UP_TO = 10_000

/**
 * Explains the stored score of an account by the formula of `docs/score.md`: its signals and its neighborhood as they are
 * now, and what the score leaves for trust. Null when there is no such account.
 *
 * @param nowUnix Unix seconds.
 */
export async function explainScore(
  db: Database,
  fid: number,
  nowUnix: number,
): Promise<ScoreExplanation | null> {
  const [account, endorsed] = await Promise.all([readAccount(db, fid, nowUnix), readEndorsed(db, fid)])
  if (account === null) return null
  const values = signalValues(account, nowUnix)
  const neighborhood = neighborhoodOf(endorsed)
  const takes = spamPenalty(values, defaultSpamSignalWeights) + neighborhood.takes
  const { score } = account
  return {
    object: 'score_explanation',
    fid,
    score,
    computed_at: account.computedAt === null ? null : new Date(account.computedAt).toISOString(),
    trust: score === null ? null : trustOf(score, takes),
    signals: signalsJson(account, values),
    neighborhood,
    followers: account.followerScores,
    read_up_to: READ_UP_TO,
    is_complete: [endorsed.length, account.casts, account.following, account.followers].every(
      (count) => count < READ_UP_TO,
    ),
  }
}

/** Accounts by their scores. */
type ScoreBands = ScoreExplanation['followers']

interface AccountRow extends Omit<CastCounts, 'fid'> {
  readonly score: number | null
  /** Unix milliseconds. */
  readonly computedAt: number | null
  /** Unix seconds. */
  readonly registeredAt: number
  readonly profileParts: number
  readonly following: number
  readonly followers: number
  readonly followTimes: number[]
  readonly followerScores: ScoreBands
}

async function readAccount(db: Database, fid: number, nowUnix: number): Promise<AccountRow | null> {
  const { trustedScore, doubtedScore } = neighborhoodOptions
  const recent = db`(
    select * from social.casts c
    where c.fid = ${fid}::bigint and c.ts >= ${castsSince(nowUnix)}::bigint
    order by c.ts desc limit ${READ_UP_TO}
  ) newest`
  const [row] = await db<AccountRow[]>`
    select
      u.score, (select max(finished_at) from score.runs) as "computedAt", u.registered_at as "registeredAt",
      num_nonnulls(u.username, u.display_name, u.pfp_url, u.bio) as "profileParts",
      coalesce(c.following_count, 0) as following, coalesce(c.follower_count, 0) as followers,
      coalesce(said.casts, 0) as casts, coalesce(said.link_casts, 0) as link_casts,
      coalesce(said.wordy_casts, 0) as wordy_casts,
      coalesce(said.different_wordy_casts, 0) as different_wordy_casts,
      array_to_json(array(
        select f.ts from social.follows f where f.fid = u.fid order by f.ts desc limit ${READ_UP_TO}
      )) as "followTimes",
      (
        select json_build_object(
          'trusted', count(*) filter (where other.score >= ${trustedScore}::real),
          'between', count(*) filter (where other.score < ${trustedScore}::real and other.score > ${doubtedScore}::real),
          'doubted', count(*) filter (where other.score <= ${doubtedScore}::real),
          'unscored', count(*) filter (where other.score is null)
        )
        from (
          select f.fid from social.follows f where f.target_fid = u.fid order by f.ts desc limit ${READ_UP_TO}
        ) follower
        join social.users other on other.fid = follower.fid
      ) as "followerScores"
    from social.users u
    left join social.user_counts c on c.fid = u.fid
    left join (${castCounts(db, recent)}) said on said.fid = u.fid
    where u.fid = ${fid}::bigint
  `
  return row ?? null
}

/** The signals, computed by the function that computes all accounts'. */
function signalValues(account: AccountRow, nowUnix: number) {
  const features: AccountFeatures = {
    registeredAt: Float64Array.of(account.registeredAt),
    profileParts: Uint8Array.of(account.profileParts),
    peakFollows: Uint32Array.of(peakFollows(account)),
    casts: Uint32Array.of(account.casts),
    linkCasts: Uint32Array.of(account.link_casts),
    wordyCasts: Uint32Array.of(account.wordy_casts),
    differentWordyCasts: Uint32Array.of(account.different_wordy_casts),
  }
  const degrees = {
    following: Uint32Array.of(account.following),
    followers: Uint32Array.of(account.followers),
  }
  return spamSignalsOf(0, degrees, features, nowUnix)
}

function peakFollows({ followTimes }: AccountRow): number {
  return mostWithinAnHour(Float64Array.from(followTimes))
}

function signalsJson(account: AccountRow, values: ReturnType<typeof signalValues>): ScoreSignal[] {
  const { casts, link_casts, wordy_casts, different_wordy_casts, following, followers } = account
  const registered = new Date(account.registeredAt * 1000).toISOString().slice(0, 10)
  const found: [keyof typeof values, ScoreSignal['name'], string][] = [
    [
      'repetition',
      'repetition',
      `${wordy_casts - different_wordy_casts} of ${wordy_casts} longer casts repeat another`,
    ],
    ['links', 'links', `${link_casts} of ${casts} casts are links without words`],
    ['imbalance', 'imbalance', `follows ${following}, is followed by ${followers}`],
    ['burst', 'burst', `at most ${peakFollows(account)} follows within an hour`],
    ['missingProfile', 'missing profile', `${account.profileParts} of 4 parts of the profile are there`],
    ['newAccount', 'new account', `registered on ${registered}`],
  ]
  return found.map(([key, name, text]) => ({
    object: 'score_signal',
    name,
    value: values[key],
    weight: defaultSpamSignalWeights[key],
    takes: values[key] * defaultSpamSignalWeights[key],
    found: text,
  }))
}

/** An account that the explained one follows or likes. */
interface EndorsedRow {
  readonly score: number | null
  readonly follows: boolean
  readonly likes: number
  readonly isMutual: boolean
}

/** Whether an endorsement is returned is known of follows only: likes have no index by who is liked. */
async function readEndorsed(db: Database, fid: number): Promise<EndorsedRow[]> {
  return await db<EndorsedRow[]>`
    with followed as (
      select f.target_fid as fid from social.follows f
      where f.fid = ${fid}::bigint order by f.ts desc limit ${READ_UP_TO}
    ), liked as (
      select newest.target_fid as fid, count(*)::integer as likes
      from (select r.target_fid from social.reactions r where r.fid = ${fid}::bigint limit ${READ_UP_TO}) newest
      group by 1
    )
    select
      u.score, f.fid is not null as follows, coalesce(l.likes, 0) as likes,
      exists (select from social.follows b where b.fid = u.fid and b.target_fid = ${fid}::bigint) as "isMutual"
    from followed f
    full join liked l using (fid)
    join social.users u using (fid)
    where u.fid <> ${fid}::bigint
  `
}

/** The penalty as `applyNeighborhoodPenalty` computes it, from the stored scores of the others. */
function neighborhoodOf(endorsed: readonly EndorsedRow[]): ScoreExplanation['neighborhood'] {
  const weights = codeWeights(defaultTrustOptions)
  const { weight: penaltyWeight, priorWeight, oneWayShare, trustedScore, doubtedScore } = neighborhoodOptions
  const sums = { mutual: 0, doubtedMutual: 0, doubtedOneWay: 0 }
  const bands = { trusted: 0, between: 0, doubted: 0, unscored: 0 }
  for (const { score, follows, likes, isMutual } of endorsed) {
    const weight = weights[(follows ? FOLLOW : 0) | Math.min(likes, MAX_LIKES)]!
    const doubted =
      weight * Math.min(1, Math.max(0, (trustedScore - (score ?? 1)) / (trustedScore - doubtedScore)))
    if (isMutual) sums.mutual += weight
    sums[isMutual ? 'doubtedMutual' : 'doubtedOneWay'] += doubted
    bands[bandOf(score)] += 1
  }
  const oneWay = oneWayShare * sums.doubtedOneWay
  const penalty = (sums.doubtedMutual + oneWay) / (priorWeight + sums.mutual + oneWay)
  return {
    endorsed: bands,
    mutual: endorsed.filter(({ isMutual }) => isMutual).length,
    penalty,
    weight: penaltyWeight,
    takes: penaltyWeight * penalty,
  }
}

function bandOf(score: number | null): keyof ScoreBands {
  if (score === null) return 'unscored'
  if (score >= neighborhoodOptions.trustedScore) return 'trusted'
  return score <= neighborhoodOptions.doubtedScore ? 'doubted' : 'between'
}

/** Keeps scores of 0 and 1 finite. */
const SMALLEST = 1e-6

function trustOf(score: number, takes: number): ScoreExplanation['trust'] {
  const probability = Math.min(1 - SMALLEST, Math.max(SMALLEST, score))
  const logOdds = Math.log(probability / (1 - probability)) + takes
  return { log_odds: logOdds, probability: 1 / (1 + Math.exp(-logOdds)) }
}
