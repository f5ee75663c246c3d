import type { AiClient } from '../../platform/ai/ai-client.js'
import type { Database } from '../../platform/db/connection.js'
import { DAY_MS } from '../../platform/durations.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import { createTopicDescriber, type DescribeOptions } from './describe-topics.js'
import { storeTopics } from './store-topics.js'
import { clusterFeatures } from './topic-clusters.js'
import { selectTopicFeatures } from './topic-features.js'

export interface TopicsJobOptions extends DescribeOptions {
  /** Describes topics; null without a model. */
  readonly aiClient: Pick<AiClient, 'chat'> | null
}

const EVERY_MS = 10 * 60 * 1000

/** Descriptions that are not written anew, because the model was turned off, end after a day. */
const MAX_DESCRIPTION_AGE_MS = DAY_MS

/** Creates the scheduled job that computes the trending topics. */
export function createTopicsJob(options: TopicsJobOptions) {
  const { db, aiClient, clock } = options
  const describeTopics = aiClient?.chat ? createTopicDescriber(options, aiClient.chat) : null
  return {
    name: 'topics',
    everyMs: EVERY_MS,
    async run(): Promise<void> {
      await computeTopics(db, clock())
      await describeTopics?.()
    },
  }
}

/**
 * Computes the topics of the last 24 hours from the casts (docs/topics.md). The same casts make the same topics.
 *
 * @param nowMs Unix milliseconds.
 */
export async function computeTopics(db: Database, nowMs: number): Promise<void> {
  await db.begin(async (transaction) => {
    await transaction`set local work_mem = '64MB'`
    // Temporary tables are not analyzed by themselves, and compiling takes longer than it saves.
    await transaction`set local jit = off`
    const { features, pairs } = await selectTopicFeatures(transaction, {
      now: farcasterSecondsFromUnixMs(nowMs),
    })
    await storeTopics(transaction, clusterFeatures(features, pairs))
    await transaction`delete from topics.descriptions where described_at < ${nowMs - MAX_DESCRIPTION_AGE_MS}`
  })
}
