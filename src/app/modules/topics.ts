import { createTopicsJob } from '../../features/topics/topics-job.js'
import type { Module } from '../module.js'

/** Trending topics, computed from the casts. */
export const topicsModule: Module = {
  name: 'topics',
  runsIn: ['worker'],
  start(app) {
    const { connections, hydrator, clock, log } = app
    const aiClient = app.service('aiClient')
    return { jobs: [createTopicsJob({ db: connections.work, hydrator, aiClient, clock, log })] }
  },
}
