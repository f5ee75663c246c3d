const ERROR_LEVEL = 50
/** What a process prints about failures that nobody caught. */
const failurePattern = /Unhandled|Uncaught|MaxListenersExceeded|DeprecationWarning|FATAL|^\s+at /

/** Lines of a server's output that it should not have: errors of its own, and failures that nobody caught. */
export function failuresIn(output: string): string[] {
  return output.split('\n').filter((line) => {
    const level = levelOf(line)
    return level === null ? failurePattern.test(line) : level >= ERROR_LEVEL
  })
}

function levelOf(line: string): number | null {
  if (!line.startsWith('{')) return null
  try {
    const { level } = JSON.parse(line) as { readonly level?: number }
    return typeof level === 'number' ? level : null
  } catch {
    return null
  }
}
