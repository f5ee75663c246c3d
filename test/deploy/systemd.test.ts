import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/app/config/config.js'

const UNIT = 'deploy/systemd/plaza.service'
const unit = readFileSync(UNIT, 'utf8')

function settingOf(setting: string): string | undefined {
  return new RegExp(`^${setting}=(.*)$`, 'm').exec(unit)?.[1]
}

it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('systemd accepts the unit', () => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8' })
  expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 0, output: '' })
})

it('the command of the guide runs with the settings of the unit', () => {
  const [command = ''] = /^ {4}systemd-run (?:.*\\\n)*.*$/m.exec(readFileSync('docs/deploy.md', 'utf8')) ?? []
  const settings = [...command.matchAll(/ -p (\w+)=(\S+)/g)].map(([, name = '', value]) => ({ name, value }))
  expect(settings.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['DynamicUser', 'User', 'StateDirectory', 'EnvironmentFile']),
  )
  for (const { name, value } of settings) expect({ name, value }).toEqual({ name, value: settingOf(name) })
  const variables = [...command.matchAll(/ -E (\S+)/g)].map(([, variable]) => variable)
  expect(variables).toContain('DATA_DIR=/var/lib/plaza')
  expect(settingOf('Environment')?.split(' ')).toEqual(expect.arrayContaining(variables))
  const program = settingOf('ExecStart')?.replace(/ serve$/, '')
  expect(command).toContain(`${program} key create`)
})

it('the guide names everything that a copy of the unit must change', () => {
  const guide = readFileSync('docs/deploy.md', 'utf8')
  const [copies = ''] = /For several processes copy the unit.*?(?=\n## )/s.exec(guide) ?? []
  // What names the folder of the state, which each process needs of its own.
  const settings = [...unit.matchAll(/\b(\w+)=\/var\/lib\/plaza\b/g)].map(([, name = '']) => name)
  expect(settings).toEqual(['WorkingDirectory', 'DATA_DIR', 'HOME'])
  for (const name of ['StateDirectory', 'ROLES', 'PORT', ...settings]) expect(copies).toContain(name)
})

it('the unit gives the server more time than it takes to stop', () => {
  const read = readConfig({})
  if ('problems' in read) throw new Error(read.problems)
  expect(Number(settingOf('TimeoutStopSec')) * 1000).toBeGreaterThan(read.config.shutdownTimeoutMs)
  expect(settingOf('KillMode')).toBe('mixed')
})

it('the unit starts the server again for as long as it fails', () => {
  expect(settingOf('Restart')).toBe('on-failure')
  expect(settingOf('StartLimitIntervalSec')).toBe('0')
})
