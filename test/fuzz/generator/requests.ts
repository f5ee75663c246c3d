/** Which rules a reply has to follow. */
export type Surface =
  /** `/v2` and `/admin`, by the OpenAPI document, and `/v1/farcaster`. */
  | 'api'
  /** The hub's methods below `/v1`. */
  | 'hub'
  /** Pages, health, and paths of nobody: only that they answer. */
  | 'pages'

/** A well-framed HTTP request. */
export interface HttpRequest {
  readonly via: 'http'
  readonly surface: Surface
  /** The operation of the documents, such as `GET /v2/social/cast/`; undefined for other paths. */
  readonly operation?: string
  readonly method: string
  /** As it is sent: percent-encoded, with the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer | null
}

/** Bytes on a connection of their own. */
export interface RawRequest {
  readonly via: 'raw'
  readonly port: 'http' | 'grpc'
  readonly about: string
  /** Written one after the other. */
  readonly pieces: readonly Buffer[]
  /** The client goes away after the last piece, because the server is right to wait for more. */
  readonly isAbandoned: boolean
  /** Fewest answers that the server owes. */
  readonly answers: number
}

/** A gRPC call. */
export interface GrpcRequest {
  readonly via: 'grpc'
  readonly about: string
  /** The method's name of the definition, if it has this one. */
  readonly method?: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The data frames: what should be length-prefixed messages. */
  readonly body: Buffer
}

/** One generated request. */
export type FuzzRequest = HttpRequest | RawRequest | GrpcRequest
