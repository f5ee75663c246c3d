import { Type } from '@sinclair/typebox'
import { fidParameter } from '../../../api/parameters.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { explainScore } from '../explain-score.js'
import { ScoreExplanationResponse } from '../schema/score.js'

/** `GET /admin/users/{fid}/score` */
export const explainScoreOperation = defineAdminOperation({
  method: 'GET',
  path: 'users/{fid}/score',
  summary: 'Explain the score of a user',
  description:
    'The stored score, and what takes from it by the documented formula: spam signals and the neighborhood as they are ' +
    'now, and what that leaves for trust. The score is older than they are, and of endorsements only follows count as ' +
    'returned: trust is an estimate.',
  params: Type.Object({ fid: fidParameter({ description: 'Fid of the user.' }) }),
  reply: ScoreExplanationResponse,
  notFound: 'There is no user with this fid.',

  async handle({ db, clock }, _query, { fid }) {
    const explanation = await explainScore(db, fid, Math.floor(clock() / 1000))
    if (explanation === null) throw new PlazaError('not_found', 'there is no such user', { property: 'fid' })
    return { explanation }
  },
})
