import type { Command } from 'commander'
import { recomputeScores, type ScoreStep, type ScoreSummary } from '../features/score/score-job.js'
import { seedList } from '../features/score/seeds.js'
import { type CommandContext, loadConfig } from './context.js'
import { withDatabase } from './with-database.js'

const stepLabels: Record<ScoreStep, string> = {
  accounts: 'reading accounts',
  casts: 'reading casts',
  follows: 'reading follows',
  likes: 'reading likes',
  scores: 'computing',
  writing: 'writing what changed',
}

/** `plaza score` */
export function addScoreCommand(program: Command, context: CommandContext): void {
  program
    .command('score')
    .description("compute every account's score anew; `serve` does it by itself")
    .action(() => {
      const seeds = seedList(loadConfig(context).scoreSeeds)
      const stopping = new AbortController()
      context.onStopSignal(() => stopping.abort(new Error('stopped; what was written stays')))
      return withDatabase(context, 'score', async (db) => {
        const summary = await recomputeScores(db, {
          seeds,
          clock: Date.now,
          signal: stopping.signal,
          onStep: (step) => context.print(stepLabels[step]),
        })
        for (const line of summary === null ? ['another process is at it'] : describe(summary)) {
          context.print(line)
        }
      })
    })
}

function describe(summary: ScoreSummary): string[] {
  const count = (number: number) => number.toLocaleString('en-US')
  const origin = summary.seedsChosen ? 'chosen: SCORE_SEEDS names none that is here' : 'of SCORE_SEEDS'
  const quantiles = Object.entries(summary.quantiles).map(([name, score]) => `${name} ${score.toFixed(2)}`)
  const seconds = (summary.durationMs / 1000).toFixed(1)
  return [
    `${count(summary.users)} accounts, ${count(summary.edges)} endorsements, in ${seconds} s`,
    `${count(summary.seeds.length)} seeds (${origin})`,
    ...(summary.unknownSeeds.length > 0 ? [`no account: ${summary.unknownSeeds.join(', ')}`] : []),
    `scores: ${quantiles.join(', ')}`,
    `${count(summary.changed)} changed`,
  ]
}
