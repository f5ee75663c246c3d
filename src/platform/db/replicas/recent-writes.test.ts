import { beforeEach, expect, it, vi } from 'vitest'
import { RecentWrites } from './recent-writes.js'

let nowMs = 0
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  return () => vi.restoreAllMocks()
})

it('a caller that wrote nothing: null, also while the process is younger than writes are remembered', () => {
  nowMs = 50
  const writes = new RecentWrites(1_000)
  writes.add(['key 1'])
  expect(writes.lastOf(['key 2', 'fid 1'])).toBeNull()
  expect(writes.lastOf([])).toBeNull()
})

it('a caller that wrote: its last write, by any of its keys', () => {
  nowMs = 100
  const writes = new RecentWrites(1_000)
  writes.add(['key 1', 'fid 1'])
  nowMs = 200
  writes.add(['fid 1'])
  expect(writes.lastOf(['key 1'])).toBe(100)
  expect(writes.lastOf(['key 1', 'fid 1', 'fid 9'])).toBe(200)
})

it('a write that all replicas have: forgotten', () => {
  nowMs = 100
  const writes = new RecentWrites(1_000)
  writes.add(['key 1'])
  nowMs = 1_100
  expect(writes.lastOf(['key 1'])).toBe(100)
  nowMs = 1_101
  expect(writes.lastOf(['key 1'])).toBeNull()
})
