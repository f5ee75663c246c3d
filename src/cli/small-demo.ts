import type { RunningServer } from '../app/compose.js'
import { demoChannels } from '../demo/channels.js'
import { estimateItems } from '../demo/options.js'
import { loadOrCreateDemo, runDemo } from '../demo/run.js'
import { importChannel } from '../features/channels/channels.js'
import { recomputeScores } from '../features/score/score-job.js'
import type { MergeTally } from '../hub/reorder-buffer.js'
import type { Database } from '../platform/db/connection.js'
import type { CommandContext } from './context.js'
import { progressOf } from './long-command.js'

/** Large enough to fill every page of an app, small enough to be generated in seconds. */
const SMALL = { users: 60, casts: 1500, seed: 'plaza' } as const

/**
 * Fills the server's database with a small demo network, or continues an unfinished one. A database with
 * other users is not changed.
 */
export async function addSmallDemo(
  context: CommandContext,
  { db, hub }: Pick<RunningServer, 'db' | 'hub'>,
  signal: AbortSignal,
): Promise<void> {
  const demo = await loadOrCreateDemo(db, SMALL, Math.floor(Date.now() / 1000))
  if (typeof demo === 'string') {
    context.print(`no demo is added: ${demo}`)
    return
  }
  const progress = progressOf(context, { label: 'demo', unit: 'items', total: estimateItems(demo) })
  const onProgress = (items: number, ofThisRun: number) => progress.update(items, ofThisRun)
  const { outcome, tally } = await runDemo({ db, hub, demo, signal, onProgress })
  if (tally.merged > 0) progress.finish()
  if (outcome === 'complete') await completeDemo(db, tally)
}

/**
 * Adds what follows from the messages of a finished demo: its channels and the scores of its users. Channels that are there
 * already stay, and scores if this run has merged nothing: a server may have computed them of a part of the demo.
 */
export async function completeDemo(db: Database, { merged }: Pick<MergeTally, 'merged'>): Promise<void> {
  const [present] = await db<{ channels: boolean; scores: boolean }[]>`
    select
      exists (select from channels.channels where lead_fid is not null) as channels,
      exists (select from score.runs) as scores
  `
  const now = Math.floor(Date.now() / 1000)
  for (const channel of present!.channels ? [] : await demoChannels(db)) {
    const problem = await importChannel(db, channel, now)
    if (problem !== null) throw new Error(`channel ${channel.id} of the demo: ${problem}`)
  }
  if (merged > 0 || !present!.scores) await recomputeScores(db, { seeds: [], clock: Date.now })
}
