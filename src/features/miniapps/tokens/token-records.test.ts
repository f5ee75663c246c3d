import { describe, expect, it, onTestFinished } from 'vitest'
import { readTokenRecord } from './token-records.js'

const options = {
  policy: { allowHttp: true, allowLoopback: true },
  clients: new Map<string, number>(),
}
const record = { fid: 3, token: 'tok', url: 'https://client.plazatest.net/n', client_fid: 9 }

/** Reads the time of a token as text, or the problem of its record. */
function timeOf(created_at: unknown): string | null | undefined {
  const token = readTokenRecord({ ...record, created_at }, options)
  return typeof token === 'string' ? token : token.createdAt?.toISOString()
}

describe('the time of a token', () => {
  it.each([
    ['2026-11-01T10:00:00.5Z', '2026-11-01T10:00:00.500Z'],
    ['2026-11-01T10:00:00+02:00', '2026-11-01T08:00:00.000Z'],
    ['2026-11-01 10:00:00.123456+00', '2026-11-01T10:00:00.123Z'],
    ['2026-11-01', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01T10:00:00', '2026-11-01T10:00:00.000Z'],
    ['2026-11-01 10:00', '2026-11-01T10:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ['', undefined],
    [null, undefined],
  ])('%j is %s, in every zone of the process', (text, expected) => {
    const zone = process.env.TZ
    onTestFinished(() => {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    })
    process.env.TZ = 'Asia/Tokyo'
    expect(timeOf(text)).toBe(expected)
  })

  it.each([
    '5',
    '2026-02-30',
    '0000-01-01',
    '9999-12-31T23:59:59-05:00',
    '+010000-01-01',
    'Nov 1 2026',
    5,
    {},
  ])('%j -> a problem of its line, as PostgreSQL cannot store it or it is none', (value) => {
    expect(timeOf(value)).toBe('created_at and updated_at must be times')
  })
})
