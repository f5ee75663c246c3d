import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { createProgram } from './program.js'

async function scriptFor(shell: string): Promise<string> {
  let printed = ''
  const context = {
    env: {},
    print: (line: string) => {
      printed += line
    },
    progress: process.stderr,
    stdin: process.stdin,
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  }
  const program = await createProgram(context, 'completion')
  await program.parseAsync(['node', 'plaza', 'completion', shell])
  return printed
}

const bash = await scriptFor('bash')

/** What bash offers for the last word of a line. */
function completed(line: string): string[] {
  const words = line.split(' ')
  const call = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _plaza`
  const script = `${bash}\n${call}\nprintf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean)
}

it.each([
  ['plaza sta', ['status']],
  ['plaza webhook l', ['list', 'limits', 'listen']],
  ['plaza webhook listen --f', ['--forward-to', '--filter']],
  ['plaza webhook listen --forward-to http://localhost:3000 --ev', ['--events']],
  ['plaza app list --j', ['--json']],
  ['plaza import no-such-f', []],
])('bash completes %s', (line, words) => {
  expect(completed(line)).toEqual(words)
})

it.each(['zsh', 'fish'])('%s: knows every command and its description', async (shell) => {
  const script = await scriptFor(shell)
  for (const text of ['status', 'manage API keys', 'forward-to', "' webhook listen'"]) {
    expect(script).toContain(text)
  }
})

it('refuses another shell', async () => {
  await expect(scriptFor('tcsh')).rejects.toThrow('the shell must be bash, zsh or fish')
})
