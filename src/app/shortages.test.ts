import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createMetrics } from '../platform/metrics.js'
import { watchShortages } from './shortages.js'

const DISK_FULL = '53100'
const OUT_OF_MEMORY = '53200'
const READ_ONLY = '25006'

it('a shortage is named after a statement failed of it, and others are not', async () => {
  const shortages = watchShortages(undefined)
  expect(await shortages.read()).toEqual([])
  shortages.note('23505')
  expect(await shortages.read()).toEqual([])
  shortages.note(OUT_OF_MEMORY)
  expect(await shortages.read()).toEqual(['InsufficientMemory'])
  shortages.note(DISK_FULL)
  expect(await shortages.read()).toEqual(['InsufficientStorage', 'InsufficientMemory'])
  shortages.note(READ_ONLY)
  expect(await shortages.read()).toEqual(['InsufficientStorage', 'InsufficientMemory', 'ReadOnly'])
})

it('the metrics count failed statements by shortage, from 0', async () => {
  const shortages = watchShortages(undefined)
  const metrics = createMetrics()
  shortages.note(DISK_FULL)
  shortages.observe(metrics)
  const read = async () =>
    (await metrics.registry.metrics()).split('\n').filter((line) => /^plaza_database/.test(line))
  expect(await read()).toEqual([
    'plaza_database_shortages_total{shortage="InsufficientStorage"} 0',
    'plaza_database_shortages_total{shortage="InsufficientMemory"} 0',
    'plaza_database_shortages_total{shortage="ReadOnly"} 0',
  ])
  for (const state of [DISK_FULL, DISK_FULL, OUT_OF_MEMORY, READ_ONLY, '23505']) shortages.note(state)
  expect(await read()).toEqual([
    'plaza_database_shortages_total{shortage="InsufficientStorage"} 2',
    'plaza_database_shortages_total{shortage="InsufficientMemory"} 1',
    'plaza_database_shortages_total{shortage="ReadOnly"} 1',
  ])
})

it('the directory of an embedded database: no shortage with free space, nor where it cannot be read', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'plaza-shortages-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  expect(await watchShortages(directory).read()).toEqual([])
  expect(await watchShortages(join(directory, 'none')).read()).toEqual([])
})

it.skipIf(process.platform !== 'linux')('a file system without space of its own counts as full', async () => {
  expect(await watchShortages('/proc').read()).toEqual(['InsufficientStorage'])
})
