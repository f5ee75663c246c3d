import {
  Loader,
  NumberInput,
  type NumberInputProps,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
} from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { enteredNumber } from '../../parts/format'
import { parseFids } from '../webhooks/filter-fields'
import type { Audience, AudienceMap } from './requests'
import type { Circle } from './world-map'

/** The map is loaded when a location is asked for: it has the coasts of the world. Without it the form stays as it is. */
const WorldMap = lazy(() => import('./world-map').catch(() => ({ default: MissingMap })))

function MissingMap() {
  return <Text size="sm">The map could not be loaded; latitude and longitude can be entered above.</Text>
}

/** Input texts of an audience. */
export interface AudienceTexts {
  readonly targetFids: string
  readonly excludeFids: string
  readonly followingFid: number | string
  readonly minimumScore: number | string
  readonly near: Circle | null
}

export const emptyAudience: AudienceTexts = {
  targetFids: '',
  excludeFids: '',
  followingFid: '',
  minimumScore: '',
  near: null,
}

const MAX_TARGETS = 100
const METERS_PER_KM = 1_000

/** An audience as it was entered, and what is wrong with which member. */
export function audienceOf({ targetFids, excludeFids, followingFid, minimumScore, near }: AudienceTexts): {
  readonly audience: Audience
  readonly problems: ReadonlyMap<keyof AudienceTexts, string>
} {
  const problems = new Map<keyof AudienceTexts, string>()
  const fidsOf = (member: 'targetFids' | 'excludeFids', text: string): number[] => {
    const fids = parseFids(text)
    if (!(fids instanceof Error)) return fids
    problems.set(member, fids.message)
    return []
  }
  const targets = fidsOf('targetFids', targetFids)
  const excluded = fidsOf('excludeFids', excludeFids)
  const following = enteredNumber(followingFid)
  const score = enteredNumber(minimumScore)
  if (Number.isNaN(score)) problems.set('minimumScore', 'must be a number from 0 to 1')
  if (targets.length > MAX_TARGETS) problems.set('targetFids', `must be at most ${MAX_TARGETS} users`)
  return {
    audience: {
      target_fids: targets,
      filters: {
        ...(excluded.length > 0 && { exclude_fids: excluded }),
        ...(following !== null && { following_fid: following }),
        ...(score !== null && { minimum_user_score: score }),
        ...(near !== null && {
          near_location: {
            latitude: near.latitude,
            longitude: near.longitude,
            radius: near.radiusKm * METERS_PER_KM,
          },
        }),
      },
    },
    problems,
  }
}

/** The form of an audience. */
export function AudienceFields({
  texts,
  problems,
  map,
  onChange,
}: {
  texts: AudienceTexts
  problems: ReadonlyMap<keyof AudienceTexts, string>
  map: AudienceMap | null
  onChange: (texts: AudienceTexts) => void
}) {
  const text = (member: 'targetFids' | 'excludeFids') => ({
    value: texts[member],
    error: problems.get(member),
    autosize: true,
    maxRows: 6,
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ ...texts, [member]: event.currentTarget.value }),
  })
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Textarea
          label="Users"
          description="Fids, at most 100. Empty: all who have enabled notifications."
          {...text('targetFids')}
        />
        <Textarea label="Users to leave out" description="Fids" {...text('excludeFids')} />
        <NumberInput
          label="Followers of"
          description="Fid"
          value={texts.followingFid}
          min={0}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          onChange={(followingFid) => onChange({ ...texts, followingFid })}
        />
        <NumberInput
          label="Minimum score"
          description="From 0 to 1"
          value={texts.minimumScore}
          min={0}
          max={1}
          step={0.1}
          allowNegative={false}
          error={problems.get('minimumScore')}
          onChange={(minimumScore) => onChange({ ...texts, minimumScore })}
        />
      </SimpleGrid>
      <Switch
        label="Only users near a place"
        checked={texts.near !== null}
        onChange={(event) => onChange({ ...texts, near: event.currentTarget.checked ? firstCircle : null })}
      />
      {texts.near !== null && (
        <>
          <CircleFields circle={texts.near} onChange={(near) => onChange({ ...texts, near })} />
          <Suspense fallback={<Loader role="status" aria-label="Loading the map" />}>
            <WorldMap
              circle={texts.near}
              map={map}
              onMove={(place) => onChange({ ...texts, near: { ...texts.near!, ...place } })}
            />
          </Suspense>
        </>
      )}
    </Stack>
  )
}

const firstCircle: Circle = { latitude: 52.52, longitude: 13.4, radiusKm: 100 }
const MAX_RADIUS_KM = 20_100

function CircleFields({ circle, onChange }: { circle: Circle; onChange: (circle: Circle) => void }) {
  const field = (member: keyof Circle, min: number, max: number) => ({
    value: circle[member],
    min,
    max,
    onNumber: (value: number) => onChange({ ...circle, [member]: value }),
  })
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <PlaceNumber label="Latitude" {...field('latitude', -90, 90)} decimalScale={2} />
      <PlaceNumber label="Longitude" {...field('longitude', -180, 180)} decimalScale={2} />
      <PlaceNumber label="Radius in km" {...field('radiusKm', 0, MAX_RADIUS_KM)} step={50} />
    </SimpleGrid>
  )
}

interface PlaceNumberProps extends NumberInputProps {
  readonly value: number
  readonly onNumber: (value: number) => void
}

/** A number that the map has too: the last one that was entered, until there is another. */
function PlaceNumber({ value, onNumber, ...props }: PlaceNumberProps) {
  // What is entered stays as it is: `52.` becomes 52.7, and `-0` becomes -0.12.
  const [entered, setEntered] = useState<number | string>(value)
  return (
    <NumberInput
      {...props}
      value={Number(entered) === value ? entered : value}
      onChange={(given) => {
        setEntered(given)
        const number = enteredNumber(given)
        if (number !== null && !Number.isNaN(number)) onNumber(number)
      }}
    />
  )
}
