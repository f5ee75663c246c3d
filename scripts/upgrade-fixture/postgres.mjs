import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Starts a PostgreSQL of the system, and returns its address, a dump of it as plain SQL, and its end. The embedded one comes
 * without `pg_dump`.
 */
export async function startPostgres() {
  const bin = (await run('pg_config', ['--bindir'])).stdout.trim()
  const directory = await mkdtemp(join(tmpdir(), 'plaza-upgrade-'))
  // PostgreSQL refuses to run as root.
  const user = process.getuid() === 0 ? await systemUser('postgres') : {}
  if (user.uid !== undefined) await chown(directory, user.uid, user.gid)
  const data = join(directory, 'data')
  const options = { ...user, cwd: directory }
  await run(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'plaza', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
    options,
  )
  const port = await freePort()
  const settings = ['-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', `${port}`, ...settings], {
    ...options,
    stdio: 'ignore',
  })
  const url = (database) => `postgres://plaza@127.0.0.1:${port}/${database}`
  await untilReady(() => run(join(bin, 'createdb'), ['--maintenance-db', url('postgres'), 'plaza']))
  return {
    url: url('plaza'),
    async dump() {
      // Rows as statements: COPY blocks are no SQL that a driver could send.
      const { stdout } = await run(
        join(bin, 'pg_dump'),
        [
          '--inserts',
          '--rows-per-insert=200',
          '--no-owner',
          '--no-privileges',
          '--no-comments',
          url('plaza'),
        ],
        { maxBuffer: 1 << 30 },
      )
      return stdout.replaceAll(/^\\.*\n/gm, '')
    },
    async stop() {
      server.kill('SIGINT')
      await once(server, 'exit')
      await rm(directory, { recursive: true })
    },
  }
}

async function systemUser(name) {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
  )
  return { uid, gid }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

async function untilReady(attempt) {
  for (let left = 100; ; left -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
