import { expect, it } from 'vitest'
import { limits } from './limits.js'
import { createSlots } from './slots.js'

const { eventStreams, eventStreamsOfCaller } = limits

it('refuses when all slots are taken, until one is freed', () => {
  const changes: number[] = []
  const onChange = (taken: number) => changes.push(taken)
  const slots = createSlots(eventStreams, eventStreamsOfCaller, { max: 2, onChange })
  const free = slots.take('address 10.0.0.1')
  slots.take('address 10.0.0.2')
  expect(() => slots.take('address 10.0.0.3')).toThrow('too many event streams are open on this server: 2')
  free()
  slots.take('address 10.0.0.3')
  expect(changes).toEqual([1, 2, 1, 2])
})

it('refuses a caller that has all of its own, and no other', () => {
  const slots = createSlots(eventStreams, eventStreamsOfCaller, { maxOfCaller: 1 })
  const free = slots.take('address 10.0.0.1')
  expect(() => slots.take('address 10.0.0.1')).toThrow('of this API key or address are open: 1')
  slots.take('address 10.0.0.2')
  slots.take('key 1')
  free()
  slots.take('address 10.0.0.1')
})
