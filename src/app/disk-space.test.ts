import { expect, it } from 'vitest'
import { silentLog } from '../platform/log/log.js'
import { diskSpaceJob, readFreeBytes } from './disk-space.js'

const GIB = 2 ** 30

/** Runs the job on a disk with so many free bytes at each run; returns the texts of its log. */
async function logOf(freeBytes: readonly number[]): Promise<string[]> {
  const lines: string[] = []
  const note = (fields: object, text: string) => lines.push(`${JSON.stringify(fields)} ${text}`)
  const left = [...freeBytes]
  const job = diskSpaceJob('/data', { ...silentLog, warn: note, info: note }, async () => left.shift()!)
  while (left.length > 0) await job.run()
  return lines
}

it('a disk that becomes almost full -> one warning that says what to do, until it has space again', async () => {
  const warning = expect.stringMatching(/"directory":"\/data".* almost full: free space, or move DATA_DIR/)
  expect(await logOf([3 * GIB, GIB])).toEqual([])
  expect(await logOf([GIB - 1, 0, GIB + 1, 5])).toEqual([warning])
  expect(await logOf([0, 2 * GIB, 5 * GIB, 0])).toEqual([
    warning,
    expect.stringContaining('has space again'),
    warning,
  ])
})

it.skipIf(process.platform !== 'linux')(
  'reads the disk of the directory; one that cannot be read is not full',
  async () => {
    expect(await readFreeBytes('/proc')).toBe(0)
    expect(await readFreeBytes('/no/such/directory')).toBe(Number.POSITIVE_INFINITY)
  },
)
