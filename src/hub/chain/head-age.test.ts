import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { silentLog } from '../../platform/log/log.js'
import { createHeadAge } from './head-age.js'

const MINUTE_MS = 60_000

function open() {
  const registry = new Registry()
  const lines: [object, string][] = []
  const add = (...line: [object, string]) => void lines.push(line)
  let nowMs = 1_000
  const onHead = createHeadAge(registry, { ...silentLog, warn: add, info: add }, () => nowMs)
  return {
    lines,
    /** Reports this block after so many minutes. */
    report(minutes: number, number: number) {
      nowMs += minutes * MINUTE_MS
      onHead('base', number)
    },
    pass(minutes: number) {
      nowMs += minutes * MINUTE_MS
    },
    ages: async () =>
      (await registry.metrics())
        .split('\n')
        .filter((line) => line.startsWith('plaza_chain_head_age_seconds{')),
  }
}

it('a newest block that stays the same: its age grows, and the log says so once until there is a higher one', async () => {
  const { lines, report, ages } = open()
  report(0, 100)
  report(1, 101)
  expect(await ages()).toEqual(['plaza_chain_head_age_seconds{network="base"} 0'])
  report(2, 101)
  // Of another node behind the same URL, which has stopped, too.
  report(2, 99)
  expect(lines).toEqual([])
  report(1, 101)
  report(4, 101)
  expect(await ages()).toEqual(['plaza_chain_head_age_seconds{network="base"} 540'])
  expect(lines).toEqual([
    [{ network: 'base', head: 101, seconds: 300 }, expect.stringContaining('a chain has no new blocks')],
  ])
  report(1, 102)
  expect(await ages()).toEqual(['plaza_chain_head_age_seconds{network="base"} 0'])
  expect(lines.slice(1)).toEqual([[{ network: 'base', head: 102 }, 'a chain has new blocks again']])
})

it('a network that is not asked has no age', async () => {
  const { report, pass, ages } = open()
  report(0, 100)
  report(4, 100)
  pass(5)
  expect(await ages()).toEqual(['plaza_chain_head_age_seconds{network="base"} 240'])
  pass(1)
  expect(await ages()).toEqual([])
})
