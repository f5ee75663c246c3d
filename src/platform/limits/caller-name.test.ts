import { expect, it } from 'vitest'
import { callerAt } from './caller-name.js'

it.each([
  ['192.0.2.1', 'address 192.0.2.1'],
  ['::ffff:192.0.2.1', 'address 192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', 'address 2001:db8:1:2'],
  ['2001:0DB8:1:2::9', 'address 2001:db8:1:2'],
  ['2001:db8::1', 'address 2001:db8:0:0'],
  ['::1', 'address 0:0:0:0'],
  ['fe80::1%eth0', 'address fe80:0:0:0'],
  // As some gateways write them into X-Forwarded-For.
  ['192.0.2.1:5678', 'address 192.0.2.1'],
  ['[2001:db8::1]:4711', 'address 2001:db8:0:0'],
  ['[2001:db8::1]', 'address 2001:db8:0:0'],
  ['[::ffff:192.0.2.1]:80', 'address 192.0.2.1'],
  ['unknown', 'address unknown'],
])('%s pays as %s', (address, caller) => {
  expect(callerAt(address)).toBe(caller)
})
