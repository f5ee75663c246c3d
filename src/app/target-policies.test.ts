import { expect, it } from 'vitest'
import { isNetFailure } from '../platform/outbound/net-failure.js'
import { checkTarget } from '../platform/outbound/target.js'
import { type Config, readConfig } from './config/config.js'
import { crawlerTargetPolicy, savedTargetsOf } from './target-policies.js'

function configOf(env: Readonly<Record<string, string>>): Config {
  const result = readConfig(env)
  return 'problems' in result ? expect.fail(result.problems) : result.config
}

/** Addresses, so that nothing is looked up. */
async function refusalOf(url: string, env: Readonly<Record<string, string>>): Promise<string | null> {
  return (await savedTargetsOf(configOf(env), Date.now).refusalOf(url))?.kind ?? null
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

it('pages are crawled on the ports of web servers, and on any port where loopback is allowed', () => {
  const verdictOf = (url: string, env = {}) => {
    const target = checkTarget(url, crawlerTargetPolicy(configOf(env)))
    return isNetFailure(target) ? target.kind : null
  }
  for (const url of ['https://plaza.social/', 'http://plaza.social/', 'http://plaza.social:443/']) {
    expect(verdictOf(url)).toBeNull()
  }
  for (const url of ['https://plaza.social:4444/', 'http://plaza.social:8080/', 'https://8.8.8.8:8443/']) {
    expect(verdictOf(url)).toBe('forbidden-port')
    expect(verdictOf(url, { ALLOW_PRIVATE_TARGETS: 'loopback' })).toBeNull()
  }
  expect(verdictOf('http://127.0.0.1:3000/', { ALLOW_PRIVATE_TARGETS: 'loopback' })).toBeNull()
})
