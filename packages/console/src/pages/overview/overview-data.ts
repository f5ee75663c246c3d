import type { Schemas } from '../../api'

export type OverviewData = Schemas['OverviewResponse']
