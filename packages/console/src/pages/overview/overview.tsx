import { Alert, Badge, List, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../../api'
import { useLiveOverview } from '../../live'
import { Loaded, Page } from '../../parts/page'
import { Activity, Figures } from './activity'
import { Database } from './database'
import { Errors } from './errors'
import type { OverviewData } from './overview-data'
import { Sync, Waiting } from './waiting'
import { Operations, Processes } from './work'

/** State of the server: readiness, rates, queues, durations, failures, sizes. The server sends it every 2 s. */
export function Overview() {
  const query = useQuery({ queryKey: ['overview'], queryFn: () => dataOf(api.GET('/admin/overview')) })
  const live = useLiveOverview<OverviewData>()
  return (
    <Page title="Overview">
      <Loaded query={query}>{(fetched) => <Parts overview={newest(fetched, live)} />}</Loaded>
    </Page>
  )
}

/** While the stream is broken, what is fetched is newer than its last value. */
function newest(fetched: OverviewData, live: OverviewData | undefined): OverviewData {
  return live !== undefined && Date.parse(live.at) >= Date.parse(fetched.at) ? live : fetched
}

function Parts({ overview }: { overview: OverviewData }) {
  return (
    <Stack gap="lg">
      <Readiness overview={overview} />
      <Figures overview={overview} />
      <Activity activity={overview.activity} />
      <Sync sync={overview.sync} />
      <Waiting overview={overview} />
      <Errors overview={overview} />
      <Processes processes={overview.processes} />
      <Operations operations={overview.operations} />
      <Database database={overview.database} />
    </Stack>
  )
}

function Readiness({ overview: { ready, problems } }: { overview: OverviewData }) {
  if (ready && problems.length === 0)
    return (
      <Badge variant="dot" color="green">
        Ready
      </Badge>
    )
  return (
    <Alert
      color={ready ? 'yellow' : 'red'}
      role="status"
      title={ready ? 'Ready, but not complete' : 'Not ready'}
    >
      <List size="sm">
        {problems.map((problem) => (
          <List.Item key={problem}>{problem}</List.Item>
        ))}
      </List>
    </Alert>
  )
}
