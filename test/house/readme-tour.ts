/** A command of the README, and what it prints there. */
export interface TourStep {
  readonly command: string
  readonly expectedOutput: string
}

/** A file that the reader is asked to write: its name stands before the block that holds it. */
export interface TourFile {
  readonly name: string
  readonly text: string
}

/** Something random, told by its beginning: the next one to read it has another. */
const VALUE = /(?:0x|plaza_)[\w-]+…/

/** The commands in the README's blocks of the language `console`, in order. */
export function tourSteps(readme: string): TourStep[] {
  return blocksOf(readme, 'console').flatMap(({ text }) =>
    text
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = '', ...outputLines] = step.split('\n')
        return { command, expectedOutput: outputLines.join('\n').trim() }
      }),
  )
}

/** Blocks of JavaScript behind "As `name`:". */
export function tourFiles(readme: string): TourFile[] {
  return blocksOf(readme, 'js').flatMap(({ text, before }) => {
    const [, name] = /`([\w.-]+)`:\s*$/.exec(before) ?? []
    return name === undefined ? [] : [{ name, text }]
  })
}

function blocksOf(readme: string, language: string): { text: string; before: string }[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((block) => ({
    text: block[1] ?? '',
    before: readme.slice(0, block.index),
  }))
}

/**
 * What was printed at the places of the values that the README tells by their beginning: `0x7714…` was
 * `0x93ab5e…`. Null when something else was printed than the README shows. `…` alone stands for anything, and
 * lines may be broken elsewhere.
 */
export function compareWithTour(expectedOutput: string, printed: string): ReadonlyMap<string, string> | null {
  const names: string[] = []
  const pattern = expectedOutput
    .split(/((?:0x|plaza_)[\w-]+…|…|\s+)/)
    .map((part) => {
      if (part === '…') return '.*?'
      if (/^\s+$/.test(part)) return '\\s*'
      if (!VALUE.test(part)) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      names.push(part)
      return '([\\w-]+)'
    })
    .join('')
  const found = new RegExp(`^\\s*${pattern}\\s*$`, 's').exec(printed)
  return found && new Map(names.map((name, index) => [name, found[index + 1] ?? '']))
}
