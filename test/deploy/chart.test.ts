import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  cases,
  type Manifest,
  manifests,
  renderCases,
  renderedFile,
  renderer,
  sourceHash,
} from '../../deploy/helm/chart.mjs'
import { configVariables } from '../../src/app/config/config.js'
import { defaultConnections } from '../../src/app/connections.js'
import { parseRoles } from '../../src/platform/process/roles.js'
import { findUnknownFields, modulePath } from './unknown-fields.js'

const rendered = new Map(cases.map((name) => [name, readFileSync(renderedFile(name), 'utf8')]))
const byCase = [...rendered].map(([name, text]) => [name, manifests(text)] as const)
const known = new Set(configVariables.map(({ name }) => name))
const all = byCase.flatMap(([, list]) => list)

function ofKind(list: readonly Manifest[], kind: string): Manifest[] {
  return list.filter((manifest) => manifest.kind === kind)
}

interface RoleValues {
  readonly replicas: number
  readonly autoscaling: { readonly enabled: boolean; readonly maxReplicas: number }
}

it('the guide states how many connections the values of the chart need during an upgrade', () => {
  const { roles } = parse(readFileSync('deploy/helm/plaza/values.yaml', 'utf8')) as {
    roles: Readonly<Record<string, RoleValues>>
  }
  const needed = Object.entries(roles).reduce((sum, [role, { replicas, autoscaling }]) => {
    const most = autoscaling.enabled ? autoscaling.maxReplicas : replicas
    return sum + (most + 1) * defaultConnections(parseRoles(role), 1)
  }, 0)
  expect(readFileSync('docs/deploy.md', 'utf8')).toContain(`that is ${needed} connections`)
})

describe('the rendered manifests', () => {
  it('are those of the chart: run `npm run chart` after a change', () => {
    for (const text of rendered.values()) expect(text.split('\n')[0]).toContain(sourceHash())
  })

  it.skipIf(renderer() === null)('are what Helm, or the engine of Go, renders', () => {
    expect(renderCases()).toEqual(Object.fromEntries(byCase))
  })

  it('are valid by the schemas of Kubernetes', async () => {
    for (const manifest of all) {
      const { kind, apiVersion, metadata } = manifest
      const models = await import(modulePath(apiVersion, kind))
      expect(() => new models[kind](manifest).validate(), `${kind} ${metadata.name}`).not.toThrow()
    }
    expect(all.length).toBeGreaterThan(25)
  })

  it('have no field that Kubernetes does not know', () => {
    expect(findUnknownFields(all)).toEqual([])
    const [deployment] = ofKind(all, 'Deployment')
    const misspelled = { ...deployment!, spec: { ...deployment!.spec, strateggy: {} } }
    expect(findUnknownFields([misspelled])[0]).toContain('strateggy')
  })
})

describe.each(byCase)('the case %s', (name, list) => {
  const deployments = ofKind(list, 'Deployment')

  it('has a Deployment, a disruption budget and pods that may do little for each role', () => {
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual([
      'plaza-api',
      'plaza-sync',
      'plaza-worker',
    ])
    for (const { spec, metadata } of deployments) {
      const pod = spec.template.spec
      const [container] = pod.containers
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 })
      expect(pod.automountServiceAccountToken).toBe(false)
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(container.env[0]).toEqual({ name: 'ROLES', value: metadata.name.replace('plaza-', '') })
      expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' })
      expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http' })
      const [budget] = ofKind(list, 'PodDisruptionBudget').filter(
        (each) => each.metadata.name === metadata.name,
      )
      expect(budget?.spec.selector).toEqual(spec.selector)
    }
  })

  it('leaves the number of processes of a role to its autoscaler', () => {
    const scaled = ofKind(list, 'HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name)
    expect(scaled).toEqual(['plaza-api', 'plaza-worker'])
    for (const { metadata, spec } of deployments) {
      expect(spec.replicas === undefined, metadata.name).toBe(scaled.includes(metadata.name))
    }
  })

  it('selects pods that are there, by labels and names of ports', () => {
    const pods = deployments.map(({ spec }) => spec.template)
    const selectedBy = (labels: Record<string, string>) =>
      pods.filter(({ metadata }) =>
        Object.entries(labels).every(([label, value]) => metadata.labels[label] === value),
      )
    for (const { spec } of deployments) expect(selectedBy(spec.selector.matchLabels)).toHaveLength(1)
    const [service] = ofKind(list, 'Service')
    const served = selectedBy(service!.spec.selector)
    expect(served).toHaveLength(1)
    const ports = served[0].spec.containers[0].ports.map((port: { name: string }) => port.name)
    expect(service!.spec.ports.map((port: { targetPort: string }) => port.targetPort)).toEqual(ports)
    const [policy] = ofKind(list, 'NetworkPolicy')
    expect(selectedBy(policy!.spec.podSelector.matchLabels)).toHaveLength(3)
    for (const monitor of ofKind(list, 'PodMonitor')) {
      expect(selectedBy(monitor.spec.selector.matchLabels)).toHaveLength(3)
      // As the alerts expect, and another one for each installation.
      expect(monitor.spec.podMetricsEndpoints[0].relabelings).toEqual([
        { targetLabel: 'job', replacement: expect.stringMatching(/^plaza-\w+-plaza$/) },
      ])
    }
  })

  it('sets only variables that there are', () => {
    const set = [
      ...ofKind(list, 'ConfigMap').flatMap(({ data = {} }) => Object.keys(data)),
      ...ofKind(list, 'Secret').flatMap(({ stringData = {} }) => Object.keys(stringData)),
      ...deployments.flatMap(({ spec }) =>
        spec.template.spec.containers[0].env.map((variable: { name: string }) => variable.name),
      ),
    ]
    expect(set.filter((variable) => !known.has(variable) && !variable.startsWith('OTEL_'))).toEqual([])
  })

  it(`${name === 'smallest' ? 'names' : 'has'} a Secret`, () => {
    const [own] = ofKind(list, 'Secret')
    expect(own === undefined).toBe(name === 'smallest')
    for (const { spec } of deployments) {
      const [, { secretRef }] = spec.template.spec.containers[0].envFrom
      expect(secretRef.name).toBe('plaza')
    }
  })
})

describe('certificates of an authority of your own', () => {
  const everything = manifests(rendered.get('everything')!)

  it('are mounted in each role, beside what the chart mounts', () => {
    for (const { spec, metadata } of ofKind(everything, 'Deployment')) {
      const { volumes, containers } = spec.template.spec
      const mounts = containers[0].volumeMounts
      const nameOf = ({ name }: { name: string }) => name
      expect(volumes.map(nameOf), metadata.name).toEqual(['data', 'tmp', 'database-ca'])
      expect(mounts.map(nameOf), metadata.name).toEqual(volumes.map(nameOf))
      expect(mounts[2]).toEqual({ name: 'database-ca', mountPath: '/etc/plaza/database', readOnly: true })
    }
  })

  it('are where the URL of the database names them, in the guide too', () => {
    const [secret] = ofKind(everything, 'Secret')
    const guide = readFileSync('docs/deploy.md', 'utf8')
    const [url = ''] = /postgres:[^']+sslmode=verify-full[^']*/.exec(guide) ?? []
    for (const each of [`${secret?.stringData?.DATABASE_URL}`, url]) {
      expect(new URLSearchParams(each.split('?')[1]).get('sslrootcert')).toBe('/etc/plaza/database/ca.crt')
    }
  })
})
