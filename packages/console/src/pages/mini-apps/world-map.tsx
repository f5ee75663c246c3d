import { SegmentedControl, Stack, Text } from '@mantine/core'
import { geoCircle, geoGraticule10, geoNaturalEarth1, geoPath } from 'd3-geo'
import { type MouseEvent, useMemo, useRef, useState } from 'react'
import { feature } from 'topojson-client'
import landTopology from 'world-atlas/land-110m.json'
import { formatCount } from '../../parts/format'
import type { AudienceMap } from './requests'

/** A circle on the earth. */
export interface Circle {
  /** Degrees. */
  readonly latitude: number
  readonly longitude: number
  readonly radiusKm: number
}

const WIDTH = 720
const HEIGHT = 370
const KM_PER_DEGREE = 111.2
type Topology = Parameters<typeof feature>[0]
const topology = landTopology as unknown as Topology
const land = feature(topology, topology.objects.land!)
const graticule = geoGraticule10()

type View = 'world' | 'circle'

/** How much more than the circle is shown around it. */
const AROUND = 4
/** Below it the coasts are too coarse. */
const MIN_SHOWN_DEGREES = 10
/** Above it the view is of the world. */
const MAX_SHOWN_DEGREES = 60

/** The shapes of the world, or of what is around a circle. */
function drawMap(view: View, { latitude, longitude, radiusKm }: Circle) {
  const around = (radiusKm / KM_PER_DEGREE) * AROUND
  const isWorld = view === 'world' || around > MAX_SHOWN_DEGREES
  const shown = geoCircle().center([longitude, latitude]).radius(Math.max(MIN_SHOWN_DEGREES, around))()
  const projection = isWorld
    ? geoNaturalEarth1().fitSize([WIDTH, HEIGHT], { type: 'Sphere' })
    : geoNaturalEarth1().rotate([-longitude, 0]).fitSize([WIDTH, HEIGHT], shown)
  const path = geoPath(projection)
  // What is outside is cut off by the picture; cutting the sphere by an extent would cut its outline wrongly.
  return {
    projection,
    path,
    sphere: path({ type: 'Sphere' }) ?? '',
    graticule: path(graticule) ?? '',
    land: path(land) ?? '',
  }
}

/** The audience on a map of the world, and the circle that selects it. A click moves the circle. */
export default function WorldMap({
  circle,
  map,
  onMove,
}: {
  circle: Circle
  map: AudienceMap | null
  onMove: (place: { readonly latitude: number; readonly longitude: number }) => void
}) {
  const svg = useRef<SVGSVGElement>(null)
  const [view, setView] = useState<View>('world')
  const { latitude, longitude, radiusKm } = circle
  const shapes = useMemo(
    () => drawMap(view, { latitude, longitude, radiusKm }),
    [view, latitude, longitude, radiusKm],
  )
  const radius = Math.min(180, radiusKm / KM_PER_DEGREE)
  const outline = shapes.path(geoCircle().center([longitude, latitude]).radius(radius)())

  function move(event: MouseEvent) {
    const matrix = svg.current?.getScreenCTM()
    if (!matrix) return
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse())
    const place = shapes.projection.invert?.([x, y])
    if (!place || place.some((degrees) => !Number.isFinite(degrees))) return
    onMove({ latitude: degreesOf(place[1], 90), longitude: degreesOf(place[0], 180) })
  }

  const text = describeMap(circle, map)
  return (
    <Stack gap="xs" align="flex-start">
      <SegmentedControl
        aria-label="View"
        size="xs"
        value={view}
        onChange={(value) => setView(value as View)}
        data={[
          { value: 'world', label: 'The world' },
          { value: 'circle', label: 'Around the circle' },
        ]}
      />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: latitude and longitude have fields of their own */}
      <svg
        ref={svg}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={text}
        onClick={move}
        style={{ width: '100%', maxWidth: 900, height: 'auto', cursor: 'crosshair' }}
      >
        <path d={shapes.sphere} className="map-sphere" />
        <path d={shapes.graticule} className="map-graticule" />
        <path d={shapes.land} className="map-land" />
        <path d={outline ?? ''} className="map-circle" />
        {map?.cells.map((cell) => (
          <Cell
            key={`${cell.latitude} ${cell.longitude}`}
            users={cell.users}
            point={shapes.projection([cell.longitude, cell.latitude])}
          />
        ))}
        <Center point={shapes.projection([longitude, latitude])} />
      </svg>
      <Text size="sm">{text}</Text>
    </Stack>
  )
}

type Point = readonly [x: number, y: number] | null

/** A small circle would not be seen on the whole world: its center is marked. */
function Center({ point }: { point: Point }) {
  if (point === null) return null
  const [x, y] = point
  return <path d={`M${x - 8},${y}h16M${x},${y - 8}v16`} className="map-circle" />
}

const MIN_RADIUS = 2
const MAX_RADIUS = 12

/** Users of a cell, by area. */
function Cell({ users, point }: { users: number; point: Point }) {
  if (point === null) return null
  const radius = Math.min(MAX_RADIUS, MIN_RADIUS + Math.sqrt(users) / 4)
  return <circle cx={point[0]} cy={point[1]} r={radius} className="map-cell" />
}

/** The map in words. */
function describeMap({ latitude, longitude, radiusKm }: Circle, map: AudienceMap | null): string {
  const place = placeName(latitude, longitude)
  const circle = `A circle of ${formatCount(radiusKm)} km around ${place}.`
  if (map === null) return `${circle} Count the audience to see where it is.`
  const [largest] = map.cells
  const most = largest
    ? ` Most, ${formatCount(largest.users)}, are near ${placeName(largest.latitude, largest.longitude)}.`
    : ''
  return `${circle} ${formatCount(map.located_users)} users are in it, shown in cells of ${map.cell_degrees} degrees with five or more.${most}`
}

function placeName(latitude: number, longitude: number): string {
  const north = latitude < 0 ? 'S' : 'N'
  const east = longitude < 0 ? 'W' : 'E'
  return `${Math.abs(latitude)}° ${north}, ${Math.abs(longitude)}° ${east}`
}

/** Hundredths of degrees, which locations of profiles have. */
function degreesOf(degrees: number, most: number): number {
  return Math.round(Math.min(most, Math.max(-most, degrees)) * 100) / 100
}
