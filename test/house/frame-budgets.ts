import type { Budget } from './budget.js'
import {
  frameActionOf,
  grantToken,
  hostedFrame,
  hostFrame,
  pressButton,
  validateFrame,
} from './prepared-requests.js'

const viewer_fid = 2

/** The budgets of mini app discovery and of frames. */
export const frameBudgets: Readonly<Record<string, Budget>> = {
  'GET frame/catalog': { statements: 3, buildRequest: () => ({}) },
  'GET frame/search': { statements: 3, buildRequest: () => ({ q: 'exam' }) },
  'GET frame/relevant': { statements: 5, buildRequest: () => ({ viewer_fid }) },
  'POST frame/validate': {
    statements: 5,
    buildRequest: (scene) => ({
      ...pressButton(scene),
      follow_context: true,
      signer_context: true,
      channel_follow_context: true,
    }),
  },
  'GET frame/validate/list': {
    statements: 1,
    buildRequest: async (scene) => {
      await validateFrame(scene)
      return {}
    },
  },
  'GET frame/validate/analytics': { statements: 1, buildRequest: validateFrame },
  'POST frame/action': {
    statements: 2,
    buildRequest: (scene) => ({
      signer_uuid: scene.signerUuid,
      cast_hash: scene.castHash,
      action: frameActionOf(scene),
    }),
  },
  'POST frame/developer_managed/action': {
    statements: 0,
    buildRequest: (scene) => ({
      action: frameActionOf(scene),
      signature_packet: { untrustedData: {}, trustedData: { messageBytes: '0a' } },
    }),
  },
  'GET frame': { statements: 1, buildRequest: hostFrame },
  'POST frame': { statements: 1, buildRequest: () => hostedFrame },
  'PUT frame': {
    statements: 1,
    buildRequest: async (scene) => ({ ...hostedFrame, ...(await hostFrame(scene)) }),
  },
  'DELETE frame': { statements: 1, buildRequest: hostFrame },
  'GET frame/list': { statements: 1, buildRequest: hostFrame },
  'GET frame/crawl': { statements: 3, buildRequest: ({ pageUrl }) => ({ url: pageUrl }) },
  'GET frame/notification_tokens/count': { statements: 1, buildRequest: grantToken },
  'POST frame/notifications/map': {
    statements: 3,
    isEmpty: true,
    buildRequest: async (scene) => {
      await grantToken(scene)
      return { filters: { near_location: { latitude: 52.52, longitude: 13.4, radius: 20_000_000 } } }
    },
  },
}
