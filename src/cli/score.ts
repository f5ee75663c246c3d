import type { Command } from 'commander'
import { recomputeScores, type ScoreStep, type ScoreSummary } from '../features/score/score-job.js'
import { seedList } from '../features/score/seeds.js'
import { type CommandContext, loadConfig } from './context.js'
import { stopSignal } from './long-command.js'
import { withDatabase } from './with-database.js'

const stepLabels: Record<ScoreStep, string> = {
  accounts: 'reading accounts',
  casts: 'reading casts',
  follows: 'reading follows',
  likes: 'reading likes',
  scores: 'computing',
  writing: 'writing changes',
}

/** `plaza score` */
export function addScoreCommand(command: Command, context: CommandContext): void {
  command.action(() => {
    const seeds = seedList(loadConfig(context).scoreSeeds)
    const signal = stopSignal(context, new Error('stopped; scores that were written stay'))
    return withDatabase(context, 'score', async (db) => {
      const summary = await recomputeScores(db, {
        seeds,
        clock: Date.now,
        signal,
        onStep: (step) => context.print(stepLabels[step]),
      })
      for (const line of summary === null ? ['another process computes scores'] : describe(summary)) {
        context.print(line)
      }
    })
  })
}

function describe(summary: ScoreSummary): string[] {
  const count = (number: number) => number.toLocaleString('en-US')
  const origin = summary.seedsChosen
    ? 'selected, because SCORE_SEEDS names no known account'
    : 'from SCORE_SEEDS'
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
