// The few forms of Grafana's dashboards that ours have.

const COLUMNS = 24
const HEIGHT = 8
const DATASOURCE = { type: 'prometheus', uid: '$datasource' }

/** A chart over time. Each query is [expression, legend]. */
export function chart(title, unit, queries, { description, stacked = false, width = 8, max } = {}) {
  return {
    type: 'timeseries',
    title,
    ...(description === undefined ? {} : { description }),
    width,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        ...(max === undefined ? {} : { max }),
        custom: {
          fillOpacity: stacked ? 30 : 5,
          showPoints: 'never',
          stacking: { mode: stacked ? 'normal' : 'none' },
        },
      },
      overrides: [],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: targets(queries),
  }
}

/** A number of now, red from `bad` on (or at and below it, if low is bad). Without a series it is empty. */
export function number(title, unit, expression, { bad, lowIsBad = false, description } = {}) {
  const colors = lowIsBad ? ['red', 'green'] : ['green', 'red']
  const steps = [{ color: colors[0], value: null }]
  if (bad !== undefined) steps.push({ color: colors[1], value: bad })
  return {
    type: 'stat',
    title,
    ...(description === undefined ? {} : { description }),
    width: 4,
    height: 4,
    fieldConfig: { defaults: { unit, thresholds: { mode: 'absolute', steps } }, overrides: [] },
    options: { colorMode: 'value', graphMode: 'none', reduceOptions: { calcs: ['lastNotNull'] } },
    // Over a range it would show the last value of a series that has ended, for as long as the range is.
    targets: targets([[expression, '']]).map((target) => ({ ...target, instant: true, range: false })),
  }
}

/** A heading; the panels after it belong to it. */
export function row(title) {
  return { type: 'row', title, width: COLUMNS, height: 1, collapsed: false, panels: [] }
}

/** A dashboard of panels from left to right. Its job and its processes are chosen above it. */
export function dashboard(uid, title, description, panels) {
  return {
    uid,
    title,
    description,
    tags: ['plaza'],
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    schemaVersion: 39,
    time: { from: 'now-3h', to: 'now' },
    timezone: 'browser',
    version: 1,
    links: [
      {
        type: 'dashboards',
        title: 'Plaza',
        tags: ['plaza'],
        asDropdown: true,
        keepTime: true,
        includeVars: true,
      },
    ],
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
        choice('job', 'Job', 'label_values(plaza_event_lag_messages, job)', 'plaza.*'),
        choice('instance', 'Process', 'label_values(plaza_event_lag_messages{job=~"$job"}, instance)', '.*'),
      ],
    },
    annotations: { list: [] },
    panels: placed(panels),
  }
}

/** A variable; `allValue` is the pattern of all values. Some metrics have the names that other programs give theirs, too. */
function choice(name, label, query, allValue) {
  return {
    name,
    label,
    type: 'query',
    datasource: DATASOURCE,
    query: { query, refId: name },
    definition: query,
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue,
    current: { text: 'All', value: '$__all' },
  }
}

function targets(queries) {
  return queries.map(([expr, legendFormat], index) => ({
    refId: String.fromCharCode(65 + index),
    datasource: DATASOURCE,
    expr,
    legendFormat,
  }))
}

function placed(panels) {
  let x = 0
  let y = 0
  let lineHeight = 0
  return panels.map(({ width, height = HEIGHT, ...panel }, index) => {
    if (x + width > COLUMNS) {
      x = 0
      y += lineHeight
      lineHeight = 0
    }
    const gridPos = { x, y, w: width, h: height }
    x += width
    lineHeight = Math.max(lineHeight, height)
    return { id: index + 1, ...panel, ...(panel.type === 'row' ? {} : { datasource: DATASOURCE }), gridPos }
  })
}
