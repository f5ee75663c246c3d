import { Tabs } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../../parts/page'
import { Caches } from './caches'
import { Configuration } from './configuration'
import { Jobs } from './jobs'
import { Maintenance } from './maintenance'
import { Schema } from './schema'

const tabs: readonly { name: string; label: string; content: () => ReactNode }[] = [
  { name: 'maintenance', label: 'Maintenance', content: Maintenance },
  { name: 'jobs', label: 'Jobs', content: Jobs },
  { name: 'configuration', label: 'Configuration', content: Configuration },
  { name: 'caches', label: 'Caches', content: Caches },
  { name: 'schema', label: 'Schema', content: Schema },
]
const FIRST = 'maintenance'

/** Maintenance, jobs, configuration, caches and the schema. */
export function System() {
  const { tab = FIRST } = useSearch({ from: '/signed-in/system' })
  const navigate = useNavigate()
  const select = (name: string | null) =>
    void navigate({
      to: '/system',
      search: name === null || name === FIRST ? {} : { tab: name },
      replace: true,
    })
  return (
    <Page title="System">
      <Tabs
        value={tabs.some(({ name }) => name === tab) ? tab : FIRST}
        onChange={select}
        keepMounted={false}
        activateTabWithKeyboard={false}
      >
        <Tabs.List mb="md">
          {tabs.map(({ name, label }) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ name, content: Content }) => (
          <Tabs.Panel key={name} value={name}>
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  )
}
