import { readdirSync } from 'node:fs'
import protobuf from 'protobufjs'
import { expect, test } from 'vitest'

/**
 * The code that `npm run proto` generated is what the definitions say: names and numbers of all fields, enums and
 * methods. The definitions are read by another implementation, protobufjs, so no compiler is needed here.
 */
const folder = 'src/protocol/proto'
const files = readdirSync(folder).filter((name) => name.endsWith('.proto'))

const root = new protobuf.Root()
root.resolvePath = (_origin, target) => `${folder}/${target.split('/').at(-1)}`
root.loadSync(files).resolveAll()
const defined = root.nestedArray

interface Codec {
  encode(message: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): Record<string, unknown>
}

const modules: Record<string, unknown>[] = await Promise.all(
  files.map((name) => import(`../../src/protocol/proto/generated/${name.replace('.proto', '')}.ts`)),
)
const generated: Readonly<Record<string, unknown>> = Object.assign({}, ...modules)

const isCodec = (value: unknown): value is Codec =>
  typeof value === 'object' && value !== null && 'decode' in value
/** The type of a map's entries, which only the generated code names. */
const isMapEntry = (name: string) => name.endsWith('Entry')

test('every message and enum is generated, and nothing else is', () => {
  const names = defined.filter((node) => !(node instanceof protobuf.Service)).map(({ name }) => name)
  const own = Object.keys(generated).filter((name) => /^[A-Z]/.test(name) && !name.startsWith('HubService'))
  expect(own.filter((name) => !isMapEntry(name)).sort()).toEqual(names.sort())
})

const messages = defined.filter((node) => node instanceof protobuf.Type)
test.each(messages.map((type) => [type.name, type] as const))(
  '%s: the generated code reads and writes every field as its definition says',
  (name, type) => {
    const codec = generated[name] as Codec
    expect(isCodec(codec)).toBe(true)
    for (const field of type.fieldsArray) {
      const sent = type.encode(type.fromObject({ [field.name]: sampleOf(field, 3) })).finish()
      const read = codec.decode(sent)
      expect(plain(codec.encode(read).finish(), type), field.name).toEqual(plain(sent, type))
      expect(Object.keys(plain(sent, type)), field.name).toEqual([field.name])
      expect(read, field.name).toHaveProperty(field.name)
    }
  },
)

const enums = defined.filter((node) => node instanceof protobuf.Enum)
test.each(enums.map((type) => [type.name, type] as const))(
  '%s: has the values of its definition',
  (name, type) => {
    const values = Object.entries(generated[name] as Record<string, number | string>).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    )
    const prefix = `${name.replace(/[A-Z]/g, (letter, at) => (at ? '_' : '') + letter).toUpperCase()}_`
    const expected = Object.entries(type.values).map(([key, value]) => [
      key.startsWith(prefix) ? key.slice(prefix.length) : key,
      value,
    ])
    expect(values).toEqual(expected)
  },
)

test('the service has the methods of its definition', () => {
  const service = root.lookupService('HubService')
  const methods = Object.values(generated.HubServiceService as Record<string, GeneratedMethod>)
  expect(methods.map(({ path }) => path)).toEqual(
    service.methodsArray.map(({ name }) => `/HubService/${name}`),
  )
  for (const [index, method] of service.methodsArray.entries()) {
    const own = methods[index]!
    expect([own.requestStream, own.responseStream]).toEqual([false, method.responseStream ?? false])
    expect(own.requestDeserialize(Buffer.alloc(0))).toEqual(emptyOf(method.requestType))
    expect(own.responseDeserialize(Buffer.alloc(0))).toEqual(emptyOf(method.responseType))
  }
})

interface GeneratedMethod {
  readonly path: string
  readonly requestStream: boolean
  readonly responseStream: boolean
  readonly requestDeserialize: (bytes: Buffer) => object
  readonly responseDeserialize: (bytes: Buffer) => object
}

const emptyOf = (name: string) => (generated[name] as Codec).decode(Buffer.alloc(0))

/** What protobufjs reads of these bytes by the definition. */
function plain(bytes: Uint8Array, type: protobuf.Type): Record<string, unknown> {
  return type.toObject(type.decode(bytes), { longs: String, bytes: String })
}

/** A value that is not the default of the field; messages are filled to this depth. */
function sampleOf(field: protobuf.Field, depth: number): unknown {
  if (field instanceof protobuf.MapField) return { 7: 9 }
  const one = sampleOfType(field, depth)
  return field.repeated ? [one, one] : one
}

function sampleOfType({ type, resolvedType }: protobuf.Field, depth: number): unknown {
  if (resolvedType instanceof protobuf.Enum) return Math.max(...Object.values(resolvedType.values))
  if (resolvedType instanceof protobuf.Type) {
    const inner = depth === 0 ? [] : resolvedType.fieldsArray.filter((field) => !isLaterMember(field))
    return Object.fromEntries(inner.map((field) => [field.name, sampleOf(field, depth - 1)]))
  }
  if (type === 'string') return 'text'
  if (type === 'bytes') return Buffer.from([1, 2, 3])
  if (type === 'bool') return true
  return type === 'double' ? 1.5 : 300
}

/** A oneof has one member. */
const isLaterMember = ({ partOf, name }: protobuf.Field) => partOf !== null && partOf.oneof[0] !== name
