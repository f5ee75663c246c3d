import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseRoles, type Role, roles } from '../platform/process/roles.js'
import { defaultConnections, fewestConnections, splitConnections } from './connections.js'

const someRoles = fc.subarray([...roles], { minLength: 1 }).map((names) => new Set<Role>(names))
const shards = fc.integer({ min: 1, max: 64 })

it('the budget: is the sum of all pools, whatever the roles', () => {
  fc.assert(
    fc.property(someRoles, shards, fc.nat(200), (names, shardCount, extra) => {
      const budget = fewestConnections(names, shardCount) + extra
      const sizes = splitConnections(budget, names, shardCount)
      expect(Object.values(sizes).reduce((sum, size) => sum + size, 0)).toBe(budget)
    }),
  )
})

it('a pool that no role uses: has no connection; every other has its least', () => {
  fc.assert(
    fc.property(someRoles, shards, fc.nat(200), (names, shardCount, extra) => {
      const sizes = splitConnections(fewestConnections(names, shardCount) + extra, names, shardCount)
      expect(sizes.sync > 0).toBe(names.has('sync'))
      expect(sizes.score > 0).toBe(names.has('worker'))
      expect(sizes.work >= 3).toBe(names.has('api') || names.has('worker'))
      expect(sizes.write).toBeGreaterThan(shardCount)
    }),
  )
})

it('the default of 20: is enough for all roles, and split by their weights', () => {
  expect(splitConnections(defaultConnections(new Set(roles), 1), new Set(roles), 1)).toEqual({
    locks: 1,
    listener: 1,
    views: 2,
    write: 2,
    score: 1,
    read: 6,
    work: 4,
    sync: 3,
  })
  expect(fewestConnections(new Set(roles), 1)).toBe(15)
})

it('the defaults of five processes of mixed roles: fit in max_connections = 100', () => {
  const defaults = roles.map((role) => defaultConnections(new Set([role]), 1))
  expect(defaults).toEqual([16, 17, 14])
  const mixed = [...roles, 'api', 'worker'].map((role) => defaultConnections(new Set([role as Role]), 1))
  expect(mixed.reduce((sum, size) => sum + size)).toBeLessThan(97)
})

it('roles: are read from a list between commas', () => {
  expect([...parseRoles('worker, api')]).toEqual(['api', 'worker'])
})
