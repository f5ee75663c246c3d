import { expect, it } from 'vitest'
import { readConfig } from './config/config.js'
import { parseReplicaUrls } from './read-routing.js'

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
