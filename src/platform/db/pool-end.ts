/** Longest wait for statements that run when a pool ends; after it their connections are closed. */
export const POOL_END_SECONDS = 5
