// Compiles contracts/*.sol into contracts/compiled.json, and the collection that the server deploys into its feature. With --check it writes nothing and fails if that
// file differs from the result. A digest of the sources in the file detects this without the compiler, which
// takes ten seconds.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import solc from 'solc'

const folder = new URL('../contracts/', import.meta.url)
const output = new URL('compiled.json', folder)
/** The contract that the server deploys. */
const deployedOutput = new URL('../src/features/nfts/assets/collection.json', import.meta.url)

const names = readdirSync(folder)
  .filter((name) => name.endsWith('.sol'))
  .sort()
const sources = Object.fromEntries(
  names.map((name) => [name, { content: readFileSync(new URL(name, folder), 'utf8') }]),
)
const settings = {
  evmVersion: 'cancun',
  // Without the IR pipeline, hashing a signed key addition exceeds the stack.
  viaIR: true,
  optimizer: { enabled: true, runs: 200 },
  // Metadata of the compiler depends on the machine.
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
}

const result = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })))
const problems = result.errors ?? []
for (const { formattedMessage } of problems) console.error(formattedMessage)
if (problems.some(({ severity }) => severity === 'error')) process.exit(1)

const contracts = {}
for (const file of names) {
  for (const [name, { abi, evm }] of Object.entries(result.contracts[file] ?? {})) {
    // Interfaces and abstract contracts have no bytecode.
    if (evm.bytecode.object === '') continue
    contracts[name] = {
      abi,
      bytecode: `0x${evm.bytecode.object}`,
      deployedBytecode: `0x${evm.deployedBytecode.object}`,
    }
  }
}
const digest = createHash('sha256').update(JSON.stringify(sources)).digest('hex')
const compiled = `${JSON.stringify({ compiler: solc.version(), digest, contracts })}\n`
const { abi, bytecode } = contracts.Collection
const deployed = `${JSON.stringify({ abi, bytecode })}\n`

if (process.argv.includes('--check')) {
  if (readFileSync(output, 'utf8') !== compiled || readFileSync(deployedOutput, 'utf8') !== deployed) {
    console.error('contracts/compiled.json is not what contracts/*.sol make: npm run contracts')
    process.exit(1)
  }
} else {
  writeFileSync(output, compiled)
  writeFileSync(deployedOutput, deployed)
  for (const [name, { deployedBytecode }] of Object.entries(contracts)) {
    console.log(`${name}: ${deployedBytecode.length / 2 - 1} bytes`)
  }
}
