import { Type } from '@sinclair/typebox'
import { Cast } from '../../../graph/view/schema/cast.js'
import { namedObject } from '../../../graph/view/schema/primitives.js'

export const BulkCastsResponse = namedObject('BulkCastsResponse', { casts: Type.Array(Cast) })
