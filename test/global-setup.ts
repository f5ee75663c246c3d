import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { connect, type Database } from '../src/platform/db/connection.js'
import { startEmbedded } from '../src/platform/db/embedded.js'
import { migrate } from '../src/platform/db/migrate.js'
import { silentLog } from '../src/platform/log/log.js'
import { makeTestDir, removeStaleTestDirs } from './stale-test-dirs.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database of the server, from which test databases are created. */
    adminUrl: string
    /** Name of the migrated template database, and prefix of all test databases. */
    template: string
    /** How the template is copied: the strategy of `create database`. */
    copyStrategy: 'file_copy' | 'wal_log'
  }
}

/**
 * Durability does not matter here, and `fsync` would take most of the run's time. Files of `src` alone had 141 connections
 * open at once: those with a database for each case close them at their end.
 */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '400' }

interface Server {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts one PostgreSQL for the whole run: an embedded one, or the server of `TEST_DATABASE_URL`, whose role
 * must be allowed to create databases.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = process.env.TEST_DATABASE_URL
  const server = external ? { url: external, stop: async () => {} } : await startOwnServer()
  const run = `plaza_test_${randomBytes(4).toString('hex')}`
  const admin = connect(server.url, { poolSize: 1, applicationName: 'plaza test run' })
  try {
    await admin`create database ${admin(run)} encoding 'UTF8' template template0`
    await migrate(withDatabase(server.url, run), silentLog)
  } catch (error) {
    await admin.end()
    await server.stop()
    throw error
  }
  project.provide('adminUrl', server.url)
  project.provide('template', run)
  // Copying files takes two thirds of the CPU time of copying by the log, but it waits for two checkpoints. Without fsync
  // those are cheap.
  project.provide('copyStrategy', external ? 'wal_log' : 'file_copy')
  return async () => {
    await dropDatabases(admin, run)
    await admin.end()
    await server.stop()
  }
}

async function startOwnServer(): Promise<Server> {
  await removeStaleTestDirs()
  const dataDir = await makeTestDir()
  const embedded = await startEmbedded({
    dataDir,
    command: 'test',
    log: silentLog,
    settings: SETTINGS,
    // Ctrl-C stops the tests and their server.
    detached: false,
  })
  return {
    url: embedded.socketUrl,
    stop: async () => {
      await embedded.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Files that fail to load leave databases behind. Drop them on an external server. */
async function dropDatabases(admin: Database, run: string): Promise<void> {
  const rows = await admin<
    { datname: string }[]
  >`select datname from pg_database where starts_with(datname, ${run})`
  for (const { datname } of rows) await admin`drop database if exists ${admin(datname)} with (force)`
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
