import { buildGraph } from '../dist/features/score/graph.js'
import { computeScores, defaultScoreOptions } from '../dist/features/score/scores.js'
import { defaultSeeds } from '../dist/features/score/seeds.js'
import { areaUnderCurve } from './ranking.mjs'
import { printTable } from './report.mjs'
import { generateNetwork, NOW_UNIX } from './score-network.mjs'

/** Measures how well variants of the score separate planted rings from people, by the graph alone. */

const NETWORKS = 5
const SIZE = { users: 5_000, follows: 30 }
const { trust, neighborhoodPenalty } = defaultScoreOptions

const RINGS = {
  'three in ten buy links': { buyers: 0.3 },
  'all buy links': { buyers: 1 },
  'three in ten buy links, nobody follows back': { buyers: 0.3, isOneWay: true },
}

const VARIANTS = {
  current: defaultScoreOptions,
  'without penalty': { ...defaultScoreOptions, neighborhoodPenalty: { ...neighborhoodPenalty, weight: 0 } },
  'penalty for mutual edges only': {
    ...defaultScoreOptions,
    neighborhoodPenalty: { ...neighborhoodPenalty, oneWayShare: 0 },
  },
  'without likes': { ...defaultScoreOptions, trust: { ...trust, likesWeight: 0 } },
  'damping 0.85': { ...defaultScoreOptions, trust: { ...trust, damping: 0.85 } },
}

/** @param {string} seed */
export function printQuality(seed) {
  for (const [rings, options] of Object.entries(RINGS)) {
    const rows = Object.entries(VARIANTS).map(([variant, score]) => {
      const runs = Array.from({ length: NETWORKS }, (_, number) => judge(`${seed} ${number}`, options, score))
      const mean = (/** @type {'area' | 'honest' | 'spam'} */ name) =>
        (runs.reduce((sum, run) => sum + run[name], 0) / NETWORKS).toFixed(3)
      return [variant, mean('area'), mean('honest'), mean('spam')]
    })
    printTable(`Rings of which ${rings}`, [['', 'area', 'people ≥ 0.5', 'spam ≥ 0.5'], ...rows])
  }
}

/**
 * @param {string} seed
 * @param {{ buyers: number, isOneWay?: boolean }} rings
 * @param {import('../dist/features/score/scores.js').ScoreOptions} options
 */
function judge(seed, rings, options) {
  const network = generateNetwork({ seed, ...SIZE, ...rings })
  const graph = buildGraph(network.users, network.edges)
  const seeds = defaultSeeds(graph, network.accounts.registeredAt)
  const { scores } = computeScores(graph, network.accounts, seeds, NOW_UNIX, options)
  const passingShare = (/** @type {0 | 1} */ kind) => {
    const all = scores.filter((_, user) => network.isSpam[user] === kind)
    return all.filter((score) => score >= 0.5).length / all.length
  }
  return { area: areaUnderCurve(scores, network.isSpam), honest: passingShare(0), spam: passingShare(1) }
}
