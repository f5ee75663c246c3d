import { expect, it } from 'vitest'
import { limits } from './limits.js'
import { createSlots } from './slots.js'

it('refuses when all slots are taken, until one is freed', () => {
  const changes: number[] = []
  const slots = createSlots(limits.eventStreams, 2, (taken) => changes.push(taken))
  const free = slots.take()
  slots.take()
  expect(() => slots.take()).toThrow('too many event streams are open')
  free()
  slots.take()
  expect(changes).toEqual([1, 2, 1, 2])
})
