import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { builtCli } from '../built-cli.js'

const run = promisify(execFile)

/** Returns a data URL module with this text. */
const moduleOf = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`

/**
 * Reports each loaded module immediately: output of hooks to the console is lost if the program ends first.
 */
const watchImports = moduleOf(`
  import { register } from 'node:module'
  register(${JSON.stringify(
    moduleOf(`import { writeSync } from 'node:fs'
    export async function resolve(name, context, next) {
      const found = await next(name, context)
      for (;;) {
        try {
          writeSync(1, found.url + '\\n')
          return found
        } catch (error) {
          // The pipe is full until the test reads on.
          if (error.code !== 'EAGAIN') throw error
        }
      }
    }`),
  )})`)

/** Builds the command line of the compiler's output, whose modules have names, and returns its modules. */
async function modulesOfProgram(commandName: string): Promise<string[]> {
  await builtCli()
  const script = `await (await import('./dist/cli/program.js')).createProgram({}, ${commandName})`
  return (await modulesOf(script)).flatMap((url) => /\/dist\/(\S+)$/.exec(url)?.[1] ?? [])
}

/** Runs a script and returns the URLs of the modules that it loads. */
async function modulesOf(script: string): Promise<string[]> {
  const args = ['--import', watchImports, '--input-type=module', '--eval', script]
  const { stdout } = await run(process.execPath, args, { maxBuffer: 10_000_000 })
  return stdout.split('\n').filter((url) => url !== '')
}

it('the help of all commands loads none of them', async () => {
  expect(await modulesOfProgram("'--help'")).toEqual(['cli/program.js', 'platform/process/version.js'])
})

it('options and descriptions of commands load neither the hub nor the server', async () => {
  const loaded = await modulesOfProgram('undefined')
  expect(loaded).toContain('cli/reconcile.js')
  expect(
    loaded.filter((path) => /^(app\/(compose|open-hub)|hub\/create-hub|cli\/serve)\.js$/.test(path)),
  ).toEqual([])
})

it('the server loads neither the protocol library of tests nor all chains', async () => {
  await builtCli()
  const loaded = await modulesOf("await import('./dist/app/compose.js')")
  expect(loaded.some((url) => url.includes('/vendor/postgres/'))).toBe(true)
  expect(loaded.filter((url) => /node_modules\/(@farcaster|@faker-js|postgres)\//.test(url))).toEqual([])
  expect(loaded.filter((url) => /chains\/definitions\//.test(url)).length).toBeLessThan(10)
})

const openTracing = (config: object) => `
  import { Registry } from 'prom-client'
  const { openTracing } = await import(process.cwd() + '/dist/app/open-tracing.js')
  const tracing = await openTracing(${JSON.stringify(config)}, null, new Registry())
  console.log('traces: ' + tracing.isOn)`

it('the SDK of OpenTelemetry is loaded where tracing is on, and nowhere else', async () => {
  await builtCli()
  const load = async (config: object) => {
    const args = ['--import', watchImports, '--input-type=module', '--eval', openTracing(config)]
    return (await run(process.execPath, args)).stdout
  }
  const off = await load({ otelTracesExporter: 'otlp' })
  expect(off).toContain('traces: false')
  expect(off).not.toMatch(/opentelemetry\/(sdk|core|exporter|resources)|otlp-tracing/)
  const on = await load({
    otelTracesExporter: 'otlp',
    otelExporterOtlpEndpoint: 'http://127.0.0.1:9',
    otelServiceName: 'plaza',
    otelTracesSampler: 'always_off',
    otelTracesSamplerArg: '1',
    roles: 'api',
  })
  expect(on).toContain('traces: true')
  expect(on).toContain('opentelemetry/sdk-trace')
})
