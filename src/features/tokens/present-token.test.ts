import { expect, it } from 'vitest'
import { decimalString } from './present-token.js'

it.each([
  [0, '0'],
  [12.5, '12.5'],
  [1e-7, '0.0000001'],
  [1e-30, '0'],
  [999_999_999_999_999_900_000, '999999999999999900000'],
  [1e21, '1000000000000000000000'],
  [2 ** 100, '1267650600228229401496703205376'],
])('presentToken: a price of %d has no exponent', (value, text) => {
  expect(decimalString(value)).toBe(text)
})
