/** A command of the README and its output. */
export interface TourStep {
  readonly command: string
  readonly expectedOutput: string
}

/** A file that the reader creates. Its name precedes its code block. */
export interface TourFile {
  readonly name: string
  readonly text: string
}

/** A random value, abbreviated after its start: hex, a key, or four digits of a UUID. */
const VALUE = /((?:0x|plaza_)[\w-]+…|\b[0-9a-f]{4}…)/

/** Returns the commands in blocks of the language `console`, in order. */
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

/** Returns JavaScript blocks that follow a file name in backticks and a colon. */
export function tourFiles(readme: string): TourFile[] {
  return blocksOf(readme, 'js').flatMap(({ text, before }) => {
    const [, name] = /`([\w.-]+)`:\s*$/.exec(before) ?? []
    return name === undefined ? [] : [{ name, text }]
  })
}

/** Returns the lines that use the published SDK. */
export function sdkLines(readme: string): string {
  return blocksOf(readme, 'js').find(({ text }) => text.includes('@neynar/nodejs-sdk'))?.text ?? ''
}

function blocksOf(readme: string, language: string): { text: string; before: string }[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((block) => ({
    text: block[1] ?? '',
    before: readme.slice(0, block.index),
  }))
}

/**
 * Returns the printed values for abbreviated ones: `0x7714…` was `0x93ab5e…`. Null if the output differs from
 * the README. `…` alone matches any text, and line breaks may differ.
 */
export function compareWithTour(expectedOutput: string, printed: string): ReadonlyMap<string, string> | null {
  const names: string[] = []
  const pattern = expectedOutput
    .split(/((?:0x|plaza_)[\w-]+…|\b[0-9a-f]{4}…|…|\s+)/)
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
