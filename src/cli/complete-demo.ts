import { demoChannels } from '../demo/channels.js'
import { importChannel } from '../features/channels/channels.js'
import { recomputeScores } from '../features/score/score-job.js'
import type { Database } from '../platform/db/connection.js'

/**
 * Adds what follows from the messages of a finished demo: its channels and the scores of its users. What is there
 * already stays.
 */
export async function completeDemo(db: Database): Promise<void> {
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
  if (!present!.scores) await recomputeScores(db, { seeds: [], clock: Date.now })
}
