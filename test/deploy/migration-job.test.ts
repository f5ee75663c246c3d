import { readFileSync } from 'node:fs'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { manifests, renderedFile } from '../../deploy/helm/chart.mjs'
import { findUnknownFields } from './unknown-fields.js'

const guide = readFileSync('docs/deploy.md', 'utf8')
const [fragment = ''] = /^ {6}apiVersion: batch\/v1\n(?: {6}.*\n)+/m.exec(guide) ?? []
const job = parse(fragment)
const pod = job.spec.template.spec

it('the migration job of the guide is valid', () => {
  expect(() => new Job(job).validate()).not.toThrow()
  expect(findUnknownFields([job])).toEqual([])
})

it('the migration job of the guide has a name for each version, because a job cannot be changed', () => {
  const [, version = ''] = /:(.*)$/.exec(pod.containers[0].image) ?? []
  expect(job.metadata.name).toBe(`plaza-migrate-${version.replaceAll('.', '-')}`)
  const named = [...guide.matchAll(/job\/(plaza-migrate[\w-]*)/g)].map(([, name]) => name)
  expect(new Set(named)).toEqual(new Set([job.metadata.name]))
})

it('the migration job of the guide has no more rights than the pods of the chart', () => {
  const rendered = manifests(readFileSync(renderedFile('smallest'), 'utf8'))
  const { spec } = rendered.find(({ kind }) => kind === 'Deployment')!.spec.template
  const { readOnlyRootFilesystem, ...rights } = spec.containers[0].securityContext
  expect(readOnlyRootFilesystem).toBe(true)
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: spec.securityContext,
  })
  expect(pod.containers[0].securityContext).toEqual(rights)
})
