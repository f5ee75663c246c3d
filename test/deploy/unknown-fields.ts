import ts from 'typescript'
import type { Manifest } from '../../deploy/helm/chart.mjs'

const MANIFESTS = 'test/deploy/manifests.generated.ts'
const OPERATOR_GROUP = 'monitoring.coreos.com/v1'

/**
 * Finds fields of manifests that Kubernetes does not have, and would drop: `securityContex`. The schemas allow them; the
 * compiler reports every field of a literal that its type lacks.
 */
export function findUnknownFields(manifests: readonly Manifest[]): string[] {
  const kinds = new Map(
    manifests.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, { apiVersion, kind }]),
  )
  const imports = [...kinds.values()].map(
    ({ apiVersion, kind }) => `import type { I${kind} } from '${modulePath(apiVersion, kind)}'`,
  )
  const constants = manifests.map(
    (manifest, index) => `export const m${index}: I${manifest.kind} = ${JSON.stringify(manifest, null, 1)}`,
  )
  const source = [...imports, ...constants].join('\n')
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.getSourceFile = (name, version, ...rest) =>
    name === MANIFESTS
      ? ts.createSourceFile(name, source, version)
      : getSourceFile.call(host, name, version, ...rest)
  host.fileExists = (name) => name === MANIFESTS || fileExists.call(host, name)
  const program = ts.createProgram([MANIFESTS], options, host)
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

/** The module of a kind in the npm packages of Kubernetes' schemas. */
export function modulePath(apiVersion: string, kind: string): string {
  const library =
    apiVersion === OPERATOR_GROUP ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models'
  return `${library}/${apiVersion}/${kind}`
}
