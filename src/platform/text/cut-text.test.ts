import { expect, it } from 'vitest'
import { cutText } from './cut-text.js'

it.each([
  ['a🌱b', 1, 'a'],
  ['a🌱b', 2, 'a'],
  ['a🌱b', 3, 'a🌱'],
  ['a🌱b', 9, 'a🌱b'],
])('cuts %s to %i code units, and no character in half', (text, maxLength, expected) => {
  expect(cutText(text, maxLength)).toBe(expected)
})
