import { expect, it } from 'vitest'
import { parseReplicaUrls } from '../platform/db/database-url.js'
import { readConfig } from './config/config.js'

it.each([
  ['', []],
  ['postgres://u:p@one/plaza', ['postgres://u:p@one/plaza']],
  [
    'postgres://u:p@one/plaza, postgresql://u:p@two:5433/plaza',
    ['postgres://u:p@one/plaza', 'postgresql://u:p@two:5433/plaza'],
  ],
  [
    'postgres://u@one:1,two:2/plaza,postgres://u@three/plaza',
    ['postgres://u@one:1,two:2/plaza', 'postgres://u@three/plaza'],
  ],
])('the URLs of %j', (text, urls) => {
  expect(parseReplicaUrls(text)).toEqual(urls)
})

it.each(['one.example', 'postgres://one/plaza, two.example'])('%j is refused without its value', (url) => {
  const result = readConfig({ DATABASE_REPLICA_URL: url })
  expect(result).toEqual({ problems: expect.stringMatching(/^DATABASE_REPLICA_URL: its value is not URLs/) })
})

it('a URL that cannot be used is refused with the name of the variable, and without its value', () => {
  const usable = 'postgres://me:hunter2@one/plaza'
  const result = readConfig({
    DATABASE_REPLICA_URL: `${usable},postgres://me:hunter2@two/plaza?sslmode=other`,
  })
  expect(result).toEqual({ problems: expect.stringMatching(/^DATABASE_REPLICA_URL: (?!.*hunter2)/) })
  expect(readConfig({ DATABASE_REPLICA_URL: usable })).toHaveProperty('config')
})
