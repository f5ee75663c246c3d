import type { ApiKey } from '../api-keys.js'
import type { App } from '../apps.js'
import { eventsUrl } from '../events-url.js'
import type { ApiKeyJson, AppJson } from '../schema/app.js'

/**
 * Renders an app for the admin API and the command line.
 *
 * @param publicUrl Server URL without a trailing slash; empty when unknown.
 */
export function appJson(app: App, publicUrl: string): AppJson {
  return {
    object: 'app',
    id: app.id,
    name: app.name,
    fid: app.fid,
    mini_app_domain: app.miniAppDomain,
    events_url: eventsUrl(publicUrl, app.id),
    developer_uuid: app.developerUuid,
    authorized_origins: [...app.authorizedOrigins],
    sign_in_permission: app.signInPermission,
    has_custody_key: app.hasCustodyKey,
    key_count: app.keys,
    created_at: app.createdAt.toISOString(),
  }
}

/** Renders an API key without the key itself, for the admin API and the command line. */
export function apiKeyJson(key: ApiKey): ApiKeyJson {
  return {
    object: 'api_key',
    id: key.id,
    app_id: key.appId,
    prefix: key.prefix,
    rate_limit: key.rateLimit,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }
}
