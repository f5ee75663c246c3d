import { type ChildProcess, spawn } from 'node:child_process'
import { chown, lstat, readlink, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { stopCluster } from '../src/platform/db/cluster.js'
import { readPostmaster } from '../src/platform/db/cluster-process.js'
import { clusterDirectory } from '../src/platform/db/data-dir.js'
import type { SystemUser } from '../src/platform/db/system-user.js'
import { builtCli } from './built-cli.js'
import { makeTestDir } from './stale-test-dirs.js'

/** A `plaza` command that runs as a process. */
export interface CommandProcess {
  readonly child: ChildProcess
  readonly pid: number
  /** Output so far, from both streams. */
  output(): string
  /** Resolves when it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
}

/** A listening `plaza serve`. */
export interface ServerProcess extends CommandProcess {
  readonly url: string
}

export interface CommandOptions {
  readonly dataDir: string
  readonly env?: Readonly<Record<string, string>>
  /** Runs it as this user; requires root. */
  readonly user?: SystemUser
  /** A program and its arguments that run the command, such as `env`. */
  readonly through?: readonly string[]
  /** 'pipe' keeps its standard input open. */
  readonly stdin?: 'pipe'
  /** The program, if it is not this build. */
  readonly cli?: string
  /** When it is killed if it still runs: after the test, or with `afterAll` after those of the file. */
  readonly atEnd?: (end: () => Promise<void>) => void
}

/** Creates a data directory for a test. After the test, processes in it are stopped and it is deleted. */
export async function createDataDir(user?: SystemUser): Promise<string> {
  const dataDir = await makeTestDir()
  if (user !== undefined) await chown(dataDir, user.uid, user.gid)
  onTestFinished(() => removeDataDir(dataDir))
  return dataDir
}

async function removeDataDir(dataDir: string): Promise<void> {
  const directory = await clusterDirectory(dataDir)
  const postmaster = await readPostmaster(directory)
  if (postmaster !== null) await stopCluster(postmaster.pid, directory)
  const link = join(dataDir, 'postgres')
  const isLink = await lstat(link).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )
  if (isLink) await rm(dirname(await readlink(link)), { recursive: true, force: true })
  await rm(dataDir, { recursive: true, force: true })
}

/** Runs a command, and kills it at the end if necessary. */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<CommandProcess> {
  const { dataDir, user, atEnd = onTestFinished } = options
  const call = [...(options.through ?? []), process.execPath, options.cli ?? (await builtCli()), ...args]
  const child = spawn(call[0]!, call.slice(1), {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0', VERIFY_THREADS: '0', ...options.env },
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
    stdio: [options.stdin ?? 'ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk
    })
  }
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  atEnd(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, pid: child.pid ?? 0, output: () => output, ended }
}

/** Starts the server and waits until it listens. */
export async function startServerProcess(options: CommandOptions): Promise<ServerProcess> {
  const command = await runCommand(['serve'], options)
  const url = await new Promise<string>((resolve, reject) => {
    command.child.stdout?.on('data', () => {
      const [, found] = /^listening on (\S+)$/m.exec(command.output()) ?? []
      if (found !== undefined) resolve(found)
    })
    command.ended.then(() => reject(new Error(`the server ended:\n${command.output()}`)), reject)
  })
  return { ...command, url }
}
