import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import {
  copyFile,
  mkdir,
  readFile,
  readlink,
  realpath,
  rename,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Log } from '../log/log.js'
import type { ClusterLocation } from './cluster.js'
import { type Binaries, copyBinaries, findBinaries } from './embedded-binaries.js'
import { canEnter, canReach, chooseUser, ownerOf, type SystemUser } from './system-user.js'

/** Location of files that PostgreSQL's user cannot access in `DATA_DIR` or `node_modules`. */
const SYSTEM_DIR = '/var/lib/plaza'

const CLUSTER = 'postgres'
const PASSWORD_FILE = 'postgres.password'
const LOG_FILE = 'postgres.log'
/** The log has at most twice as much: what is above it becomes the previous log. */
const MAX_LOG_BYTES = 16 * 1024 * 1024

/**
 * Creates the data directory if necessary, and returns its real path. If root owns it, other users may pass
 * through it, because PostgreSQL runs as another user; secret files have mode 0600.
 */
export async function openDataDir(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  return realpath(path)
}

/** Whether the data directory has a cluster. */
export function hasCluster(directory: string): boolean {
  return existsSync(join(directory, 'PG_VERSION'))
}

/** Finds location, user and binaries of the cluster of this data directory, which may not exist yet. */
export async function findClusterLocation(
  dataDir: string,
  log: Log,
  systemDir = SYSTEM_DIR,
): Promise<ClusterLocation> {
  const found = await clusterDirectory(dataDir)
  const logFile = join(dataDir, LOG_FILE)
  if (found !== join(dataDir, CLUSTER)) checkLink(dataDir, found, logFile, log)
  const user = hasCluster(found) ? await clusterOwner(found) : await chooseUser(log)
  const directory = await reachableDirectory(dataDir, found, user, log, systemDir)
  const binaries = await reachableBinaries(user, log, systemDir)
  await boundClusterLog(logFile)
  return { directory, logFile, binaries, user }
}

/** Moves the lines of a log that has become too long to the previous log. PostgreSQL appends to it, and may be running. */
export async function boundClusterLog(logFile: string, limitBytes: number = MAX_LOG_BYTES): Promise<void> {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size <= limitBytes) return
  await copyFile(logFile, `${logFile}.1`)
  await truncate(logFile)
}

/** Returns `DATA_DIR/postgres`, or the target of that link. */
export async function clusterDirectory(dataDir: string): Promise<string> {
  const path = join(dataDir, CLUSTER)
  return readlink(path).then(
    (target) => resolve(dataDir, target),
    () => path,
  )
}

/** Reads the password of the cluster's role; null before the first start. */
export async function readPassword(dataDir: string): Promise<string | null> {
  return readFile(join(dataDir, PASSWORD_FILE), 'utf8').catch(() => null)
}

/** Creates the password of a new cluster. It is on disk before the cluster, so that a crash loses neither. */
export async function createPassword(dataDir: string): Promise<string> {
  const password = randomBytes(24).toString('hex')
  const file = join(dataDir, PASSWORD_FILE)
  await writeFile(`${file}.draft`, password, { mode: 0o600 })
  await rename(`${file}.draft`, file)
  return password
}

/** Says where the linked cluster is; throws if it is gone. A first start that crashed before it was created has no log yet. */
function checkLink(dataDir: string, directory: string, logFile: string, log: Log): void {
  if (!hasCluster(directory) && (existsSync(logFile) || !existsSync(dirname(directory)))) {
    throw new Error(
      `${join(dataDir, CLUSTER)} is a link to ${directory}, where no database is: mount its disk or restore that directory, ` +
        'or remove the link to begin with an empty database',
    )
  }
  log.info({ directory }, 'the database is outside of DATA_DIR: a backup needs this directory as well')
}

async function clusterOwner(directory: string): Promise<SystemUser | null> {
  const owner = await ownerOf(directory)
  const root = process.getuid?.() === 0
  if (root && owner === null) {
    throw new Error(`${directory} belongs to root, but PostgreSQL does not run as root: change its owner`)
  }
  if (!root && owner !== null) {
    throw new Error(
      `${directory} belongs to another user (${owner.name}): start as root or as that user, or choose another DATA_DIR`,
    )
  }
  return owner
}

async function reachableDirectory(
  dataDir: string,
  found: string,
  user: SystemUser | null,
  log: Log,
  systemDir: string,
): Promise<string> {
  const clusterPath = join(dataDir, CLUSTER)
  if (user === null || found !== clusterPath || (await canEnter(user, dataDir))) return found
  if (existsSync(clusterPath)) {
    throw new Error(
      `PostgreSQL's user (${user.name}) cannot access ${clusterPath}: let it pass through ${dataDir}, or move that directory ` +
        `to one that it can access, such as ${systemDir}, and put a link to it in its place`,
    )
  }
  const directory = join(systemDir, 'clusters', randomBytes(6).toString('hex'), CLUSTER)
  await mkdir(join(directory, '..'), { recursive: true, mode: 0o755 })
  await symlink(directory, clusterPath)
  log.info(
    { user: user.name, directory },
    `PostgreSQL's user cannot access ${dataDir}: the database is in another directory`,
  )
  return directory
}

async function reachableBinaries(user: SystemUser | null, log: Log, systemDir: string): Promise<Binaries> {
  const binaries = await findBinaries()
  if (user === null) return binaries
  const samplePaths = [binaries.postgres, join(binaries.root, 'lib'), join(binaries.root, 'share/postgresql')]
  const reachable = await Promise.all(samplePaths.map((path) => canReach(user, path)))
  if (!reachable.includes(false)) return binaries
  const copy = await copyBinaries(binaries, systemDir)
  log.info(
    { user: user.name, directory: copy.root },
    `PostgreSQL's user cannot access ${binaries.root}: it was copied`,
  )
  return copy
}
