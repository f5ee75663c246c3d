import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.js'
import { documentFiles } from './document-files.js'

const program = await createProgram({
  env: {},
  print: () => {},
  progress: process.stderr,
  stdin: process.stdin,
  stdout: process.stdout,
  onStopSignal: () => {},
  onDatabaseStop: () => () => {},
})

it('docs/commands.md describes every command; `npm run docs:commands` writes it', async () => {
  await expect(pageOf(program)).toMatchFileSnapshot('../../docs/commands.md')
})

it('every documented call names existing commands and options', () => {
  const wrong = documentFiles.flatMap((document) =>
    callsIn(readFileSync(document, 'utf8'))
      .map((call) => ({ call, problem: problemOf(call) }))
      .filter(({ problem }) => problem !== null)
      .map(({ call, problem }) => `${document}: ${call}: ${problem}`),
  )
  expect(wrong).toEqual([])
})

it('every command has a description', () => {
  const undocumented = commandsOf(program).filter((command) => command.description() === '')
  expect(undocumented.map(nameOf)).toEqual([])
})

/** Returns all executable commands in the order of the help. */
function commandsOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(commandsOf)
}

/** Returns the full name, such as `plaza key create`. */
function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()
}

function pageOf(root: Command): string {
  return [
    '# Commands',
    '',
    '<!-- Written by `npm run docs:commands` from the commands. -->',
    '',
    'In a checkout, `plaza` is `npm run -s plaza --`. All commands read the environment variables of the server',
    '([configuration.md](configuration.md)). Commands that need the database also work while a server runs. They create the schema of an',
    'empty database, and refuse one of an earlier version: `plaza migrate` and the start of a server migrate it.',
    ...commandsOf(root).flatMap(sectionOf),
    '',
  ].join('\n')
}

function sectionOf(command: Command): string[] {
  const rows = [
    ...command.registeredArguments.map((argument) => [`<${argument.name()}>`, argument.description]),
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => [
        option.flags,
        [
          option.description,
          option.mandatory ? 'required' : '',
          ...(option.defaultValue === undefined ? [] : [`default: ${option.defaultValue}`]),
        ]
          .filter((text) => text !== '')
          .join('; '),
      ]),
  ]
  const table = rows.map(([name, text]) => `| \`${name}\` | ${text} |`)
  return [
    '',
    `## ${nameOf(command)}`,
    '',
    `${sentence(command.description())}`,
    '',
    `    ${nameOf(command)} ${usageOf(command)}`.trimEnd(),
    ...(table.length === 0 ? [] : ['', '| | |', '|---|---|', ...table]),
  ]
}

/** Removes `[options]` if there are none except help. */
function usageOf(command: Command): string {
  return command.options.length > 0 ? command.usage() : command.usage().replace('[options]', '').trimStart()
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Returns calls in code blocks and code spans, such as `plaza key create --app NAME`, without comments. */
function callsIn(markdown: string): string[] {
  const blocks = markdown.match(/^ {4}.*$/gm) ?? []
  const spans = [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span ?? '')
  return [...blocks, ...spans].flatMap((line) => {
    const [, call] = /^\s*(?:\$ )?(?:plaza|npm run -s plaza --) ([a-z].*?)(?:\s+#.*)?$/.exec(line) ?? []
    return call === undefined ? [] : [call]
  })
}

/** Returns why the call would fail, or null. */
function problemOf(call: string): string | null {
  let command: Command = program
  for (const word of call.split(/\s+/)) {
    const next = command.commands.find((each) => each.name() === word)
    if (next) command = next
    else if (command.commands.length > 0) {
      // A page may name the group `plaza key`.
      return `there is no command ${nameOf(command)} ${word}`
    } else break
  }
  const options = [...call.matchAll(/(?<=\s\[?)--[a-z-]+/g)].map(([option]) => option)
  const unknown = options.filter((option) => !command.options.some(({ long }) => long === option))
  return unknown.length === 0 ? null : `${nameOf(command)} has no ${unknown.join(', ')}`
}
