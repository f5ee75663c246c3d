import { createScoreSchedule } from '../../features/score/score-schedule.js'
import { seedList } from '../../features/score/seeds.js'
import type { Module } from '../module.js'

/** The score of every user, computed in a thread when it is due. */
export const scoreModule: Module = {
  name: 'score',
  runsIn: ['worker'],
  start({ config, connections, databaseUrl, clock, log }) {
    const schedule = createScoreSchedule({
      db: connections.work,
      url: databaseUrl,
      seeds: seedList(config.scoreSeeds),
      intervalHours: config.scoreIntervalHours,
      clock,
      log,
    })
    return { jobs: [schedule], cancelJobs: schedule.stop }
  },
}
