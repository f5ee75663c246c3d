import { type ChildProcess, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'

/** An example that runs as its README says, with a port of its own. */
export interface ExampleProcess {
  readonly child: ChildProcess
  /** Output so far, from both streams. */
  output(): string
  /** Waits until its output matches, and returns the first group. */
  waitFor(pattern: RegExp): Promise<string>
}

/** Starts `examples/<path>` in `folder`, until the test ends. */
export function startExample(
  path: string,
  env: Readonly<Record<string, string>>,
  folder = process.cwd(),
): ExampleProcess {
  const child = spawn(process.execPath, [`${process.cwd()}/examples/${path}`], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const watchers = new Set<() => void>()
  const checkAll = () => {
    for (const check of watchers) check()
  }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
      checkAll()
    })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    child,
    output: () => output,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = pattern.exec(output)
          if (found) resolve(found[1] ?? found[0])
        }
        watchers.add(check)
        void ended.then(() => reject(new Error(`${path} ended:\n${output}`)))
        check()
      }),
  }
}
