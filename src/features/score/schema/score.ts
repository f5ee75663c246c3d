import { type Static, Type } from '@sinclair/typebox'
import { DateTime, Fid, namedObject, nullable, textEnum } from '../../../graph/view/schema/primitives.js'

const Odds = Type.Number({ description: 'Log-odds that this takes away.', examples: [0.75] })

const ScoreSignal = Type.Object(
  {
    object: Type.Literal('score_signal'),
    name: textEnum(['repetition', 'links', 'imbalance', 'burst', 'missing profile', 'new account'], {
      examples: ['missing profile'],
    }),
    value: Type.Number({
      minimum: 0,
      maximum: 1,
      description: '0: absent. 1: fully present.',
      examples: [1],
    }),
    weight: Type.Number({ minimum: 0, examples: [0.75] }),
    takes: Odds,
    found: Type.String({
      description: 'What it is computed from.',
      examples: ['0 of 4 parts of the profile are there'],
    }),
  },
  { $id: 'ScoreSignal', description: 'A spam signal of an account.' },
)
export type ScoreSignal = Static<typeof ScoreSignal>

const EndorsementCounts = Type.Object(
  {
    trusted: Type.Integer({ minimum: 0, description: 'With a score of 0.9 or more.', examples: [12] }),
    between: Type.Integer({ minimum: 0, examples: [30] }),
    doubted: Type.Integer({ minimum: 0, description: 'With a score of 0.5 or less.', examples: [4] }),
    unscored: Type.Integer({ minimum: 0, examples: [1] }),
  },
  { $id: 'EndorsementCounts', description: 'Accounts by their scores.' },
)

const ScoreExplanation = Type.Object(
  {
    object: Type.Literal('score_explanation'),
    fid: Fid,
    score: nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'The stored score. null: none yet.',
        examples: [0.86],
      }),
    ),
    computed_at: nullable(DateTime, { description: 'When scores were last computed. null: never.' }),
    trust: nullable(
      Type.Object(
        {
          log_odds: Type.Number({ examples: [2.6] }),
          probability: Type.Number({ minimum: 0, maximum: 1, examples: [0.93] }),
        },
        {
          $id: 'ScoreTrust',
          description:
            'What the stored score leaves for trust: its log-odds, with all that signals and neighborhood take added ' +
            'again. Trust itself is known only while all scores are computed.',
        },
      ),
      { description: 'null: there is no score.' },
    ),
    signals: Type.Array(ScoreSignal),
    neighborhood: Type.Object(
      {
        endorsed: EndorsementCounts,
        mutual: Type.Integer({
          minimum: 0,
          description: 'Of these, accounts that follow back.',
          examples: [25],
        }),
        penalty: Type.Number({ minimum: 0, examples: [0.05] }),
        weight: Type.Number({ minimum: 0, examples: [4] }),
        takes: Odds,
      },
      { $id: 'ScoreNeighborhood', description: 'Accounts that this one follows or likes.' },
    ),
    followers: EndorsementCounts,
    read_up_to: Type.Integer({
      minimum: 1,
      description:
        'The newest so many follows, followers, likes and casts are read. More make this an estimate.',
      examples: [10_000],
    }),
    is_complete: Type.Boolean({ description: 'Whether there were no more.', examples: [true] }),
  },
  {
    $id: 'ScoreExplanation',
    description: 'Why an account has its score: what it does now, by the formula of the last computation.',
  },
)
export type ScoreExplanation = Static<typeof ScoreExplanation>

export const ScoreExplanationResponse = namedObject('ScoreExplanationResponse', {
  explanation: ScoreExplanation,
})
