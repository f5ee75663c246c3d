import { expect, it } from 'vitest'
import { readConfig } from './config/config.js'
import { savedTargetsOf } from './target-policies.js'

/** Addresses, so that nothing is looked up. */
async function refusalOf(url: string, env: Readonly<Record<string, string>>): Promise<string | null> {
  const result = readConfig(env)
  if ('problems' in result) return expect.fail(result.problems)
  return (await savedTargetsOf(result.config, Date.now).refusalOf(url))?.kind ?? null
}

it('saved targets are checked, unless CHECK_TARGETS_ON_SAVE is false', async () => {
  for (const [url, kind] of [
    ['https://10.0.0.7/', 'forbidden-address'],
    ['https://8.8.8.8:800/', 'forbidden-port'],
  ] as const) {
    expect(await refusalOf(url, {})).toBe(kind)
    expect(await refusalOf(url, { ALLOW_PRIVATE_TARGETS: 'loopback' })).toBe(kind)
    expect(await refusalOf(url, { CHECK_TARGETS_ON_SAVE: 'false' })).toBeNull()
  }
  expect(await refusalOf('https://8.8.8.8/', {})).toBeNull()
})
