import { createAi, noAi } from '../../features/ai/ai.js'
import { createEmbeddingJob } from '../../features/casts/embedding-job.js'
import { createAiClient } from '../../platform/ai/ai-client.js'
import { limits } from '../../platform/limits/limits.js'
import { createSharedBudget } from '../../platform/limits/shared-budget.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { version } from '../../platform/process/version.js'
import type { Module } from '../module.js'

/** The AI endpoint of the operator, and the job that embeds casts. Off without `AI_BASE_URL`. */
export const aiModule: Module = {
  name: 'AI',
  runsIn: ['api', 'worker'],
  start({ config, roles, connections, hydrator, clock, log }) {
    if (config.aiBaseUrl === undefined) return { services: { ai: noAi, aiClient: null } }
    // The variable allows http on this machine only.
    const isLocal = config.aiBaseUrl.startsWith('http:')
    const net = createNetClient({
      policy: { allowHttp: isLocal, allowLoopback: isLocal },
      userAgent: `plaza/${version}`,
    })
    const aiClient = createAiClient({
      baseUrl: config.aiBaseUrl.replace(/\/+$/, ''),
      apiKey: config.aiApiKey,
      chatModel: config.aiChatModel,
      embeddingModel: config.aiEmbeddingModel,
      dailyLimit: config.aiDailyLimit,
      timeoutMs: config.aiTimeoutMs,
      net,
      db: connections.write,
      clock,
      log,
    })
    const db = connections.work
    const budget = createSharedBudget(limits.aiRequests, clock, config.aiRateLimit)
    const stopSharing = budget.start(db, log)
    const embedding = createEmbeddingJob({ db, hydrator, aiClient, dailyLimit: config.aiDailyLimit, clock })
    return {
      services: { ai: createAi(aiClient, budget.counter), aiClient },
      jobs: roles.has('worker') && aiClient.embed !== null ? [embedding] : [],
      // Requests have ended; topics ask it, too.
      cancelJobs: net.close,
      async stop() {
        await stopSharing()
        await net.close()
      },
    }
  },
}
