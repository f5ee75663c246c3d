// Written by `npm run console:types` from the OpenAPI document. Do not edit.

export interface paths {
    "/admin/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List apps
         * @description All apps, ordered by name.
         */
        get: operations["getAdminApps"];
        put?: never;
        /**
         * Create an app
         * @description The new app has no key. Without `developer_uuid`, it gets a new one.
         */
        post: operations["postAdminApps"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/apps/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch an app
         * @description Returns one app by its id.
         */
        get: operations["getAdminAppsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update an app
         * @description Absent members stay as they are; null removes `fid` or `mini_app_domain`.
         */
        patch: operations["patchAdminAppsId"];
        trace?: never;
    };
    "/admin/apps/{id}/custody_key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store the custody key of an app
         * @description Stores the private key of the custody address of the app’s `fid`, encrypted. With it the server signs the app’s requests for signers when users sign in with a browser. The key is never shown again; another one replaces it.
         */
        post: operations["postAdminAppsIdCustodyKey"];
        /**
         * Delete the custody key of an app
         * @description Users with an approved signer can still sign in; new users cannot. Repeating it has no effect.
         */
        delete: operations["deleteAdminAppsIdCustodyKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/apps/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys of an app
         * @description Oldest first, including revoked keys.
         */
        get: operations["getAdminAppsIdKeys"];
        put?: never;
        /**
         * Create an API key for an app
         * @description The key is valid at once. This reply is the only one that ever contains it.
         */
        post: operations["postAdminAppsIdKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Servers refuse the key within a second. It stays listed; revoking it again has no effect.
         */
        delete: operations["deleteAdminKeysId"];
        options?: never;
        head?: never;
        /**
         * Update the rate limit of an API key
         * @description Servers apply the new limit within a second.
         */
        patch: operations["patchAdminKeysId"];
        trace?: never;
    };
    "/admin/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch the state of the server
         * @description Whether the server is ready, its processes, what waits, how long operations took, and sizes. Times of operations are those of the process that replies, since its start.
         */
        get: operations["getAdminOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/processes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List live processes
         * @description Oldest first: every process of this database with a heartbeat in the last 10 seconds, with its roles, its version and its budget of database connections (`DATABASE_POOL`).
         */
        get: operations["getAdminProcesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit_log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes through the admin API
         * @description Newest first: every change that was asked of the admin API, also by the console, with its body without secrets and what became of it. `status` is null while it runs, and when its process died on the way.
         */
        get: operations["getAdminAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AppsResponse: {
            apps: components["schemas"]["App"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description Client of the API, with keys and data of its own. */
        App: {
            /** @constant */
            object: "app";
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            id: string;
            /**
             * @description Unique name.
             * @example garden
             */
            name: string;
            fid: components["schemas"]["Fid"] | null;
            mini_app_domain: string | null;
            /**
             * @description URL that clients send events of its users to: the `webhookUrl` of its manifest. Only the path if the public URL of the server is unknown.
             * @example https://plaza.example.com/f/app/0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55/event
             */
            events_url: string;
            /**
             * Format: uuid
             * @description Developer of the app. Several apps may share it.
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            developer_uuid: string;
            /** @description Origins, and schemes of deep links, that may receive the result of a browser sign-in. */
            authorized_origins: string[];
            /**
             * @description What a browser sign-in requests from users.
             * @enum {string}
             */
            sign_in_permission: "read_only" | "read_and_write";
            /**
             * @description Whether the server holds the custody key of `fid`, which signs requests for signers.
             * @example true
             */
            has_custody_key: boolean;
            /**
             * @description Number of active keys.
             * @example 1
             */
            key_count: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
        };
        /**
         * Format: int32
         * @description Fid of a user or an app.
         * @example 3
         */
        Fid: number;
        /** @description `cursor` is null on the last page. */
        NextCursor: {
            cursor: string | null;
        };
        AppResponse: {
            app: components["schemas"]["App"];
        };
        ErrorRes: {
            /**
             * @description Reason in plain words. It may change.
             * @example limit must be a whole number from 1 to 100
             */
            message: string;
            /**
             * @description Reason for programs.
             * @example InvalidField
             */
            code?: string;
            /**
             * @description The wrong parameter, header or member.
             * @example limit
             */
            property?: string;
            /**
             * Format: int32
             * @description HTTP status.
             * @example 400
             */
            status?: number;
            /** @description With `InvalidField` of a body: the wrong members. */
            errors?: {
                /**
                 * @description Kind of error: `too_big`, `invalid_type`.
                 * @example too_big
                 */
                code: string;
                /**
                 * @description Expected value.
                 * @example a text of 1 to 32 characters
                 */
                expected: string;
                /**
                 * @description Received value.
                 * @example a text of 40 characters
                 */
                received: string;
                /** @example notification.title must be a text of 1 to 32 characters */
                message: string;
                /** @description Path of the member: `["notification", "title"]`. */
                path: string[];
            }[];
        };
        ApiKeysResponse: {
            api_keys: components["schemas"]["ApiKey"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description API key without its secret part. */
        ApiKey: {
            /** @constant */
            object: "api_key";
            /**
             * Format: int32
             * @example 7
             */
            id: number;
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            app_id: string;
            /**
             * @description First characters, to tell keys apart.
             * @example plaza_8f2Kq
             */
            prefix: string;
            rate_limit: number | null;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            created_at: string;
            last_used_at: string | null;
            revoked_at: string | null;
        };
        NewApiKeyResponse: {
            api_key: components["schemas"]["ApiKey"];
            /**
             * @description The key itself. Only its hash is stored.
             * @example plaza_8f2KqW1vTz0R4yXnB7cLd9sGh3
             */
            key: string;
        };
        ApiKeyResponse: {
            api_key: components["schemas"]["ApiKey"];
        };
        OverviewResponse: {
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            at: string;
            /**
             * @description Of the process that replies.
             * @example 0.1.0
             */
            version: string;
            /** @example true */
            ready: boolean;
            problems: string[];
            processes: components["schemas"]["Process"][];
            counters: components["schemas"]["OverviewCounters"];
            consumers: components["schemas"]["ConsumerLag"][];
            queues: components["schemas"]["QueueDepth"][];
            operations: components["schemas"]["OperationTimes"][];
            database: components["schemas"]["DatabaseState"];
        };
        /** @description A live process of the server. */
        Process: {
            /** @constant */
            object: "process";
            /**
             * Format: uuid
             * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
             */
            id: string;
            roles: ("api" | "worker" | "sync")[];
            /**
             * @description Version of its build.
             * @example 0.1.0
             */
            version: string;
            /**
             * @description Host name of its machine.
             * @example plaza-1
             */
            host: string;
            /**
             * @description Its number on that machine.
             * @example 4711
             */
            pid: number;
            /**
             * @description Most database connections that it opens. 0: an older version, which does not tell.
             * @example 18
             */
            connections: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            started_at: string;
        };
        /** @description Sizes of the network. */
        OverviewCounters: {
            /**
             * @description Messages that the hub has stored since PostgreSQL began to count. Its difference is a rate.
             * @example 420000
             */
            messages: number;
            /**
             * @description Casts of the read model, estimated.
             * @example 120000
             */
            casts: number;
            /**
             * @description Users of the read model, estimated.
             * @example 5000
             */
            users: number;
        };
        /** @description A consumer of the event log. */
        ConsumerLag: {
            /** @constant */
            object: "consumer";
            /** @example webhooks */
            name: string;
            /** @example 1 */
            shard: number;
            /**
             * Format: int32
             * @example 12
             */
            blocks_behind: number;
        };
        /** @description What waits, by state. Large numbers are counted up to a bound. */
        QueueDepth: {
            /** @constant */
            object: "queue";
            /** @enum {string} */
            name: "webhook deliveries" | "notification tokens";
            /** @example waiting */
            state: string;
            /**
             * Format: int32
             * @example 12
             */
            count: number;
        };
        /** @description How long the requests of an operation took in one process. */
        OperationTimes: {
            /** @constant */
            object: "operation_times";
            /** @example GET /v2/farcaster/feed */
            operation: string;
            /**
             * @description Since the start of the process.
             * @example 1200
             */
            requests: number;
            /**
             * @description Of these, replies of 500 and above.
             * @example 0
             */
            failures: number;
            /**
             * @description Milliseconds.
             * @example 4.2
             */
            p50_ms: number;
            /**
             * @description Milliseconds.
             * @example 4.2
             */
            p99_ms: number;
        };
        /** @description The database of the server. */
        DatabaseState: {
            /** @example 52428800 */
            bytes: number;
            /** @example 18.4 */
            version: string;
        };
        ProcessesResponse: {
            processes: components["schemas"]["Process"][];
        };
        AuditLogResponse: {
            entries: components["schemas"]["AuditEntry"][];
            next: components["schemas"]["NextCursor"];
        };
        /** @description A change that was asked of the admin API. */
        AuditEntry: {
            /** @constant */
            object: "audit_entry";
            /** @example 42 */
            id: number;
            /**
             * Format: date-time
             * @example 2026-05-01T12:00:00.000Z
             */
            at: string;
            session_id: number | null;
            /**
             * @description Address of the client.
             * @example 127.0.0.1
             */
            address: string;
            /** @example PATCH apps/{id} */
            operation: string;
            /** @description Parameters of the path. */
            params: {
                [key: string]: unknown;
            };
            body: {
                [key: string]: unknown;
            } | null;
            status: number | null;
            error: string | null;
        };
    };
    responses: {
        /** @description A parameter or a member of the body is wrong: `property` names it. */
        BadRequest: {
            headers: {
                /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                "RateLimit-Limit"?: number;
                /** @description Requests that are allowed now. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until the full limit is available. */
                "RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The API key or the bearer token is missing, wrong or expired. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The key is above its rate limit. */
        TooManyRequests: {
            headers: {
                /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                "RateLimit-Limit"?: number;
                /** @description Requests that are allowed now. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until the full limit is available. */
                "RateLimit-Reset"?: number;
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The server failed; `message` has the request id of its log. */
        InternalError: {
            headers: {
                /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                "RateLimit-Limit"?: number;
                /** @description Requests that are allowed now. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until the full limit is available. */
                "RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The database is not available or took too long. */
        Unavailable: {
            headers: {
                /** @description Requests per minute. Only for a key with a limit, like the next two headers. */
                "RateLimit-Limit"?: number;
                /** @description Requests that are allowed now. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until the full limit is available. */
                "RateLimit-Reset"?: number;
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description A parameter or a member of the body is wrong: `property` names it. */
        AdminBadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The admin token is missing or wrong. */
        AdminUnauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description This address has sent too many wrong tokens. */
        AdminTooManyAttempts: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The server failed; `message` has the request id of its log. */
        AdminInternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
        /** @description The database is not available or took too long. */
        AdminUnavailable: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorRes"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAdminApps: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppsResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    postAdminApps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "garden",
                 *       "fid": 3,
                 *       "mini_app_domain": "garden.example.com",
                 *       "developer_uuid": "7d1c9a40-3b52-4e8f-8a6d-5c0e2f7b9a13",
                 *       "authorized_origins": [
                 *         "https://garden.example.com"
                 *       ],
                 *       "sign_in_permission": "read_and_write"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Unique name.
                     * @example garden
                     */
                    name: string;
                    fid?: number | null;
                    mini_app_domain?: string | null;
                    /**
                     * @description Developer of the app. Several apps may share it.
                     * @example 7d1c9a40-3b52-4e8f-8a6d-5c0e2f7b9a13
                     */
                    developer_uuid?: string;
                    /** @description Origins that may receive the result of a browser sign-in: `https://app.example.com`, `http://localhost:3000`, or the scheme of deep links, `myapp://`. Replaces the whole list. */
                    authorized_origins?: string[];
                    /**
                     * @description What a browser sign-in requests from users.
                     * @enum {string}
                     */
                    sign_in_permission?: "read_only" | "read_and_write";
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description Another app has the name or the mini app domain: `property` tells which. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAppsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    patchAdminAppsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "garden",
                 *       "fid": 3,
                 *       "mini_app_domain": "garden.example.com",
                 *       "developer_uuid": "7d1c9a40-3b52-4e8f-8a6d-5c0e2f7b9a13",
                 *       "authorized_origins": [
                 *         "https://garden.example.com"
                 *       ],
                 *       "sign_in_permission": "read_and_write"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Unique name.
                     * @example garden
                     */
                    name?: string;
                    fid?: number | null;
                    mini_app_domain?: string | null;
                    /**
                     * @description Developer of the app. Several apps may share it.
                     * @example 7d1c9a40-3b52-4e8f-8a6d-5c0e2f7b9a13
                     */
                    developer_uuid?: string;
                    /** @description Origins that may receive the result of a browser sign-in: `https://app.example.com`, `http://localhost:3000`, or the scheme of deep links, `myapp://`. Replaces the whole list. */
                    authorized_origins?: string[];
                    /**
                     * @description What a browser sign-in requests from users.
                     * @enum {string}
                     */
                    sign_in_permission?: "read_only" | "read_and_write";
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description Another app has the name or the mini app domain: `property` tells which. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    postAdminAppsIdCustodyKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "custody_key": "0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Private key of the custody address.
                     * @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e
                     */
                    custody_key: string;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            /** @description The app has no fid, or the key is not that of its custody address. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    deleteAdminAppsIdCustodyKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAppsIdKeys: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeysResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    postAdminAppsIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the app.
                 * @example 0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rate_limit": 600
                 *     }
                 */
                "application/json": {
                    rate_limit?: number | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKeyResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no app with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    deleteAdminKeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the key.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no key with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    patchAdminKeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the key.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rate_limit": 600
                 *     }
                 */
                "application/json": {
                    rate_limit: number | null;
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            /** @description There is no key with this id. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorRes"];
                };
            };
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverviewResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminProcesses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessesResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getAdminAuditLog: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 25
                 */
                limit?: number;
                /** @description `next.cursor` of the previous page. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLogResponse"];
                };
            };
            400: components["responses"]["AdminBadRequest"];
            401: components["responses"]["AdminUnauthorized"];
            429: components["responses"]["AdminTooManyAttempts"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
}
