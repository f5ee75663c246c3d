import { Alert, Group, NumberInput, Stack, Table, Tabs, Text } from '@mantine/core'
import { useState } from 'react'
import { enteredNumber, formatCount } from '../../parts/format'
import { AnchorLink, ButtonLink } from '../../parts/link'
import { NewerEntries } from '../../parts/newer-entries'
import { NextPage } from '../../parts/next-page'
import { Empty, Loaded, Page } from '../../parts/page'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'
import { NeedsApp } from '../../selected-app'
import { CampaignProgress, CampaignState } from './campaign-progress'
import { type Campaign, useCampaigns, useTokenCounts, useTokensOf } from './requests'

/** The campaigns and the notification tokens of the app's mini app. */
export function MiniApps() {
  return (
    <Page title="Mini apps" actions={<ButtonLink to="/mini-apps/compose">Compose a notification</ButtonLink>}>
      <NeedsApp>
        {({ id, mini_app_domain }) => (
          <Stack>
            {mini_app_domain === null && <NoDomain />}
            <Tabs defaultValue="campaigns" keepMounted={false}>
              <Tabs.List>
                <Tabs.Tab value="campaigns">Campaigns</Tabs.Tab>
                <Tabs.Tab value="tokens">Tokens</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="campaigns" pt="md">
                <Campaigns appId={id} />
              </Tabs.Panel>
              <Tabs.Panel value="tokens" pt="md">
                <Tokens appId={id} />
              </Tabs.Panel>
            </Tabs>
          </Stack>
        )}
      </NeedsApp>
    </Page>
  )
}

/** How an app gets a mini app. */
export function NoDomain() {
  return (
    <Alert color="yellow" title="This app has no mini app">
      It sends notifications once it has a domain: <code>plaza app edit NAME --mini-app-domain HOST</code>
    </Alert>
  )
}

function Campaigns({ appId }: { appId: string }) {
  const query = useCampaigns(appId)
  return (
    <Stack>
      <NewerEntries query={query} />
      <Loaded query={query}>
        {({ pages }) => {
          const campaigns = pages.flatMap((page) => page.notificationCampaigns)
          if (campaigns.length === 0)
            return (
              <Empty title="Nothing was sent yet">Each notification is listed here. Compose one above.</Empty>
            )
          return <CampaignTable campaigns={campaigns} />
        }}
      </Loaded>
      <NextPage query={query}>Older campaigns</NextPage>
    </Stack>
  )
}

function CampaignTable({ campaigns }: { campaigns: readonly Campaign[] }) {
  return (
    <WideTable label="Campaigns" minWidth={760}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Notification</Table.Th>
          <Table.Th>Created</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Outcome</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {campaigns.map((campaign) => (
          <Table.Tr key={campaign.id}>
            <Table.Td>
              <AnchorLink to="/mini-apps/campaigns/$id" params={{ id: campaign.id }}>
                {campaign.title}
              </AnchorLink>
              <Text size="sm" c="dimmed" lineClamp={1}>
                {campaign.body}
              </Text>
            </Table.Td>
            <Table.Td>
              <Time at={campaign.created_at} />
            </Table.Td>
            <Table.Td>
              <CampaignState campaign={campaign} />
            </Table.Td>
            <Table.Td miw={220}>
              <CampaignProgress campaign={campaign} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

function Tokens({ appId }: { appId: string }) {
  return (
    <Stack>
      <Loaded query={useTokenCounts(appId)}>
        {({ clients }) =>
          clients.length === 0 ? (
            <Empty title="No client has granted a token">
              Put the URL for mini app events, which the page of the app shows, into the manifest of the mini
              app as webhookUrl.
            </Empty>
          ) : (
            <WideTable label="Tokens by client" minWidth={560}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Client</Table.Th>
                  <Table.Th ta="right">Enabled</Table.Th>
                  <Table.Th ta="right">Disabled</Table.Th>
                  <Table.Th ta="right">Invalid</Table.Th>
                  <Table.Th>Last event</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {clients.map(({ client_fid, host, enabled, disabled, invalid, last_event_at }) => (
                  <Table.Tr key={client_fid}>
                    <Table.Td>
                      {clientName(client_fid)}
                      <Text size="sm" c="dimmed">
                        {host}
                      </Text>
                    </Table.Td>
                    <Table.Td ta="right">{formatCount(enabled)}</Table.Td>
                    <Table.Td ta="right">{formatCount(disabled)}</Table.Td>
                    <Table.Td ta="right">{formatCount(invalid)}</Table.Td>
                    <Table.Td>
                      <Time at={last_event_at} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          )
        }
      </Loaded>
      <TokensOfUser appId={appId} />
    </Stack>
  )
}

/** Events that an address has signed name no client. */
function clientName(fid: number): string {
  return fid === 0 ? 'not named' : `fid ${fid}`
}

function TokensOfUser({ appId }: { appId: string }) {
  const [fid, setFid] = useState<number | null>(null)
  const query = useTokensOf(appId, fid)
  return (
    <Stack gap="xs">
      <NumberInput
        label="Tokens of a user"
        placeholder="Fid"
        min={1}
        allowDecimal={false}
        allowNegative={false}
        maw={240}
        hideControls
        onChange={(value) => setFid(enteredNumber(value))}
      />
      {fid !== null && (
        <Loaded query={query}>
          {({ notification_tokens }) =>
            notification_tokens.length === 0 ? (
              <Text size="sm">{`Fid ${fid} has no token of this mini app.`}</Text>
            ) : (
              notification_tokens.map(({ client_fid, status, updated_at }) => (
                <Group key={client_fid} gap="xs">
                  <Text size="sm">{`Client ${clientName(client_fid)}: ${status}, since`}</Text>
                  <Text size="sm" component="span">
                    <Time at={updated_at} />
                  </Text>
                </Group>
              ))
            )
          }
        </Loaded>
      )}
    </Stack>
  )
}
