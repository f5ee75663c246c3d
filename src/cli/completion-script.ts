// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of shells
import type { Command } from 'commander'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** Whether there is a completion for this shell. */
export function isShell(name: string): name is Shell {
  return shells.some((shell) => shell === name)
}

/** A command and what may follow it. */
interface Point {
  /** The words of the command, each behind a space: empty for `plaza` itself. */
  readonly line: string
  readonly words: readonly {
    readonly text: string
    readonly description: string
    readonly isOption: boolean
  }[]
}

/** Writes the script for a shell. It has all words in it, so that completing starts no process. */
export function completionScript(program: Command, shell: Shell): string {
  const points = pointsOf(program, '')
  const write = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell]
  return write(points)
}

function pointsOf(command: Command, line: string): Point[] {
  const subcommands = command.commands.map((each) => ({
    text: each.name(),
    description: each.description(),
    isOption: false,
  }))
  const options = command.options.flatMap(({ hidden, long, description }) =>
    hidden || !long ? [] : [{ text: long, description, isOption: true }],
  )
  const help = { text: '--help', description: 'show the options', isOption: true }
  const own = { line, words: [...subcommands, ...options, help] }
  return [own, ...command.commands.flatMap((each) => pointsOf(each, `${line} ${each.name()}`))]
}

/** The pattern of a `case` that the lines of all commands match. */
function commandLines(points: readonly Point[], separator: string): string {
  return points
    .filter(({ line }) => line !== '')
    .map(({ line }) => quoted(line))
    .join(separator)
}

function bashScript(points: readonly Point[]): string {
  const cases = points.map(({ line, words }) => {
    const choices = words.map(({ text }) => text).join(' ')
    return `    ${quoted(line)}) choices=${quoted(choices)} ;;`
  })
  return [
    '# Completion of plaza for bash: eval "$(plaza completion bash)"',
    '_plaza() {',
    '  local cur="${COMP_WORDS[COMP_CWORD]}" line="" choices="" i',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    case "$line ${COMP_WORDS[i]}" in',
    `      ${commandLines(points, '|')}) line="$line \${COMP_WORDS[i]}" ;;`,
    '    esac',
    '  done',
    '  case "$line" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$choices" -- "$cur"))',
    '}',
    '# Where no word fits: files.',
    'complete -o default -F _plaza plaza',
  ].join('\n')
}

function zshScript(points: readonly Point[]): string {
  const cases = points.map(({ line, words }) => {
    const choices = words.map(({ text, description }) => quoted(`${text}:${oneLine(description)}`))
    return `    ${quoted(line)}) choices=(${choices.join(' ')}) ;;`
  })
  return [
    '#compdef plaza',
    '# Completion of plaza for zsh: eval "$(plaza completion zsh)"',
    '_plaza() {',
    '  local line="" word',
    '  local -a choices',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    '    case "$line $word" in',
    `      ${commandLines(points, '|')}) line="$line $word" ;;`,
    '    esac',
    '  done',
    '  case "$line" in',
    ...cases,
    '  esac',
    '  _describe plaza choices || _files',
    '}',
    'compdef _plaza plaza',
  ].join('\n')
}

function fishScript(points: readonly Point[]): string {
  const completions = points.flatMap(({ line, words }) =>
    words.map(({ text, description, isOption }) => {
      const word = isOption ? `-l ${text.slice(2)}` : `-f -a ${text}`
      return `complete -c plaza -n "__plaza_at '${line}'" ${word} -d ${fishQuoted(oneLine(description))}`
    }),
  )
  return [
    '# Completion of plaza for fish: plaza completion fish | source',
    'function __plaza_at',
    "    set -l line ''",
    '    for word in (commandline -opc)[2..-1]',
    '        switch "$line $word"',
    `            case ${commandLines(points, ' ')}`,
    '                set line "$line $word"',
    '        end',
    '    end',
    '    test "$line" = "$argv[1]"',
    'end',
    ...completions,
  ].join('\n')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
