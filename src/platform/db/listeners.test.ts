import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { startTcpProxy } from '../../../test/tcp-proxy.js'
import type { Database } from './connection.js'

const { db, url, connect } = await createTestDatabase()
const LISTENER = 'plaza test listener'
const CHANNEL = 'of_test'

/** Notifies the channel of the test, and waits until the pool has heard a later notification of another one. */
async function notify(pool: Database): Promise<void> {
  let hear = () => {}
  const heard = new Promise<void>((resolve) => {
    hear = resolve
  })
  const listener = await pool.listen('after_it', () => hear())
  await db`select pg_notify(${CHANNEL}, 'hello'), pg_notify('after_it', '')`
  await heard
  await listener.unlisten()
}

/** Sessions of the listening connection, with their last statements. */
async function readSessions(): Promise<{ pid: number; query: string }[]> {
  return await db<{ pid: number; query: string }[]>`
    select pid, query from pg_stat_activity
    where datname = current_database() and application_name = ${LISTENER}`
}

it('listeners that listen again after their connection was lost: each can be ended, and the last ends the channel', async () => {
  const pool = connect({ poolSize: 1, applicationName: LISTENER })
  const heard: string[] = []
  let listens = 0
  const listen = (name: string) =>
    pool.listen(
      CHANNEL,
      () => heard.push(name),
      () => {
        listens += 1
      },
    )
  const [first, second] = [await listen('first'), await listen('second')]
  const [session] = await readSessions()
  await db`select pg_terminate_backend(${session!.pid}::integer, 60000)`
  await expect.poll(() => listens).toBe(4)
  await notify(pool)
  expect(heard.splice(0)).toEqual(['first', 'second'])
  await first.unlisten()
  await notify(pool)
  expect(heard.splice(0)).toEqual(['second'])
  await second.unlisten()
  expect(await readSessions()).toMatchObject([{ query: `unlisten "${CHANNEL}"` }])
  await notify(pool)
  expect(heard).toEqual([])
})

it('a listener that could not listen: hears nothing later, when others can', async () => {
  const address = new URL(url)
  const proxy = await startTcpProxy(`${address.hostname}:${address.port}`)
  const { target } = proxy
  proxy.target = '127.0.0.1:1'
  const pool = connect({ poolSize: 1, url: Object.assign(new URL(url), { host: proxy.address }).href })
  const heard: string[] = []
  await expect(pool.listen(CHANNEL, (text) => heard.push(text))).rejects.toThrow()
  proxy.target = target
  const listen = () =>
    pool
      .listen('another', () => {})
      .then(
        () => 'listens',
        () => 'failed',
      )
  await expect.poll(listen).toBe('listens')
  await notify(pool)
  expect(heard).toEqual([])
})
