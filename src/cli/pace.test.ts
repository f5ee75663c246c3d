import { describe, expect, it } from 'vitest'
import { Pace } from './pace.js'

const TOTAL = 100_000
const STEP_MS = 100

/** The items per second at a share of the work. */
type Rate = (share: number, second: number) => number

/** Runs work at a rate on a clock of its own; returns estimates with what then really was left, in seconds. */
function run(rate: Rate, start = 0) {
  let nowMs = 1_000_000
  const startedMs = nowMs
  let done = start
  const pace = new Pace()
  const seen: { nowMs: number; share: number; estimate: number | null }[] = []
  while (done < TOTAL) {
    nowMs += STEP_MS
    const second = Math.floor((nowMs - startedMs) / 1000)
    done = Math.min(TOTAL, done + (rate(done / TOTAL, second) * STEP_MS) / 1000)
    pace.add(nowMs, done)
    seen.push({ nowMs, share: done / TOTAL, estimate: pace.secondsLeft(nowMs, done, TOTAL) })
  }
  return seen.map(({ nowMs: atMs, share, estimate }) => ({ share, estimate, left: (nowMs - atMs) / 1000 }))
}

/** The worst ratio of estimate and truth between two shares of the work. */
function worst(seen: ReturnType<typeof run>, from: number, to: number): number {
  const errors = seen
    .filter(({ share }) => share >= from && share <= to)
    .map(({ estimate, left }) => Math.max(estimate! / left, left / estimate!))
  return Math.max(...errors)
}

describe('the time that is left', () => {
  it('is exact at an even pace, also after an earlier run', () => {
    expect(
      worst(
        run(() => 1_000),
        0.05,
        0.99,
      ),
    ).toBeLessThan(1.01)
    expect(
      worst(
        run(() => 1_000, 60_000),
        0.65,
        0.99,
      ),
    ).toBeLessThan(1.01)
  })

  it('is not shown before something is measured, nor while nothing moves', () => {
    const seen = run(() => 1_000)
    expect(seen[29]!.estimate).toBeNull()
    expect(seen[30]!.estimate).toBeCloseTo(96.9)
    const pace = new Pace()
    expect(pace.secondsLeft(60_000, 5, 10)).toBeNull()
    for (const nowMs of [1_000, 60_000]) pace.add(nowMs, 5)
    expect(pace.secondsLeft(60_000, 5, 10)).toBeNull()
  })

  it('is not that of a slow start', () => {
    const pace = new Pace()
    for (let second = 0; second <= 4; second += 1) pace.add(60_000 + second * 1_000, 1_000 * (second + 1))
    expect(pace.secondsLeft(64_000, 5_000, 10_000)).toBe(5)
  })

  it('does not follow each burst and pause', () => {
    const bursts = run((_, second) => (second % 10 < 5 ? 1_800 : 200))
    expect(worst(bursts, 0.3, 0.8)).toBeLessThan(1.35)
  })

  it('follows work that gets slower', () => {
    const slowing = run((share) => 2_000 - 1_000 * share)
    expect(worst(slowing, 0.1, 0.3)).toBeLessThan(1.6)
    expect(worst(slowing, 0.5, 0.95)).toBeLessThan(1.45)
  })

  it('ends at nothing', () => {
    expect(run(() => 777).at(-1)!.estimate).toBe(0)
  })
})
