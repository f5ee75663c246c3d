import { expect, it } from 'vitest'
import postgres from '#postgres'
import { requireOwnDriver } from './driver-check.js'

it('the driver that is loaded has the changes of vendor/postgres', () => {
  expect(() => requireOwnDriver(postgres)).not.toThrow()
})

it('a driver without them is refused, and the error names them', () => {
  const published = Object.assign(() => {}, { toPascal: () => {} })
  expect(() => requireOwnDriver(published)).toThrow(
    /closed connection, .*joined writes, unsent query, ended pool, lost session, kept listener/,
  )
  const older = Object.assign(() => {}, {
    changes: [
      'closed connection',
      'pipelined begin',
      'joined writes',
      'unsent query',
      'ended pool',
      'lost session',
      'kept listener',
      'lost cancel',
    ],
  })
  expect(() => requireOwnDriver(older)).toThrow('lacks changes that Plaza needs (reset transaction)')
})
