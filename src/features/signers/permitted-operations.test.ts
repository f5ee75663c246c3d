import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { permittedOperations, requiredPermissions } from './permitted-operations.js'

it('the permissions of operations are those of docs/signers.md', () => {
  const [, section = ''] = readFileSync('docs/signers.md', 'utf8').split('\n## Permissions\n')
  const rows = [...section.split('\n## ')[0]!.matchAll(/^\| (`.+`) \| (.+) \|$/gm)]
  const documented = rows.flatMap(([, operations, permission]) =>
    [...operations!.matchAll(/`([^`]+)`/g)].map(([, operation]) => [
      operation,
      permission === 'any write permission' ? 'any write' : permission!.replaceAll('`', ''),
    ]),
  )
  expect(Object.fromEntries(documented)).toEqual(requiredPermissions)
})

it('lists what permissions cover', () => {
  expect(permittedOperations(null)).toHaveLength(Object.keys(requiredPermissions).length)
  expect(permittedOperations(['READ_ONLY'])).toEqual([])
  expect(permittedOperations(['PUBLISH_CAST'])).toEqual(['POST cast', 'POST notifications/seen'])
})
