import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { dashboards } from '../../deploy/grafana/dashboards.mjs'
import { groupedBy, selectorsOf } from './expressions.js'
import { type ServedMetrics, startMeasuredServer } from './served-metrics.js'

const RULES = 'deploy/prometheus/plaza.rules.yml'
const RULE_TESTS = 'deploy/prometheus/plaza.rules.test.yml'
const DASHBOARDS = 'deploy/grafana/dashboards'
/** Labels that Prometheus adds to everything that it reads. */
const ADDED_LABELS = ['job', 'instance', 'le']

interface Rule {
  readonly alert?: string
  readonly expr: string
}
interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: readonly { rules: readonly Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const files = readdirSync(DASHBOARDS)
const panels = files.flatMap((file) => {
  const { panels } = JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8')) as { panels: readonly Panel[] }
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ name: `${file}: ${title}`, expr })),
  )
})
const expressions = [...rules.map(({ alert = 'recording rule', expr }) => ({ name: alert, expr })), ...panels]

/** What expressions name that a server does not serve. */
function missingFrom(served: ServedMetrics): string[] {
  return expressions.flatMap(({ name, expr }) =>
    selectorsOf(expr).flatMap(({ metric, labels }) => {
      if (!served.has(metric)) return [`${name}: no metric ${metric}`]
      const known = served.get(metric)
      if (known == null) return []
      const used = [...labels, ...(selectorsOf(expr).length === 1 ? groupedBy(expr) : [])]
      return used
        .filter((label) => !known.has(label) && !ADDED_LABELS.includes(label))
        .map((label) => `${name}: ${metric} has no label ${label}`)
    }),
  )
}

describe('dashboards and alerts', () => {
  it('name only metrics and labels that a running server has', async () => {
    const readServed = await startMeasuredServer()
    // What the database answers late is left out of a reply.
    await expect.poll(async () => missingFrom(await readServed())).toEqual([])
    expect(expressions.length).toBeGreaterThan(60)
  })

  it('count no 501 as a failure: it answers for operations that are not served', () => {
    const failures = expressions.filter(({ expr }) => expr.includes('status=~"5.."'))
    expect(failures.map(({ name }) => name)).toEqual(['recording rule', 'plaza-overview.json: Failed'])
    for (const { expr } of failures) expect(expr).toContain('status=~"5..",status!="501"')
  })

  it('the files of the dashboards are what `npm run dashboards` writes', () => {
    const written = files.map((file) => [file, JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8'))])
    expect(Object.fromEntries(written)).toEqual(
      Object.fromEntries(
        Object.entries(dashboards).map(([name, content]) => [`plaza-${name}.json`, content]),
      ),
    )
  })

  it('every alert has a test', () => {
    const { tests } = parse(readFileSync(RULE_TESTS, 'utf8')) as { tests: readonly { name: string }[] }
    const alerts = rules.flatMap(({ alert = [] }) => alert)
    expect(tests.map(({ name }) => name)).toEqual(expect.arrayContaining(alerts))
  })
})

// Debian: the package prometheus.
describe.skipIf(spawnSync('promtool', ['--version']).status !== 0)('promtool', () => {
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
    return status === 0 ? 'SUCCESS' : `${stdout}${stderr}`
  }

  it('accepts the rules, and their tests pass', () => {
    expect(promtool('check', 'rules', RULES)).toBe('SUCCESS')
    expect(promtool('test', 'rules', RULE_TESTS)).toBe('SUCCESS')
  })

  it.each([
    [
      'Events lost in an hour',
      'plaza_sync_missed_events_total{job="plaza",instance="a",state="lost"}',
      '_x9 1x20',
      '20m',
      1,
    ],
    [
      'Events lost in an hour',
      'plaza_sync_missed_events_total{job="plaza",instance="a",state="lost"}',
      '1x3 _x10 1x80',
      '70m',
      0,
    ],
    ['Events lost in an hour', 'plaza_sync_upstream_age_seconds{job="plaza",instance="a"}', '1x30', '20m', 0],
    [
      'Roles without a process',
      'plaza_role_processes{job="plaza",instance="a",role="worker"}',
      '0x30',
      '20m',
      1,
    ],
    [
      'Roles without a process',
      'plaza_role_processes{job="plaza",instance="a",role="worker"}',
      '2x30',
      '20m',
      0,
    ],
    ['Roles without a process', 'up{job="plaza",instance="a"}', '1x30', '20m', null],
    ['Processes', 'up{job="plaza",instance="a"}', '1x3 stale', '20m', 0],
  ])('the number "%s" after %s %s is, at %s, %s', async (title, series, values, eval_time, value) => {
    const { expr } = panels.find(({ name }) => name.endsWith(`: ${title}`))!
    const chosen = expr.replaceAll('$job', 'plaza.*').replaceAll('$instance', '.*')
    const exp_samples = value === null ? [] : [{ labels: '{}', value }]
    const tests = [
      {
        interval: '1m',
        input_series: [{ series, values }],
        promql_expr_test: [{ expr: chosen, eval_time, exp_samples }],
      },
    ]
    const folder = await mkdtemp(join(tmpdir(), 'plaza-rules-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'panel.test.yml')
    await writeFile(file, stringify({ tests }))
    expect(promtool('test', 'rules', file)).toBe('SUCCESS')
  })

  it('accepts the expressions of the dashboards', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plaza-rules-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'panels.yml')
    const asRules = panels.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }))
    await writeFile(file, stringify({ groups: [{ name: 'panels', rules: asRules }] }))
    expect(promtool('check', 'rules', file)).toBe('SUCCESS')
  })
})
