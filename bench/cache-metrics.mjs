/** Hit shares of caches, from what a server counts. */

/**
 * @typedef {Record<string, { hits: number, misses: number }>} CacheCounts By the name of the cache.
 */

/**
 * Every counter of a server that is about hits and misses of a cache, whatever it is called: `…cache…{…outcome="hit"}`, or
 * `…_hits_total` beside `…_misses_total`.
 *
 * @param {string} url
 * @returns {Promise<CacheCounts>}
 */
export async function readCacheCounts(url) {
  const answer = await fetch(`${url}/metrics`)
  if (!answer.ok) return {}
  /** @type {CacheCounts} */
  const counts = {}
  for (const line of (await answer.text()).split('\n')) {
    const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? ([\d.e+]+)$/.exec(line) ?? []
    const [, kind] = /"(hit|miss)"/.exec(labels) ?? /_(hit|miss)(?:e?s)_total$/.exec(name ?? '') ?? []
    if (name === undefined || kind === undefined) continue
    const others = labels.split(',').filter((label) => !/"(hit|miss)"/.test(label))
    const cache = [name.replace(/^plaza_|_?(hits|misses|lookups)?_total$/g, ''), ...valuesOf(others)].join(
      ' ',
    )
    counts[cache] ??= { hits: 0, misses: 0 }
    counts[cache][kind === 'hit' ? 'hits' : 'misses'] += Number(value)
  }
  return counts
}

/** @param {string[]} labels */
function valuesOf(labels) {
  return labels.flatMap((label) => /"(.*)"/.exec(label)?.[1] ?? [])
}

/**
 * @param {CacheCounts} before
 * @param {CacheCounts} after
 * @returns {CacheCounts} of caches that were asked in between.
 */
export function cacheCountsBetween(before, after) {
  return Object.fromEntries(
    Object.entries(after)
      .map(([cache, { hits, misses }]) => {
        const { hits: hitsBefore = 0, misses: missesBefore = 0 } = before[cache] ?? {}
        return /** @type {const} */ ([cache, { hits: hits - hitsBefore, misses: misses - missesBefore }])
      })
      .filter(([, { hits, misses }]) => hits + misses > 0),
  )
}
