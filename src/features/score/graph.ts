const CHUNK_EDGES = 1 << 20

/** A chunk of endorsements being loaded. */
export interface EdgeChunk {
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly code: Uint8Array
  length: number
}

/** One byte per endorsement: the high bit is a follow, the other seven count likes up to 127. */
export const FOLLOW = 0x80
export const MAX_LIKES = 0x7f

/** A growing list of endorsements with nine bytes each. It grows by chunks, so it is never copied. */
export class EdgeList {
  readonly #chunks: EdgeChunk[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Adds a follow; both are numbers of a `FidIndex`. */
  addFollow(from: number, to: number): void {
    this.#add(from, to, FOLLOW)
  }

  /** Adds likes by `from` of `count` casts of `to`. Repeated counts add up. */
  addLikes(from: number, to: number, count: number): void {
    if (count > 0) this.#add(from, to, Math.min(count, MAX_LIKES))
  }

  /** Yields the chunks, last first, and drops each, since the sort needs the memory. */
  *drain(): Generator<EdgeChunk> {
    for (let chunk = this.#chunks.pop(); chunk !== undefined; chunk = this.#chunks.pop()) {
      this.#length -= chunk.length
      yield chunk
    }
  }

  chunks(): readonly EdgeChunk[] {
    return this.#chunks
  }

  #add(from: number, to: number, code: number): void {
    // Self-endorsements do not count.
    if (from === to) return
    let chunk = this.#chunks.at(-1)
    if (chunk === undefined || chunk.length === CHUNK_EDGES) {
      chunk = {
        from: new Uint32Array(CHUNK_EDGES),
        to: new Uint32Array(CHUNK_EDGES),
        code: new Uint8Array(CHUNK_EDGES),
        length: 0,
      }
      this.#chunks.push(chunk)
    }
    chunk.from[chunk.length] = from
    chunk.to[chunk.length] = to
    chunk.code[chunk.length] = code
    chunk.length += 1
    this.#length += 1
  }
}

/**
 * The endorsement graph by endorsed account (compressed sparse rows).
 *
 * The endorsers of `v` are `source[start[v]] … source[start[v + 1] - 1]`, ascending and distinct. Five bytes
 * per edge.
 */
export interface TrustGraph {
  readonly users: number
  readonly edges: number
  readonly start: Uint32Array
  readonly source: Uint32Array
  /** Endorsement code (`FOLLOW`, `MAX_LIKES`). */
  readonly code: Uint8Array
  /** Number of accounts that each one follows, and of its followers. */
  readonly following: Uint32Array
  readonly followers: Uint32Array
}

/**
 * Sorts endorsements into rows and empties the list: two stable counting sorts, by endorser and then by
 * endorsed.
 *
 * This fixes the order within rows and of every sum over them: the same network gives the same bits.
 */
export function buildGraph(users: number, list: EdgeList): TrustGraph {
  const start = sortByTarget(users, sortBySource(users, list))
  return mergeDuplicates(users, start)
}

interface Rows {
  readonly start: Uint32Array
  readonly other: Uint32Array
  readonly code: Uint8Array
}

function sortBySource(users: number, list: EdgeList): Rows {
  const start = new Uint32Array(users + 1)
  for (const { from, length } of list.chunks()) {
    for (let edge = 0; edge < length; edge += 1) start[from[edge]! + 1]! += 1
  }
  accumulate(start)
  const other = new Uint32Array(list.length)
  const code = new Uint8Array(list.length)
  const next = start.slice()
  for (const chunk of list.drain()) {
    for (let edge = 0; edge < chunk.length; edge += 1) {
      const rowIndex = next[chunk.from[edge]!]!++
      other[rowIndex] = chunk.to[edge]!
      code[rowIndex] = chunk.code[edge]!
    }
  }
  return { start, other, code }
}

function sortByTarget(users: number, bySource: Rows): Rows {
  const start = new Uint32Array(users + 1)
  for (let edge = 0; edge < bySource.other.length; edge += 1) start[bySource.other[edge]! + 1]! += 1
  accumulate(start)
  const other = new Uint32Array(bySource.other.length)
  const code = new Uint8Array(bySource.other.length)
  const next = start.slice()
  for (let from = 0; from < users; from += 1) {
    const end = bySource.start[from + 1]!
    for (let edge = bySource.start[from]!; edge < end; edge += 1) {
      const rowIndex = next[bySource.other[edge]!]!++
      other[rowIndex] = from
      code[rowIndex] = bySource.code[edge]!
    }
  }
  return { start, other, code }
}

/** Converts counts, shifted by one, to row starts. */
function accumulate(start: Uint32Array): void {
  for (let user = 1; user < start.length; user += 1) start[user]! += start[user - 1]!
}

/** Merges adjacent follows and likes of one pair into one edge, in place. */
function mergeDuplicates(users: number, rows: Rows): TrustGraph {
  const { start, other, code } = rows
  const following = new Uint32Array(users)
  const followers = new Uint32Array(users)
  let writeIndex = 0
  let readIndex = 0
  for (let user = 0; user < users; user += 1) {
    const end = start[user + 1]!
    start[user] = writeIndex
    while (readIndex < end) {
      const source = other[readIndex]!
      let merged = code[readIndex]!
      for (readIndex += 1; readIndex < end && other[readIndex] === source; readIndex += 1) {
        merged = mergeCodes(merged, code[readIndex]!)
      }
      other[writeIndex] = source
      code[writeIndex] = merged
      writeIndex += 1
      if (merged >= FOLLOW) {
        followers[user]! += 1
        following[source]! += 1
      }
    }
  }
  start[users] = writeIndex
  return {
    users,
    edges: writeIndex,
    start,
    source: other.subarray(0, writeIndex),
    code: code.subarray(0, writeIndex),
    following,
    followers,
  }
}

function mergeCodes(a: number, b: number): number {
  return ((a | b) & FOLLOW) | Math.min(MAX_LIKES, (a & MAX_LIKES) + (b & MAX_LIKES))
}

/** Whether `from` follows `to`, by binary search in the row of `to`. */
export function follows(graph: TrustGraph, from: number, to: number): boolean {
  let low = graph.start[to]!
  let high = graph.start[to + 1]!
  while (low < high) {
    const middle = (low + high) >>> 1
    if (graph.source[middle]! < from) low = middle + 1
    else high = middle
  }
  return low < graph.start[to + 1]! && graph.source[low] === from && graph.code[low]! >= FOLLOW
}
