import { Select, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, dataOf, type Schemas } from '../../api'
import { Empty, Loaded } from '../../parts/page'
import { nameOf } from '../../parts/user-line'

/** A signer that publishes what the operator does. */
export type ActingSigner = Schemas['AppSigner']

/**
 * Lets the operator choose with which signer of the selected app to act: a channel is changed by its lead and its
 * moderators, and the app can act for those who have approved a signer of it. Null: for none.
 */
export function NeedsSigner({
  app,
  fids,
  children,
}: {
  app: Schemas['App']
  /** Users that may change it. */
  fids: readonly number[]
  children: (signer: ActingSigner | null) => ReactNode
}) {
  const [chosen, setChosen] = useState<string | null>(null)
  const query = useQuery({
    queryKey: ['apps', app.id, 'signers', fids],
    queryFn: () => loadSigners(app.id, fids),
    // What is being entered stays while those who may change the channel are others.
    placeholderData: keepPreviousData,
  })
  return (
    <Loaded query={query}>
      {({ signers }) => {
        const able = signers.filter(mayWriteAll)
        const signer = able.find(({ signer_uuid }) => signer_uuid === chosen) ?? able[0] ?? null
        return (
          <Stack>
            {signer === null ? (
              <Empty title={`${app.name} cannot act for the lead or a moderator`}>
                A change is made by one of them, with an approved signer of this app that may write all.
                Create one with POST /v2/farcaster/signer and let the user approve it, select an app that has
                one, or use plaza channel edit beside the server.
              </Empty>
            ) : (
              <Select
                label="Act as"
                maw={360}
                allowDeselect={false}
                data={able.map((each) => ({ value: each.signer_uuid, label: labelOf(each) }))}
                value={signer.signer_uuid}
                onChange={setChosen}
              />
            )}
            {children(signer)}
          </Stack>
        )
      }}
    </Loaded>
  )
}

/** Fids that one request may have. */
const MAX_FIDS = 20

/** The approved signers of these users, however many there are. */
async function loadSigners(id: string, fids: readonly number[]): Promise<{ signers: ActingSigner[] }> {
  const starts = Array.from({ length: Math.ceil(fids.length / MAX_FIDS) }, (_, chunk) => chunk * MAX_FIDS)
  const pages = await Promise.all(
    starts.map((start) =>
      dataOf(
        api.GET('/admin/apps/{id}/signers', {
          params: { path: { id }, query: { fids: fids.slice(start, start + MAX_FIDS), limit: 100 } },
        }),
      ),
    ),
  )
  return { signers: pages.flatMap(({ signers }) => signers) }
}

function mayWriteAll({ permissions, held_by }: ActingSigner): boolean {
  return held_by === 'server' && permissions.includes('WRITE_ALL')
}

function labelOf({ fid, username, signer_uuid }: ActingSigner): string {
  return `${nameOf({ fid: fid ?? 0, username: username ?? undefined })} · signer ${signer_uuid.slice(0, 8)}`
}
