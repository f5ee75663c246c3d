import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { configVariables } from '../../src/app/config/config.js'
import { describeError } from '../../src/platform/errors.js'
import { limits, type RateLimit, type SlotLimit } from '../../src/platform/limits/limits.js'

const table: readonly (RateLimit | SlotLimit)[] = Object.values(limits)
const documented = ['docs/api.md', 'docs/hub-api.md'].flatMap((document) =>
  (readFileSync(document, 'utf8').split(/<!-- limits:(?:start|end) -->/)[1] ?? '')
    .trim()
    .split('\n')
    .slice(2),
)

it('docs/api.md and docs/hub-api.md list every limit', () => {
  expect(documented).toEqual(table.map(rowOf))
})

it('the variable of a limit has its default', () => {
  for (const { variable, default: most, defaultText = `\`${most}\`` } of table) {
    if (variable === undefined) continue
    expect(configVariables.find(({ name }) => name === variable)?.defaultText).toBe(defaultText)
  }
})

function rowOf(limit: RateLimit | SlotLimit): string {
  const { scope, unit, per, default: most, defaultText, variable } = limit
  const time = limit.algorithm === 'slots' ? '' : ` in ${limit.windowMs / 1000} s, ${limit.algorithm}`
  const number = defaultText ?? (most === 0 ? 'none' : most.toLocaleString('en'))
  const name = variable === undefined ? '' : `\`${variable}\``
  return `| ${scope} | ${unit}${time} | ${per} | ${number} | ${name} | ${statusOf(limit)} |`
}

function statusOf({ code, transport }: RateLimit | SlotLimit): string {
  if (code === undefined) return 'the client waits'
  const { status, grpc } = describeError(code)
  return transport === 'HTTP' ? `${status}` : grpc.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
}
