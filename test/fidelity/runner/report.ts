import { hex } from '../judge/message.js'
import { describe, describeFault, type Tally } from './tally.js'

/** The agreement of both sides by class, the documented differences, and examples of all others. */
export function reportOf(tally: Tally): string {
  return [...classTable(tally), '', ...documentedTable(tally), '', ...undocumentedList(tally), ''].join('\n')
}

const columns = ['messages', 'merged', 'verdict', 'code', 'text', 'documented', 'undocumented']

function classTable(tally: Tally): string[] {
  const names = [...tally.classes.keys()].sort()
  const width = Math.max(...names.map((name) => name.length), 5)
  const line = (name: string, cells: readonly (string | number)[]) =>
    [name.padEnd(width), ...cells.map((cell) => String(cell).padStart(12))].join(' ')
  const rows = names.map((name) => {
    const count = tally.classes.get(name)!
    return line(name, [
      count.messages,
      count.merged,
      percent(count.equalVerdicts, count.messages),
      percent(count.equalCodes, count.messages),
      percent(count.equalTexts, count.texts),
      count.documented,
      count.undocumented,
    ])
  })
  const all = [...tally.classes.values()]
  const sum = (member: 'messages' | 'merged' | 'equalVerdicts' | 'equalCodes' | 'equalTexts' | 'texts') =>
    all.reduce((total, count) => total + count[member], 0)
  const total = line('all', [
    sum('messages'),
    sum('merged'),
    percent(sum('equalVerdicts'), sum('messages')),
    percent(sum('equalCodes'), sum('messages')),
    percent(sum('equalTexts'), sum('texts')),
    all.reduce((count, { documented }) => count + documented, 0),
    all.reduce((count, { undocumented }) => count + undocumented, 0),
  ])
  return [line('class', columns), ...rows, total]
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(2)}%`
}

function documentedTable(tally: Tally): string[] {
  const rows = [...tally.documented].sort((a, b) => b[1] - a[1])
  return ['documented differences:', ...rows.map(([row, count]) => `${String(count).padStart(8)}  ${row}`)]
}

const MAX_SHOWN_DIGITS = 4000

function shortened(digits: string): string {
  return digits.length <= MAX_SHOWN_DIGITS
    ? digits
    : `${digits.slice(0, MAX_SHOWN_DIGITS)}… (${digits.length / 2} bytes)`
}

function undocumentedList(tally: Tally): string[] {
  const found = [...tally.undocumented.values()].sort((a, b) => b.count - a.count)
  if (found.length === 0) return ['undocumented differences: none']
  return [
    `undocumented differences: ${found.length} kinds`,
    ...found.flatMap(({ count, example }) => [
      `${String(count).padStart(8)}  ${example.className}, ${example.call}, network ${example.network}`,
      `          reference: ${describe(example.reference)}`,
      `          plaza:     ${describeFault(example.plaza)}`,
      `          bytes:     ${shortened(hex(example.bytes))}`,
    ]),
  ]
}
