const ERROR_LEVEL = 50
/** What a process prints about failures that nobody caught. */
const failurePattern = /Unhandled|Uncaught|MaxListenersExceeded|DeprecationWarning|FATAL|^\s+at /

/** Lines of a server's output that it should not have: errors of its own, and failures that nobody caught. */
export function failuresIn(output: string): string[] {
  return output.split('\n').filter((line) => {
    const entry = entryOf(line)
    return entry === null ? failurePattern.test(line) : entry.level >= ERROR_LEVEL
  })
}

/** What the driver and PostgreSQL say when connections end, the database starts or stops, and disks are full. */
const outagePattern = /^(CONNECT_TIMEOUT|CONNECTION_|ECONN|EPIPE|ETIMEDOUT|08|57|53|58)/

/** As `failuresIn`, without errors whose cause is a database that was away. */
export function failuresBesideOutages(output: string): string[] {
  return failuresIn(output).filter((line) => !outagePattern.test(entryOf(line)?.err?.code ?? ''))
}

interface LogEntry {
  readonly level: number
  readonly err?: { readonly code?: string }
}

function entryOf(line: string): LogEntry | null {
  if (!line.startsWith('{')) return null
  try {
    const entry = JSON.parse(line) as Partial<LogEntry>
    return typeof entry.level === 'number' ? { ...entry, level: entry.level } : null
  } catch {
    return null
  }
}
