import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs commands and the server of a checkout, with an environment. */
export function oldVersion(checkout, env) {
  const options = { cwd: checkout, env: { PATH: process.env.PATH, ...env } }
  const cli = join(checkout, 'dist/cli.js')
  const children = []
  return {
    async plaza(...args) {
      return (await run(process.execPath, [cli, ...args], { ...options, maxBuffer: 1 << 26 })).stdout
    },
    async plazaJson(...args) {
      return JSON.parse((await run(process.execPath, [cli, ...args, '--json'], options)).stdout)
    },
    async serve() {
      const child = spawn(process.execPath, [cli, 'serve'], {
        ...options,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      children.push(child)
      let output = ''
      const url = await new Promise((resolve, reject) => {
        child.once('exit', () => reject(new Error(`the server ended:\n${output}`)))
        child.stdout.on('data', (chunk) => {
          output += chunk
          const found = /^listening on (\S+)$/m.exec(output)?.[1]
          if (found !== undefined) resolve(found)
        })
      })
      return {
        url,
        async stop() {
          const ended = new Promise((resolve) => child.once('exit', resolve))
          child.kill('SIGTERM')
          await ended
        },
      }
    },
    /** Ends servers that a failure has left. */
    kill() {
      for (const child of children) child.kill('SIGKILL')
    },
  }
}

/** Returns a function that sends requests with headers, and fails for a reply that is no success. */
export function clientOf(url, headers) {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
}
