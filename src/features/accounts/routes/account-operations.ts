import type { Operation } from '../../operation.js'
import { freshFid } from './allocate-fid.js'
import { registerDirect } from './register-direct.js'
import { registerUser } from './register-user.js'

/** Registration of accounts, paid by wallets of apps. */
export const accountOperations: readonly Operation[] = [freshFid, registerUser, registerDirect]
