/**
 * Generates the TypeScript of the protocol's definitions, src/protocol/proto/*.proto, with protoc and ts-proto.
 * Needs `protoc` on the path (Debian: protobuf-compiler). `test/house/proto.test.ts` compares both without it.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const source = 'src/protocol/proto'
const target = join(source, 'generated')

const common = [
  'esModuleInterop=true',
  'importSuffix=.js',
  'forceLong=number',
  'removeEnumPrefix=true',
  'unrecognizedEnum=false',
  'emitImportedFiles=false',
  'exportCommonSymbols=false',
]

/**
 * Fields that a later version adds stay in what the hub gets from elsewhere and encodes again: events of contracts
 * and name proofs. Messages keep their `data_bytes`, and events of the log are stored and sent as bytes.
 */
const groups = [
  { files: ['hub_event', 'message'], options: [] },
  { files: ['onchain_event', 'username_proof'], options: ['unknownFields=true'] },
  {
    files: ['channel_requests', 'network_view', 'request_response', 'rpc'],
    options: ['outputJsonMethods=false', 'outputServices=grpc-js'],
  },
]

/** ts-proto 1 allocates the list of unknown fields for every message; this does it for the first of them. */
function allocateLazily(code) {
  return code
    .replace(/(, |\{ )_unknownFields: \{\} \}/g, '$1}')
    .replace(/^\s*_unknownFields: \{\},\n/gm, '')
    .replaceAll(
      'const list = message._unknownFields![tag];',
      'const unknown = (message._unknownFields ??= {});\n      const list = unknown[tag];',
    )
    .replaceAll('message._unknownFields![tag] = [buf];', 'unknown[tag] = [buf];')
}

/** ts-proto 1 imports two types of grpc-js as values. */
function importTypes(code) {
  return code.replace(/^ {2}(ClientReadableStream|handleServerStreamingCall),$/gm, '  type $1,')
}

/** Members of requests that bound ids or times. */
const bounds = /(message\.(?:fromId|startId|stopId|startTimestamp|stopTimestamp) = )readUint64/g

/** Reads numbers without an object for each of them. */
function readNumbers(code) {
  if (!code.includes('longToNumber(')) return code
  const read = code
    .replaceAll('longToNumber(reader.uint64() as Long)', 'readUint64(reader)')
    .replace(/^function longToNumber[\s\S]*?^}\n\n/m, '')
    .replace(bounds, '$1readBound')
  const readers = read.includes('readBound(') ? 'readBound, readUint64' : 'readUint64'
  return read.replace(/^import _m0 .*$/m, `$&\nimport { ${readers} } from "../uint64.js";`)
}

const edits = [allocateLazily, importTypes, readNumbers]

rmSync(target, { recursive: true, force: true })
mkdirSync(target)
for (const { files, options } of groups) {
  execFileSync('protoc', [
    '--plugin=node_modules/.bin/protoc-gen-ts_proto',
    `--proto_path=${source}`,
    `--ts_proto_out=${target}`,
    `--ts_proto_opt=${[...common, ...options].join(',')}`,
    ...files.map((name) => `${source}/${name}.proto`),
  ])
}
for (const name of readdirSync(target)) {
  const path = join(target, name)
  writeFileSync(
    path,
    edits.reduce((code, edit) => edit(code), readFileSync(path, 'utf8')),
  )
}
