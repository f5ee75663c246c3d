/** What an expression of Prometheus reads: a metric, and the labels that it selects by. */
export interface Selector {
  readonly metric: string
  readonly labels: readonly string[]
}

/** Metrics are named after what has them. Names with a colon are those of recording rules. */
const SELECTOR = /(?<![\w:$"])((?:plaza|nodejs|process)_\w+)(?:\{([^}]*)\})?/g

/** Finds the selectors of an expression. */
export function selectorsOf(expression: string): Selector[] {
  return [...expression.matchAll(SELECTOR)].map(([, metric = '', labels = '']) => ({
    metric,
    labels: [...labels.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label ?? ''),
  }))
}

/** Finds the labels that an expression groups by. */
export function groupedBy(expression: string): string[] {
  return [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  )
}
