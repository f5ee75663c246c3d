import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { HubServiceService } from '../../protocol/proto/generated/rpc.js'
import { decodeRequest } from './grpc/request.js'
import type { HubMethod } from './hub-method.js'
import { hubMethods } from './hub-methods.js'

const pagingParameters = ['page_size', 'page_token', 'reverse']

it('no two methods have the same name or path', () => {
  const names = hubMethods.flatMap(({ grpc }) => grpc ?? [])
  const routes = hubMethods.flatMap(({ http }) => (http ? [`${http.path} ${http.when ?? ''}`] : []))
  expect(names).toEqual([...new Set(names)])
  expect(routes).toEqual([...new Set(routes)])
})

it('every path has one method without `when`, which names its failures', () => {
  const paths = new Set(hubMethods.flatMap(({ http }) => http?.path ?? []))
  for (const path of paths) {
    const routes = hubMethods.flatMap(({ http }) => (http?.path === path ? [http] : []))
    expect(routes.filter(({ when }) => when === undefined)).toHaveLength(1)
    expect(routes.map(({ failure, when }) => failure === undefined || when === undefined)).not.toContain(
      false,
    )
  }
})

it('a method with `when` comes before the other one on its path', () => {
  const withWhen = hubMethods.filter(({ http }) => http?.when !== undefined)
  const isFirst = ({ http }: HubMethod) => hubMethods.find((other) => other.http?.path === http?.path)?.http
  expect(withWhen.map(isFirst)).toEqual(withWhen.map(({ http }) => http))
})

it('every member that a method reads is in its request of the published definition', () => {
  const unknown = hubMethods.flatMap((method) => {
    if (method.kind === 'write' || !method.grpc) return []
    const request = decodeRequest(method.grpc, Buffer.alloc(0))
    const members = method.fields.flatMap((field) => field.members)
    return members.filter((member) => !(member in request)).map((member) => `${method.grpc}.${member}`)
  })
  expect(unknown).toEqual([])
})

it('docs/hub-api.md lists every method, in the order of the table', () => {
  const [, table] = readFileSync('docs/hub-api.md', 'utf8').split(/<!-- methods:(?:start|end) -->/)
  const header = ['| gRPC | HTTP | parameters |', '|---|---|---|']
  expect(table?.trim().split('\n')).toEqual([...header, ...hubMethods.map(rowOf)])
})

function rowOf(method: HubMethod): string {
  const { grpc, http } = method
  const name = grpc ? `\`${HubServiceService[grpc].path.split('/').at(-1)}\`` : ''
  const verb = method.kind === 'write' ? 'POST' : 'GET'
  const path = http ? `\`${verb} /v1${http.path}\`${http.when ? ` with \`${http.when}\`` : ''}` : ''
  return `| ${name} | ${path} | ${parametersOf(method)} |`
}

const snakeCaseOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function parametersOf(method: HubMethod): string {
  if (method.kind === 'write') return 'bytes'
  // Without the second spelling in camel case.
  const names = method.fields.flatMap((field) => field.parameters)
  const parameters = names.filter((name) => !/[A-Z]/.test(name) || !names.includes(snakeCaseOf(name)))
  const own = parameters.filter((name) => !pagingParameters.includes(name)).map((name) => `\`${name}\``)
  return [...own, ...(own.length < parameters.length ? ['a page'] : [])].join(', ')
}
