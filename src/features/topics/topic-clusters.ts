import { createHash } from 'node:crypto'
import type { FeaturePair, TopicFeature } from './topic-features.js'

/** Features that occur together. */
export interface TopicCluster {
  /** Lowercase letters, digits and underscores. */
  readonly slug: string
  /** The feature that names the topic. */
  readonly leading: string
  readonly score: number
  readonly features: readonly string[]
}

/** The maximum number of topics. */
const MAX_TOPICS = 50
const MAX_SLUG_LENGTH = 64

/**
 * Groups features, best first: each joins the first group with whose best feature it occurs, or begins a group.
 *
 * @param features Best first.
 */
export function clusterFeatures(
  features: readonly TopicFeature[],
  pairs: readonly FeaturePair[],
): TopicCluster[] {
  const together = new Set(pairs.map(({ a, b }) => `${a}\n${b}`))
  const groups: TopicFeature[][] = []
  for (const each of features) {
    const group = groups.find(([best]) => together.has(`${best!.feature}\n${each.feature}`))
    if (group) group.push(each)
    else groups.push([each])
  }
  const slugs = new Set<string>()
  return groups.slice(0, MAX_TOPICS).map((group) => {
    const leading = leadingFeature(group)
    const slug = uniqueSlug(slugOf(leading), slugs)
    slugs.add(slug)
    return { slug, leading, score: group[0]!.score, features: group.map(({ feature }) => feature) }
  })
}

/** The best feature; in place of a word, a phrase with it that has at least half of its casts. */
function leadingFeature([best, ...others]: readonly TopicFeature[]): string {
  const { feature, casts } = best!
  if (!feature.startsWith('w ')) return feature
  const phrase = others.find(
    (other) =>
      other.feature.startsWith('p ') &&
      other.feature.split(' ').includes(feature.slice(2)) &&
      2 * other.casts >= casts,
  )
  return phrase?.feature ?? feature
}

function slugOf(feature: string): string {
  const slug = feature
    .slice(2)
    .normalize('NFKD')
    .replace(/\p{M}|'/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_SLUG_LENGTH)
  if (slug !== '') return slug
  // Words in other scripts.
  return `topic_${createHash('sha256').update(feature).digest('hex').slice(0, 8)}`
}

function uniqueSlug(slug: string, taken: ReadonlySet<string>): string {
  let unique = slug
  for (let number = 2; taken.has(unique); number += 1) unique = `${slug}_${number}`
  return unique
}
