import { execFile } from 'node:child_process'
import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** Which programs of a cluster are installed, and where. */

const run = promisify(execFile)
const DEBIAN_BINARIES = '/usr/lib/postgresql'
/** The path, with Debian's place of haproxy, which is not on everybody's path. */
export const SEARCH_PATH = [
  ...(process.env.PATH ?? '').split(delimiter),
  '/usr/sbin',
  '/usr/bin',
  '/bin',
].join(delimiter)

/** What Debian's packages are called whose programs are not here. @returns {string[]} */
export function missingPackages() {
  const missing = Object.entries({ patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy' })
    .filter(([program]) => findProgram(program) === null)
    .map(([, name]) => name)
  return postgresBinaries() === null ? [...missing, 'postgresql'] : missing
}

/** Where a program is; null where it is not installed. @param {string} name */
export function findProgram(name) {
  for (const folder of SEARCH_PATH.split(delimiter)) {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return join(folder, name)
    } catch {
      // Not there.
    }
  }
  return null
}

/** Where the newest PostgreSQL's programs are. */
export function postgresBinaries() {
  try {
    const versions = readdirSync(DEBIAN_BINARIES).filter((name) => /^\d+$/.test(name))
    const newest = Math.max(...versions.map(Number))
    return versions.length === 0 ? null : join(DEBIAN_BINARIES, String(newest), 'bin')
  } catch {
    return null
  }
}

/** PostgreSQL refuses to run as root. */
export async function unprivilegedUser() {
  if (process.getuid?.() !== 0) return null
  const idOf = async (/** @type {string} */ flag) => Number((await run('id', [flag, 'postgres'])).stdout)
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}
